"""The API of a cluster, through the official Kubernetes client: the only module that talks to one.

Answers are plain JSON. What the credential may not see is `Hidden`, not an exception; a cluster that cannot be reached is a
`ClusterError`, whose text is one sentence and never has a token in it.
"""

import json
import logging
import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from http import HTTPStatus
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from scalr_agents.cluster import programs
from scalr_agents.cluster.answers import Answer, Found, Hidden, Json, Seen

if TYPE_CHECKING:
    from kubernetes.client import ApiClient

AT_ONCE = 16
"""Requests at a time."""
_CONNECT_SECONDS, _ANSWER_SECONDS = 10, 60
_PAGE = 500
_LONGEST_LINE = 2**20
"""Bytes after which a line of a log is printed without its end."""
_JSON, _APPLY = "application/json", "application/apply-patch+yaml"
_WARNING, _QUOTED = re.compile(r'299 \S+ "((?:[^"\\]|\\.)*)"'), re.compile(r"\\(.)")
"""The texts in a header of warnings, and what is escaped in them."""
METADATA = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"
"""Asks for the metadata of an object, without its content."""
METADATA_OF_LIST = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
_IN_CLUSTER = "KUBERNETES_SERVICE_HOST"
_DEFAULT = "~/.kube/config"

Query = Sequence[tuple[str, str]]


class ClusterError(Exception):
    """There is no cluster to talk to. The text is one sentence that says why, and what to do."""


class RefusedError(Exception):
    """The API server refused something. The text is its own message."""


class _Response(NamedTuple):
    status: int
    text: str
    warnings: Sequence[str]


class Api:
    """The API of one cluster with the rights of one credential. Several threads may share it."""

    def __init__(self, client: "ApiClient", name: str) -> None:
        self._client = client
        self.name = name
        """What messages call the cluster."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._client.close()

    def get(self, path: str, query: Query = (), accept: str = _JSON) -> Found[Json]:
        answer = self._request("GET", path, query, accept)
        if answer.status == HTTPStatus.NOT_FOUND:
            return None
        return self._parsed(answer) if answer.status == HTTPStatus.OK else _hidden(answer)

    def items(self, path: str, query: Query = (), accept: str = _JSON) -> Seen[list[Json]]:
        """All objects of a list, read in pages. A list that the API server does not have is empty."""
        found: list[Json] = []
        page: Query = (("limit", str(_PAGE)),)
        while True:
            answer = self.get(path, [*query, *page], accept)
            if not isinstance(answer, dict):
                return [] if answer is None else answer
            found += answer["items"] or []  # an empty list of metadata is null
            following = answer["metadata"].get("continue")
            if not following:
                return found
            page = (("limit", str(_PAGE)), ("continue", following))

    def text(self, path: str, query: Query = ()) -> Found[str]:
        answer = self._request("GET", path, query, "*/*")
        if answer.status == HTTPStatus.NOT_FOUND:
            return None
        return answer.text if answer.status == HTTPStatus.OK else _hidden(answer)

    def lines(self, path: str, query: Query = ()) -> Iterator[str]:
        """The lines of a log as they come, however long that takes. Raises `RefusedError` with the message of the API server."""
        with self._reached():
            request = self._client.param_serialize(
                "GET", path, query_params=list(query), header_params={"Accept": "*/*"}, auth_settings=["BearerToken"]
            )
            response = self._client.call_api(*request, _request_timeout=(_CONNECT_SECONDS, None))
            if response.status != HTTPStatus.OK:
                raise RefusedError(_message(_Response(response.status, response.read().decode(errors="replace"), ())))
            rest = b""
            for chunk in response.response.stream():
                *whole, rest = (rest + chunk).split(b"\n")
                yield from (line.decode(errors="replace") for line in whole)
                if len(rest) > _LONGEST_LINE:
                    yield rest.decode(errors="replace")
                    rest = b""
            if rest:
                yield rest.decode(errors="replace")

    def review(self, attributes: Mapping[str, Mapping[str, str]]) -> Seen[bool]:
        """Whether the credential may do something: a SelfSubjectAccessReview."""
        body = {"apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectAccessReview", "spec": attributes}
        answer = self._request("POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", body=body)
        return bool(self._parsed(answer)["status"]["allowed"]) if answer.status == HTTPStatus.CREATED else _hidden(answer)

    def dry_run(self, path: str, manifest: Json, manager: str = "") -> Answer:
        """What the API server says to an object, which it does not store: it applies it as this field manager, or else creates it."""
        query = [("dryRun", "All"), ("fieldValidation", "Strict" if manager else "Warn")]
        if manager:
            answer = self._request(
                "PATCH", path, [*query, ("fieldManager", manager), ("force", "true")], body=json.dumps(manifest), form=_APPLY
            )
        else:
            answer = self._request("POST", path, query, body=manifest)
        if answer.status in (HTTPStatus.OK, HTTPStatus.CREATED):
            return Answer(status=answer.status, warnings=answer.warnings, accepted=self._parsed(answer))
        return Answer(status=answer.status, message=_message(answer), fields=_fields(answer), warnings=answer.warnings)

    def create(self, path: str, manifest: Json) -> Json:
        """Create an object. Raises `RefusedError` with the message of the API server."""
        answer = self._request("POST", path, body=manifest)
        if answer.status != HTTPStatus.CREATED:
            raise RefusedError(_message(answer))
        return self._parsed(answer)

    def delete(self, path: str) -> None:
        """Delete an object with what it owns. Nothing happens if it is gone already. Raises `RefusedError`."""
        answer = self._request("DELETE", path, [("propagationPolicy", "Background")])
        if answer.status not in (HTTPStatus.OK, HTTPStatus.ACCEPTED, HTTPStatus.NOT_FOUND):
            raise RefusedError(_message(answer))

    def _parsed(self, answer: _Response) -> Json:
        """The object in an answer. Raises `ClusterError` if there is none, as in the page of a proxy."""
        try:
            parsed = json.loads(answer.text)
        except ValueError:
            parsed = None
        if not isinstance(parsed, dict):
            raise ClusterError(f"{self.name} does not answer like a Kubernetes API; check its address, HTTPS_PROXY and NO_PROXY")
        return parsed

    def _request(self, method: str, path: str, query: Query = (), accept: str = _JSON, body: Any = None, form: str = _JSON) -> _Response:
        headers = {"Accept": accept, "Content-Type": form}
        with self._reached():
            request = self._client.param_serialize(
                method, path, query_params=list(query), header_params=headers, body=body, auth_settings=["BearerToken"]
            )
            response = self._client.call_api(*request, _request_timeout=(_CONNECT_SECONDS, _ANSWER_SECONDS))
            warnings = tuple(
                _QUOTED.sub(r"\1", text) for each in response.getheaders().getlist("Warning") for text in _WARNING.findall(each)
            )
            answer = _Response(response.status, response.read().decode(errors="replace"), warnings)
        if answer.status == HTTPStatus.UNAUTHORIZED:
            raise ClusterError(f"{self.name} does not accept the credential of the kubeconfig; log in again, or correct the kubeconfig")
        return answer

    @contextmanager
    def _reached(self) -> Iterator[None]:
        """Raises `ClusterError` in place of what the client raises."""
        import urllib3
        from kubernetes.client import ApiException

        try:
            yield
        except (ApiException, urllib3.exceptions.HTTPError, OSError) as problem:
            raise ClusterError(f"{self.name} cannot be reached: {_reason(problem)}") from None


def connect(kubeconfig: str, context: str, untrusted: Sequence[Path]) -> Api:
    """The cluster that the stack file names, or that kubectl would use. Raises `ClusterError`.

    A kubeconfig below one of the `untrusted` directories may not name programs to run.
    """
    try:
        from kubernetes.client import ApiClient, Configuration
        from kubernetes.config import ConfigException, load_incluster_config, load_kube_config
    except ModuleNotFoundError:
        advice = f"run: {sys.executable} -m pip install 'kubernetes>=37,<38'"
        raise ClusterError(f"this command needs the Python package kubernetes: {advice}") from None
    settings = Configuration(retries=False)
    settings.connection_pool_maxsize = AT_ONCE
    file = str(Path(kubeconfig).expanduser()) if kubeconfig else None
    try:
        with _complaints() as complaints:
            if _is_inside(file, context):
                load_incluster_config(client_configuration=settings)
            else:
                files = file or os.environ.get("KUBECONFIG") or _DEFAULT
                _refuse_programs(files, [*untrusted, *programs.relative(file or "")] if untrusted else ())
                load_kube_config(files, context or None, client_configuration=settings, persist_config=False)
    except (ConfigException, OSError, ValueError, KeyError, TypeError) as problem:
        raise ClusterError(_about_config(file, context, problem)) from None
    except Exception as problem:  # PyYAML's errors repeat the file, which has tokens in it
        if type(problem).__module__.partition(".")[0] != "yaml":
            raise
        raise ClusterError(f"{_called(file)} is not valid YAML; correct it") from None
    name = f"the cluster of context {context!r}" if context else "the cluster of the current context"
    if complaints:  # what the client says may repeat what the program printed, a token among it
        raise ClusterError(f"{name}: the program that gets the credential failed; run kubectl with this context to see why")
    return Api(ApiClient(settings), name)


def _is_inside(file: str | None, context: str) -> bool:
    """Whether to use the account of the pod that this runs in: no kubeconfig is named, and there is none."""
    named = file or context or os.environ.get("KUBECONFIG")
    return not named and _IN_CLUSTER in os.environ and not Path(_DEFAULT).expanduser().exists()


def _refuse_programs(files: str, untrusted: Sequence[Path]) -> None:
    if refusal := programs.refusal(files, untrusted):
        raise ClusterError(refusal)


def _called(file: str | None) -> str:
    return f"kubeconfig {file}" if file else "the kubeconfig"


def _about_config(file: str | None, context: str, problem: Exception) -> str:
    if isinstance(problem, OSError):
        return f"{_called(file)} cannot be read: {problem.strerror}"
    if context and "context" in str(problem):
        return (
            f"{_called(file)} has no context {context!r}; correct kubernetes.context in the stack file, or see kubectl config get-contexts"
        )
    if "No configuration found" in str(problem):
        return f"{_called(file)} does not exist or is empty; set kubernetes.kubeconfig in the stack file, or KUBECONFIG"
    return f"{_called(file)} is not valid, or sets no current context; set kubernetes.context in the stack file"


@contextmanager
def _complaints() -> Iterator[list[str]]:
    """What the Kubernetes client logs instead of raising an exception."""
    messages: list[str] = []

    class Handler(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            messages.append(record.getMessage())

    root, handler = logging.getLogger(), Handler(logging.ERROR)
    root.addHandler(handler)
    try:
        yield messages
    finally:
        root.removeHandler(handler)


def _hidden(answer: _Response) -> Hidden:
    if answer.status == HTTPStatus.FORBIDDEN:
        return Hidden("your credential lacks the permission")
    return Hidden(f"the API server answered {answer.status}")


def _message(answer: _Response) -> str:
    try:
        message = str(json.loads(answer.text)["message"])
    except (ValueError, KeyError, TypeError):
        message = ""
    return message or f"the API server answered {answer.status}"


def _fields(answer: _Response) -> list[str]:
    """The fields that an answer is about."""
    try:
        return [str(cause["field"]) for cause in json.loads(answer.text)["details"]["causes"]]
    except (ValueError, KeyError, TypeError):
        return []


def _reason(problem: Exception) -> str:
    import urllib3

    kinds: dict[type[Exception], str] = {  # the special ones first: one may be a subclass of another
        urllib3.exceptions.NameResolutionError: "its name cannot be resolved; check the address and your network",
        urllib3.exceptions.ProxyError: "the proxy refuses the connection; check HTTPS_PROXY and NO_PROXY",
        urllib3.exceptions.NewConnectionError: "the connection is refused; check that the cluster runs, and its address",
        urllib3.exceptions.ConnectTimeoutError: f"no connection within {_CONNECT_SECONDS} seconds; check the address and your network",
        urllib3.exceptions.ReadTimeoutError: f"no answer within {_ANSWER_SECONDS} seconds; try again",
    }
    cause = getattr(problem, "reason", None)
    chain = [each for each in (problem, cause) if isinstance(each, Exception)]
    for kind, text in kinds.items():
        if any(isinstance(each, kind) for each in chain):
            return text
    if "SSL" in f"{type(problem).__name__}{cause}":
        return "its certificate is not trusted; check certificate-authority in the kubeconfig"
    return f"the connection failed ({type(problem).__name__}); check the address and your network"
