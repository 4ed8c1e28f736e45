"""A validating webhook that refuses the pods of one namespace, and keeps the API server's review of each request."""

import base64
import json
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.cluster.client import Client, Manifest
from tests.cluster.control_plane import ControlPlane

MESSAGE = "pods need an owner\n\x1b[31mof their own"
"""Its message: a second line, and a sequence that turns a terminal red."""


class _Review(BaseHTTPRequestHandler):
    server: "_Server"

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["request"]
        self.server.requests.append(request)
        response = {"uid": request["uid"], "allowed": False, "status": {"message": MESSAGE, "code": 403}}
        body = json.dumps({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "response": response}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


class _Server(ThreadingHTTPServer):
    requests: list[dict[str, Any]]


@contextmanager
def refusing(control_plane: ControlPlane, cluster: Client, namespace: str) -> Iterator[list[dict[str, Any]]]:
    """The requests that the webhook gets while the context lasts. It uses the API server's certificate, which is valid for this machine."""
    with _Server(("127.0.0.1", 0), _Review) as server:
        server.requests = []
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(control_plane.authority, control_plane.key)
        server.socket = context.wrap_socket(server.socket, server_side=True)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        cluster.create(configuration(namespace, server.server_address[1], control_plane.authority.read_bytes()))
        try:
            yield server.requests
        finally:
            cluster.delete("ValidatingWebhookConfiguration", namespace)
            server.shutdown()


def configuration(namespace: str, port: int, authority: bytes) -> Manifest:
    """The configuration of a webhook for the pods of a namespace, which has its name."""
    client = {"url": f"https://127.0.0.1:{port}/", "caBundle": base64.b64encode(authority).decode()}
    webhook = {
        "name": "pods.acme.example",
        "clientConfig": client,
        "rules": [{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["pods"]}],
        "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": namespace}},
        "admissionReviewVersions": ["v1"],
        "sideEffects": "None",
    }
    metadata = {"name": namespace}
    return {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingWebhookConfiguration",
        "metadata": metadata,
        "webhooks": [webhook],
    }
