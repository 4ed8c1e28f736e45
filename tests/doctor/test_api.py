"""The API, where something else answers at its address. What a real one answers is in tests/cluster."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from kubernetes.client import ApiClient, Configuration
from scalr_agents.cluster import api as module
from scalr_agents.cluster.answers import Answer
from scalr_agents.cluster.api import Api, ClusterError, RefusedError

PAGES = (b"<html>Log in</html>", b"[]", b"\xff", b"")


class Page(BaseHTTPRequestHandler):
    """Answers everything with the page of its server, as the login of a proxy does."""

    server: "Portal"

    def do_GET(self) -> None:
        self._answer(self.server.status)

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self._answer(201)

    def do_PATCH(self) -> None:
        self.do_POST()

    def _answer(self, status: int) -> None:
        self.server.asked.append((self.command, self.path))
        self.send_response(status)
        self.send_header("Warning", '299 - "unknown field \\"spec.x\\""')
        self.send_header("Content-Length", str(len(self.server.page)))
        self.end_headers()
        self.wfile.write(self.server.page)

    def log_message(self, *_: object) -> None:
        pass


class Portal(HTTPServer):
    page: bytes
    status: int = 200
    asked: list[tuple[str, str]]


@pytest.fixture(params=PAGES)
def api(request: pytest.FixtureRequest) -> Iterator[Api]:
    with portal(request.param) as (_, api):
        yield api


@contextmanager
def portal(page: bytes) -> Iterator[tuple[Portal, Api]]:
    with Portal(("127.0.0.1", 0), Page) as server:
        server.page, server.asked = page, []
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        settings = Configuration(host=f"http://127.0.0.1:{server.server_port}", retries=False)
        settings.proxy = None
        with Api(ApiClient(settings), "the cluster") as api:
            yield server, api
        server.shutdown()


def test_a_page_in_place_of_an_api_is_one_sentence(api: Api) -> None:
    message = "^the cluster does not answer like a Kubernetes API; check its address, HTTPS_PROXY and NO_PROXY$"
    with pytest.raises(ClusterError, match=message):
        api.get("/version")
    with pytest.raises(ClusterError, match=message):
        api.items("/api/v1/nodes")
    with pytest.raises(ClusterError, match=message):
        api.review({"resourceAttributes": {"verb": "get"}})
    with pytest.raises(ClusterError, match=message):
        api.create("/api/v1/namespaces/a/pods", {})
    with pytest.raises(ClusterError, match=message):
        api.dry_run("/api/v1/namespaces/a/pods", {})


def test_a_dry_run_says_so_to_the_server() -> None:
    with portal(b'{"spec": {"a": 1}}') as (server, api):
        answers = [api.dry_run("/api/v1/namespaces/a/pods", {}), api.dry_run("/api/v1/namespaces/a/secrets/b", {}, "manager")]
    assert server.asked == [
        ("POST", "/api/v1/namespaces/a/pods?dryRun=All&fieldValidation=Warn"),
        ("PATCH", "/api/v1/namespaces/a/secrets/b?dryRun=All&fieldValidation=Strict&fieldManager=manager&force=true"),
    ]
    assert answers == [Answer(status=201, warnings=('unknown field "spec.x"',), accepted={"spec": {"a": 1}})] * 2


@pytest.mark.parametrize(
    ("page", "lines"),
    [
        (b"", []),
        (b"a\n\nb\n", ["a", "", "b"]),
        (b"a\nno end", ["a", "no end"]),
        (b"\xff\n", ["\ufffd"]),
        (b"1234567", ["1234567"]),
    ],
)
def test_a_log_is_read_line_by_line(page: bytes, lines: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_LONGEST_LINE", 5)
    with portal(page) as (server, api):
        assert list(api.lines("/log", [("follow", "true")])) == lines
    assert server.asked == [("GET", "/log?follow=true")]


def test_a_log_that_is_refused_says_why() -> None:
    with portal(b'{"message": "container is waiting to start"}') as (server, api):
        server.status = 400
        with pytest.raises(RefusedError, match=r"^container is waiting to start$"):
            list(api.lines("/log"))
