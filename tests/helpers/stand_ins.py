"""Stand-ins for the metadata services and for the cloud services that a machine uses. They refuse what the real ones refuse.

IMDSv2 wants a session, made by a PUT with a time to live, in every request. Google's metadata service wants `Metadata-Flavor`. AWS refuses
a request whose signature is not that of its own library, here botocore, over all headers `x-amz-*`.
"""

import base64
import json
import re
import ssl
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import parse_qs

from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

ROLE, REGION = "it-role", "eu-west-1"
KEYS = {"AccessKeyId": "ASIAEXAMPLE", "SecretAccessKey": "wJalrXUtnFEMI/K7MDENG", "Token": "session/token+with=signs"}
ARN = f"arn:aws:secretsmanager:{REGION}:111122223333:secret:it-AbCdEf"
NAME = "projects/acme/secrets/it"
INSTANCE, GROUP = "i-0abc", "acme-it"
GOOGLE_TOKEN = "ya29.machine"


@dataclass
class Cloud:
    """Both clouds, with a record of requests."""

    content: str = '{"SCALR_AGENT_TOKEN": "s3cr3t-token"}'
    """The content of the secret; empty if there is none."""
    leaving: bool = False
    """Whether the machine is being removed."""
    completed: list[Mapping[str, str]] = field(default_factory=list)
    """The lifecycle actions that were completed."""

    def metadata(self, method: str, path: str, headers: Mapping[str, str], _body: str = "") -> tuple[int, str]:
        """Response of the metadata services."""
        given = {name.lower(): value for name, value in headers.items()}
        if path.startswith("/computeMetadata/"):
            return self._google_metadata(path) if given.get("metadata-flavor") == "Google" else (403, "")
        if path == "/latest/api/token":
            return (200, "session") if method == "PUT" and given.get("x-aws-ec2-metadata-token-ttl-seconds") else (400, "")
        if given.get("x-aws-ec2-metadata-token") != "session":
            return 401, ""
        known = {
            "iam/security-credentials/": ROLE,
            f"iam/security-credentials/{ROLE}": json.dumps(KEYS),
            "instance-id": INSTANCE,
            "placement/region": REGION,
            "autoscaling/target-lifecycle-state": "Terminated" if self.leaving else "InService",
        }
        found = known.get(path.removeprefix("/latest/meta-data/"))
        return (200, found) if found else (404, "")

    def _google_metadata(self, path: str) -> tuple[int, str]:
        known = {
            "instance/service-accounts/default/token": json.dumps({"access_token": GOOGLE_TOKEN}),
            **({"instance/shutdown-details/stop-state": "PENDING_STOP"} if self.leaving else {}),
        }
        found = known.get(path.removeprefix("/computeMetadata/v1/"))
        return (200, found) if found else (404, "")

    def service(self, host: str, method: str, path: str, headers: Mapping[str, str], body: str) -> tuple[int, str]:
        """Response of a cloud service."""
        if host == "secretmanager.googleapis.com":
            return self._google_secret(method, path, headers)
        if refusal := _refused(host, method, path, headers, body):
            return 403, json.dumps({"__type": "InvalidSignatureException", "message": refusal})
        if host == f"autoscaling.{REGION}.amazonaws.com":
            self.completed.append({name: values[0] for name, values in parse_qs(body).items()})
            return 200, "<CompleteLifecycleActionResponse/>"
        given = {name.lower(): value for name, value in headers.items()}
        received = (host, given.get("x-amz-target"), given.get("content-type"), json.loads(body))
        expected = (
            f"secretsmanager.{REGION}.amazonaws.com",
            "secretsmanager.GetSecretValue",
            "application/x-amz-json-1.1",
            {"SecretId": ARN},
        )
        if received != expected or not self.content:
            return 400, json.dumps({"__type": "ResourceNotFoundException", "message": "Secrets Manager can't find the specified secret."})
        return 200, json.dumps({"ARN": ARN, "SecretString": self.content})

    def _google_secret(self, method: str, path: str, headers: Mapping[str, str]) -> tuple[int, str]:
        if headers.get("Authorization") != f"Bearer {GOOGLE_TOKEN}":
            return 401, '{"error": {"status": "UNAUTHENTICATED"}}'
        if (method, path) != ("GET", f"/v1/{NAME}/versions/latest:access") or not self.content:
            return 404, '{"error": {"status": "NOT_FOUND"}}'
        return 200, json.dumps({"payload": {"data": base64.b64encode(self.content.encode()).decode()}})


def _refused(host: str, method: str, path: str, headers: Mapping[str, str], body: str) -> str:
    """AWS's error for a request's signature, empty if it is valid."""
    given = {name.lower(): value for name, value in headers.items()}
    form = r"AWS4-HMAC-SHA256 Credential=(\S+?)/\d{8}/(\S+)/(\w+)/aws4_request, SignedHeaders=(\S+), Signature=(\w+)"
    match = re.fullmatch(form, given.get("authorization", ""))
    if match is None:
        return "no signature"
    access_key, region, service, signed, signature = match.groups()
    if given.get("x-amz-security-token") != KEYS["Token"]:
        return "keys of a machine's role count only with their session"
    unsigned = {name for name in given if name.startswith("x-amz-") or name == "host"} - set(signed.split(";"))
    if unsigned or access_key != KEYS["AccessKeyId"] or f"{service}.{region}." not in host:
        return f"not signed, or by somebody else: {unsigned}"
    covered = {name: value for name, value in given.items() if name in signed.split(";")}
    request = AWSRequest(method, f"https://{host}{path}", covered, body.encode())
    request.context["timestamp"] = covered["x-amz-date"]
    auth = SigV4Auth(Credentials(KEYS["AccessKeyId"], KEYS["SecretAccessKey"], KEYS["Token"]), service, region)
    text = auth.string_to_sign(request, auth.canonical_request(request))
    return "" if signature == auth.signature(text, request) else "the signature is another one"


def certificate(file: Path, *names: str) -> Path:
    """Write a certificate for names such as `DNS:localhost`, and its key, into one file."""
    key, made = file.with_suffix(".key"), file.with_suffix(".crt")
    what: list[str | Path] = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", key, "-out", made]
    whom = ["-subj", "/CN=localhost", "-addext", f"subjectAltName={','.join(names)}"]
    subprocess.run(["openssl", "req", "-x509", *what, *whom], check=True, capture_output=True)
    file.write_text(made.read_text() + key.read_text())
    return file


Answer = Callable[[str, str, Mapping[str, str], str], tuple[int, str]]
"""The response of a server to a method, a path, headers and a body: a status and a text."""


def serve(
    answer: Answer, address: tuple[str, int] = ("127.0.0.1", 0), certificate: Path | None = None, content_type: str = "text/plain"
) -> ThreadingHTTPServer:
    """A server on an address of this machine, until `shutdown`; with a certificate by TLS."""

    class Handler(BaseHTTPRequestHandler):
        def reply(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
            status, content = answer(self.command, self.path, dict(self.headers), body)
            self.send_response(status)
            self.send_header("Content-Type", content_type)
            self.end_headers()
            self.wfile.write(content.encode())

        def __getattr__(self, name: str) -> Any:
            if name.startswith("do_"):
                return self.reply
            raise AttributeError(name)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(address, Handler)
    if certificate:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        server.socket = context.wrap_socket(server.socket, server_side=True)
    Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    return server
