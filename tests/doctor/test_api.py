"""The API, where something else answers at its address. What a real one answers is in tests/cluster."""

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from kubernetes.client import ApiClient, Configuration
from scalr_agents.doctor.api import Api, ClusterError

PAGES = (b"<html>Log in</html>", b"[]", b"\xff", b"")


class Page(BaseHTTPRequestHandler):
    """Answers everything with the page of its server, as the login of a proxy does."""

    server: "Portal"

    def do_GET(self) -> None:
        self._answer(200)

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self._answer(201)

    def _answer(self, status: int) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(self.server.page)))
        self.end_headers()
        self.wfile.write(self.server.page)

    def log_message(self, *_: object) -> None:
        pass


class Portal(HTTPServer):
    page: bytes


@pytest.fixture(params=PAGES)
def api(request: pytest.FixtureRequest) -> Iterator[Api]:
    with Portal(("127.0.0.1", 0), Page) as server:
        server.page = request.param
        threading.Thread(target=server.serve_forever, daemon=True).start()
        settings = Configuration(host=f"http://127.0.0.1:{server.server_port}", retries=False)
        settings.proxy = None
        with Api(ApiClient(settings), "the cluster") as api:
            yield api
        server.shutdown()


def test_a_page_in_place_of_an_api_is_one_sentence(api: Api) -> None:
    said = "^the cluster does not answer like a Kubernetes API; check its address, HTTPS_PROXY and NO_PROXY$"
    with pytest.raises(ClusterError, match=said):
        api.get("/version")
    with pytest.raises(ClusterError, match=said):
        api.items("/api/v1/nodes")
    with pytest.raises(ClusterError, match=said):
        api.review({"resourceAttributes": {"verb": "get"}})
    with pytest.raises(ClusterError, match=said):
        api.create("/api/v1/namespaces/a/pods", {})
