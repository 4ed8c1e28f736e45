"""The API, where something else answers at its address, or too much. What a real one answers is in tests/cluster."""

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from types import MappingProxyType
from typing import Any, NamedTuple

import pytest
from kubernetes.client import ApiClient, Configuration
from scalr_agents.cluster import api as module
from scalr_agents.cluster.answers import Answer, Hidden, Listed, Odd
from scalr_agents.cluster.api import Api, ClusterError, RefusedError, at_once
from scalr_agents.cluster.objects import Object, Pod

PAGES = (b"<html>Log in</html>", b"[]", b"\xff", b"", b'{"a":' * 1_000)
NOT_AN_API = Hidden("the answer is not that of a Kubernetes API")


class Reply(NamedTuple):
    """What a server answers."""

    status: int = 200
    body: bytes = b"{}"
    headers: Mapping[str, str] = MappingProxyType({})
    ends: bool = True
    """Whether it says where the body ends, and sends no more."""
    is_held: bool = False
    """Whether the end of the body comes only when the test is over."""


class Handler(BaseHTTPRequestHandler):
    """Answers what the test says."""

    server: "Portal"

    def _answer(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        status = 201 if self.command == "POST" else 200
        self.server.asked.append((self.command, self.path))
        reply = self.server.reply(self.path)
        self.send_response(reply.status if reply.status != 200 else status)
        for name, value in {"Warning": '299 - "unknown field \\"spec.x\\""', **reply.headers}.items():
            self.send_header(name, value)
        if reply.ends:
            self.send_header("Content-Length", str(len(reply.body) + reply.is_held))
        self.end_headers()
        self.wfile.write(reply.body)
        if reply.is_held:
            self.server.is_over.wait()
        while not reply.ends:
            try:
                self.wfile.write(b" " * 2**16)
            except OSError:
                return

    def __getattr__(self, name: str) -> Any:
        if name.startswith("do_"):
            return self._answer
        raise AttributeError(name)

    def log_message(self, *_: object) -> None:
        pass


class Portal(HTTPServer):
    reply: Callable[[str], Reply]
    asked: list[tuple[str, str]]
    is_over: threading.Event

    def handle_error(self, *_: object) -> None:
        """Clients may go before they have read everything."""


@contextmanager
def portal(reply: Callable[[str], Reply]) -> Iterator[tuple[Portal, Api]]:
    with Portal(("127.0.0.1", 0), Handler) as server:
        server.reply, server.asked, server.is_over = reply, [], threading.Event()
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        settings = Configuration(host=f"http://127.0.0.1:{server.server_port}", retries=False)
        settings.proxy = None
        with Api(ApiClient(settings), "the cluster") as api:
            try:
                yield server, api
            finally:
                server.is_over.set()
                server.shutdown()


@contextmanager
def answering(body: bytes = b"{}", status: int = 200) -> Iterator[tuple[Portal, Api]]:
    with portal(lambda _: Reply(status, body)) as both:
        yield both


@pytest.mark.parametrize("body", PAGES)
def test_a_page_in_place_of_an_api_is_one_sentence(body: bytes) -> None:
    message = "^the cluster does not answer like a Kubernetes API; check its address, HTTPS_PROXY and NO_PROXY$"
    with answering(body) as (_, api):
        with pytest.raises(ClusterError, match=message):
            api.reach()
        assert api.get("/api/v1/nodes/a/proxy/stats/summary") == NOT_AN_API
        assert api.listed(Object, "/api/v1/nodes") == NOT_AN_API
        assert api.review({"resourceAttributes": {"verb": "get"}}) == NOT_AN_API
        assert api.dry_run("/api/v1/namespaces/a/pods", {}) == Answer(
            status=0, message=NOT_AN_API.reason, warnings=('unknown field "spec.x"',)
        )
        with pytest.raises(RefusedError):
            api.create("/api/v1/namespaces/a/pods", {})


def test_a_dry_run_says_so_to_the_server() -> None:
    with answering(b'{"spec": {"a": 1}}') as (server, api):
        answers = [api.dry_run("/api/v1/namespaces/a/pods", {}), api.dry_run("/api/v1/namespaces/a/secrets/b", {}, "manager")]
    assert server.asked == [
        ("POST", "/api/v1/namespaces/a/pods?dryRun=All&fieldValidation=Warn"),
        ("PATCH", "/api/v1/namespaces/a/secrets/b?dryRun=All&fieldValidation=Strict&fieldManager=manager&force=true"),
    ]
    warnings = ('unknown field "spec.x"',)
    assert answers == [Answer(status=status, warnings=warnings, accepted={"spec": {"a": 1}}) for status in (201, 200)]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b'{"message": "no", "details": {"causes": [{"field": "spec"}, 5, {"field": {}}]}}', ("no", ("spec", "", ""))),
        (b'{"message": 5, "details": {"causes": 5}}', ("the API server answered 422", ())),
        (b'{"details": null}', ("the API server answered 422", ())),
        (b'{"message": "' + b"x" * 10_000 + b'"}', (f"{'x' * 1_024}...", ())),
    ],
)
def test_a_refusal(body: bytes, expected: tuple[str, tuple[str, ...]]) -> None:
    with answering(body, 422) as (_, api):
        answer = api.dry_run("/api/v1/namespaces/a/pods", {})
    assert (answer.message, answer.fields) == expected


def names(count: int, first: int = 0) -> list[Any]:
    return [{"metadata": {"name": str(number)}} for number in range(first, first + count)]


def pages(path: str) -> Reply:
    """Three pages with two objects each."""
    first = int(path.partition("continue=")[2] or 0)
    metadata = {"continue": str(first + 2)} if first < 4 else {}
    return Reply(body=json.dumps({"items": names(2, first), "metadata": metadata}).encode())


def test_a_list_is_read_in_pages() -> None:
    with portal(pages) as (server, api):
        assert api.listed(Object, "/api/v1/pods", [("labelSelector", "a=b")]) == Listed([Object(name=name) for name in "012345"], [])
    assert [path.partition("?")[2] for _, path in server.asked] == [
        "labelSelector=a%3Db&limit=500",
        "labelSelector=a%3Db&limit=500&continue=2",
        "labelSelector=a%3Db&limit=500&continue=4",
    ]


def page(*given: str | None, following: str = "") -> Reply:
    """A page with objects of these names, or with odd ones."""
    items = [{"metadata": {"name": name}} if name else 5 for name in given]
    return Reply(body=json.dumps({"items": items, "metadata": {"continue": following}}).encode())


A, B = Object(name="a"), Object(name="b")


@pytest.mark.parametrize(
    ("replies", "expected"),
    [
        ([page()], Listed([], [])),
        ([Reply(404)], Listed([], [])),
        ([Reply(403)], Hidden("your credential lacks the permission")),
        ([page("a", following="1"), page()], Listed([A], [])),
        ([page(following="1"), page("a")], Listed([A], [])),
        ([page("a", following="1"), page(following="2"), page("b")], Listed([A, B], [])),
        ([page("a", None, following="1"), page(None, "b")], Listed([A, B], [Odd("", "")] * 2)),
        ([page("a", following="1"), Reply(404)], Listed([A], [])),
        ([page("a", following="1"), Reply(410)], Listed([A], [], "the API server answered 410")),
        ([page(following="1"), Reply(410)], Hidden("the API server answered 410")),
    ],
)
def test_what_is_read_of_a_list(replies: list[Reply], expected: Listed[Object] | Hidden) -> None:
    left = iter(replies)
    with portal(lambda _: next(left)) as (_, api):
        assert api.listed(Object, "/api/v1/pods") == expected
    assert list(left) == []


@pytest.mark.parametrize("following", ["same", "other"])
def test_a_list_without_end_ends(following: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MOST_PAGES", 20)
    tokens = iter(range(1_000))

    def reply(_: str) -> Reply:
        token = "same" if following == "same" else str(next(tokens))
        return Reply(body=json.dumps({"items": names(1), "metadata": {"continue": token}}).encode())

    with portal(reply) as (server, api):
        found = api.listed(Object, "/api/v1/pods")
    assert isinstance(found, Listed)
    assert (len(server.asked), bool(found.cut)) == ((2, False) if following == "same" else (20, True))


def test_objects_that_are_large_do_not_hide_the_list(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever may create pods may create large ones."""
    monkeypatch.setattr(module, "_LARGEST_ANSWER", 10_000)

    def reply(path: str) -> Reply:
        limit = int(path.partition("limit=")[2].partition("&")[0])
        first = int(path.partition("continue=")[2] or 0)
        count = min(limit, 20 - first)
        items = [{**item, "spec": "x" * 900} for item in names(count, first)]
        metadata = {"continue": str(first + count)} if first + count < 20 else {}
        return Reply(body=json.dumps({"items": items, "metadata": metadata}).encode())

    with portal(reply) as (server, api):
        found = api.listed(Object, "/api/v1/pods")
    assert isinstance(found, Listed)
    assert (len(found.items), found.cut) == (20, "")
    limits = [path.partition("limit=")[2].partition("&")[0] for _, path in server.asked]
    assert limits == ["500", "50", "5", "10", "20"]


def test_an_answer_without_end_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_LARGEST_ANSWER", 2**20)
    too_large = Hidden(module._TOO_LARGE)
    with portal(lambda _: Reply(ends=False)) as (_, api):
        assert api.get("/api/v1/namespaces/a") == too_large
        assert api.listed(Object, "/api/v1/pods") == too_large
        assert api.text("/log") == too_large


def test_an_answer_that_comes_slowly_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_WHOLE_ANSWER_SECONDS", 0)
    with portal(lambda _: Reply(body=b"{", is_held=True)) as (_, api):
        assert api.get("/api/v1/namespaces/a") == Hidden("no complete answer within 0 seconds")


def test_an_object_is_read_as_one_of_a_kind() -> None:
    pod = Pod(name="a")
    answers = {
        "/understood": Reply(body=b'{"metadata": {"name": "a"}}'),
        "/odd": Reply(body=b'{"metadata": {"name": "a"}, "status": {"phase": 5}}'),
        "/none": Reply(404),
        "/denied": Reply(403),
        "/nameless": Reply(),
    }
    with portal(lambda path: answers[path]) as (_, api):
        assert {path: api.read(Pod, path) for path in answers} == {
            "/understood": (pod, []),
            "/odd": (pod, [Odd("a", "status.phase")]),
            "/none": (None, ()),
            "/denied": (Hidden("your credential lacks the permission"), ()),
            "/nameless": (Hidden("the answer is not understood"), [Odd("", "")]),
        }


@pytest.mark.parametrize("status", [429, 503])
def test_an_api_server_that_is_busy_is_asked_again(status: int, monkeypatch: pytest.MonkeyPatch) -> None:
    pauses: list[float] = []
    monkeypatch.setattr("time.sleep", pauses.append)
    busy = iter(["1", "7", "9999"])

    def reply(path: str) -> Reply:
        seconds = next(busy, None)
        return Reply(status, b"{}", {"Retry-After": seconds}) if seconds else pages(path)

    with portal(reply) as (_, api):
        found = api.listed(Object, "/api/v1/pods")
    assert isinstance(found, Listed)
    assert (len(found.items), pauses) == (6, [1, 7, module._LONGEST_PAUSE])


def test_what_a_busy_api_server_sends_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.sleep", lambda _: None)
    replies = iter([Reply(429, b"", {"Retry-After": "1"}, ends=False), Reply()])
    with portal(lambda _: next(replies)) as (_, api):
        assert api.get("/api/v1/nodes/a") == {}


def test_an_api_server_that_stays_busy_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.sleep", lambda _: None)
    with portal(lambda _: Reply(429, b"{}", {"Retry-After": "1"})) as (server, api):
        assert api.get("/api/v1/nodes/a") == Hidden("the API server answered 429")
    assert len(server.asked) == 1 + module._PAUSES


@pytest.mark.parametrize("reply", [Reply(500), Reply(503), Reply(404), Reply(429, headers={"Retry-After": "soon"})])
def test_nothing_else_is_repeated(reply: Reply) -> None:
    with portal(lambda _: reply) as (server, api):
        assert isinstance(api.get("/api/v1/nodes/a"), Hidden | None)
    assert len(server.asked) == 1


def test_who_leaves_the_pool_waits_for_no_answer() -> None:
    """Nor does the process, as daemons end with it."""
    answered = threading.Event()
    with at_once() as pool:
        is_daemon = pool.apply_async(lambda: threading.current_thread().daemon)
        waiting = [pool.apply_async(answered.wait) for _ in range(2 * module.AT_ONCE)]
        assert is_daemon.get()
    assert [each.ready() for each in waiting] == [False] * 2 * module.AT_ONCE
    answered.set()


def test_a_cluster_that_is_not_there_ends_the_command() -> None:
    with answering() as (_, api):
        pass
    with pytest.raises(ClusterError, match=r"^the cluster cannot be reached: the connection is refused; "):
        api.get("/version")


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
    with answering(page) as (server, api):
        assert list(api.lines("/log", [("follow", "true")])) == lines
    assert server.asked == [("GET", "/log?follow=true")]


def test_a_log_that_is_refused_says_why() -> None:
    refused = pytest.raises(RefusedError, match=r"^container is waiting to start$")
    with answering(b'{"message": "container is waiting to start"}', 400) as (_, api), refused:
        list(api.lines("/log"))
