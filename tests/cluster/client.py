"""A client of the Kubernetes API for tests: objects are plain dicts, kinds are found by discovery, errors contain the server's message."""

import ssl
import time
from collections.abc import Callable, Mapping
from http import HTTPStatus
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, NamedTuple, Self, TypeVar

import httpx

Manifest = dict[str, Any]
Manifests = list[Manifest]
Propagation = Literal["Background", "Foreground", "Orphan"]

_Answer = TypeVar("_Answer")

_REQUEST_SECONDS = 30
_DISCOVERY = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
_MANY_CONNECTIONS = httpx.Limits(max_connections=100, max_keepalive_connections=20)


class ApiError(Exception):
    """A request that the API server refused, with the reason."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(f"{status}: {message}")
        self.status = status
        self.message = message


class UnreachableError(Exception):
    """No response: the API server is not running, or stopped during a request."""


class Resource(NamedTuple):
    """Where the API server has the objects of a kind."""

    path: str
    plural: str
    namespaced: bool


class Client:
    """The API with the rights of one token. Several threads may share one."""

    def __init__(self, url: str, token: str, authority: Path) -> None:
        self.url = url
        self._authority = authority
        self._http = httpx.Client(
            base_url=url,
            headers={"Authorization": f"Bearer {token}"},
            verify=ssl.create_default_context(cafile=authority),
            timeout=_REQUEST_SECONDS,
            limits=_MANY_CONNECTIONS,
            trust_env=False,
        )
        self._resources: dict[tuple[str, str], Resource] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        self._http.close()

    def as_(self, token: str) -> "Client":
        """The same API with the rights of another token. Close it after use (`with`)."""
        return Client(self.url, token, self._authority)

    def apply(
        self, manifest: Mapping[str, Any], *, manager: str = "pulumi-kubernetes", force: bool = True, dry_run: bool = False
    ) -> Manifest:
        """Server-side apply with strict validation of fields, as Pulumi's provider does it; returns the object as it is then."""
        options = {"fieldManager": manager, "force": str(force).lower(), "fieldValidation": "Strict", **_dry(run=dry_run)}
        return self._json("PATCH", self._path_of(manifest), options, manifest, "application/apply-patch+yaml")

    def create(self, manifest: Mapping[str, Any], *, dry_run: bool = False) -> Manifest:
        """Create with strict validation of fields."""
        namespace = manifest["metadata"].get("namespace")
        path = self._path(manifest["kind"], namespace=namespace, api_version=manifest["apiVersion"])
        return self._json("POST", path, {"fieldValidation": "Strict", **_dry(run=dry_run)}, manifest)

    def get(self, kind: str, name: str, namespace: str | None = None) -> Manifest:
        return self._json("GET", self._path(kind, name, namespace))

    def find(self, kind: str, name: str, namespace: str | None = None) -> Manifest | None:
        """The object, or `None` if there is none."""
        try:
            return self.get(kind, name, namespace)
        except ApiError as problem:
            if problem.status == HTTPStatus.NOT_FOUND:
                return None
            raise

    def current(self, manifest: Mapping[str, Any]) -> Manifest:
        """The object that a manifest names, as it is now."""
        return self._json("GET", self._path_of(manifest))

    def list(self, kind: str, namespace: str | None = None, labels: Mapping[str, str] | None = None) -> Manifests:
        """The objects of a namespace, or of all, that have these labels."""
        selector = {"labelSelector": ",".join(f"{key}={value}" for key, value in labels.items())} if labels else {}
        listed = self._json("GET", self._path(kind, namespace=namespace), selector)
        return [{"apiVersion": listed["apiVersion"], "kind": kind, **item} for item in listed["items"]]

    def delete(
        self,
        kind: str,
        name: str,
        namespace: str | None = None,
        *,
        propagation: Propagation = "Background",
        grace_seconds: int | None = None,
    ) -> None:
        options = {"propagationPolicy": propagation} | ({} if grace_seconds is None else {"gracePeriodSeconds": grace_seconds})
        self._json("DELETE", self._path(kind, name, namespace), options)

    def patch(
        self, kind: str, name: str, namespace: str | None, patch: Mapping[str, Any], *, subresource: str = "", strategic: bool = False
    ) -> Manifest:
        """A merge patch (strategic: lists are merged by key) on an object or a subresource."""
        form = "strategic-merge-patch" if strategic else "merge-patch"
        return self._json("PATCH", self._path(kind, name, namespace, subresource), {}, patch, f"application/{form}+json")

    def edit(self, manifest: Mapping[str, Any], change: Callable[[Manifest], Manifest], manager: str) -> None:
        """Read an object, change it and put it back; again, as users do, if a controller has modified it in between."""
        what = f"an edit of {manifest['kind']} {manifest['metadata']['name']}"
        wait(lambda: self._edited(manifest, change, manager), what)

    def _edited(self, manifest: Mapping[str, Any], change: Callable[[Manifest], Manifest], manager: str) -> bool:
        try:
            self._json("PUT", self._path_of(manifest), {"fieldManager": manager}, change(self.current(manifest)))
        except ApiError as problem:
            if problem.status != HTTPStatus.CONFLICT:
                raise
            return False
        return True

    def patch_status(self, kind: str, name: str, namespace: str | None, status: Mapping[str, Any]) -> Manifest:
        return self.patch(kind, name, namespace, {"status": status}, subresource="status")

    def evict(self, pod: str, namespace: str) -> int:
        """Evict a pod, as a drain does, and return the status: 201 evicted, 429 refused by a budget."""
        eviction = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": pod, "namespace": namespace}}
        try:
            self._json("POST", self._path("Pod", pod, namespace, "eviction"), {}, eviction)
        except ApiError as problem:
            if problem.status != HTTPStatus.TOO_MANY_REQUESTS:
                raise
            return problem.status
        return HTTPStatus.CREATED

    def logs(self, pod: str, namespace: str, container: str | None = None) -> str:
        return self._request("GET", self._path("Pod", pod, namespace, "log"), {"container": container} if container else {}).text

    def token(self, namespace: str, service_account: str) -> str:
        """A token of a service account, made as for its pods."""
        request = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}}
        answer = self._json("POST", self._path("ServiceAccount", service_account, namespace, "token"), {}, request)
        return str(answer["status"]["token"])

    def may(self, verb: str, resource: str, namespace: str | None = None, *, group: str = "", name: str = "") -> bool:
        """Whether this client's token may do something to a resource (`pods`, `pods/log`): a permission probe."""
        plural, _, subresource = resource.partition("/")
        asked = {"verb": verb, "group": group, "resource": plural, "subresource": subresource, "namespace": namespace or "", "name": name}
        review = {"apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectAccessReview", "spec": {"resourceAttributes": asked}}
        return bool(self.create({**review, "metadata": {}})["status"]["allowed"])

    def is_ready(self) -> bool:
        """Whether the API server answers, and all of it has started."""
        try:
            self._request("GET", "/readyz")
        except (ApiError, UnreachableError):
            return False
        return True

    def _path_of(self, manifest: Mapping[str, Any]) -> str:
        metadata = manifest["metadata"]
        return self._path(manifest["kind"], metadata["name"], metadata.get("namespace"), api_version=manifest["apiVersion"])

    def _path(self, kind: str, name: str = "", namespace: str | None = None, subresource: str = "", *, api_version: str = "") -> str:
        resource = self._resource(kind, api_version)
        if name and resource.namespaced != bool(namespace):
            raise ValueError(f"{kind} {name}: {'a namespace is needed' if resource.namespaced else 'it has no namespace'}")
        place = ["namespaces", namespace] if namespace else []
        return "/".join(part for part in (resource.path, *place, resource.plural, name, subresource) if part)

    def _resource(self, kind: str, api_version: str) -> Resource:
        """Where a kind is. One that has just been defined takes the server a moment."""
        if (api_version, kind) not in self._resources:
            what = f"kind {kind} of {api_version or 'any group'}"
            wait(lambda: self._discover().get((api_version, kind)), what)
        return self._resources[api_version, kind]

    def _discover(self) -> Mapping[tuple[str, str], Resource]:
        """All kinds, by their version, and without one: then that of the first group that has it, and the version it prefers."""
        found: dict[tuple[str, str], Resource] = {}
        for root in ("/api", "/apis"):
            for group in self._request("GET", root, accept=_DISCOVERY).json()["items"]:
                for version in group["versions"]:
                    api_version = "/".join(part for part in (group["metadata"].get("name"), version["version"]) if part)
                    for entry in version["resources"]:
                        resource = Resource(f"{root}/{api_version}", entry["resource"], entry["scope"] == "Namespaced")
                        kind = entry["responseKind"]["kind"]
                        found[api_version, kind] = resource
                        found.setdefault(("", kind), resource)
        self._resources = found
        return found

    def _json(
        self,
        method: str,
        path: str,
        options: Mapping[str, Any] | None = None,
        content: Mapping[str, Any] | None = None,
        form: str = "application/json",
    ) -> Manifest:
        parsed: Manifest = self._request(method, path, options, content, form).json()
        return parsed

    def _request(
        self,
        method: str,
        path: str,
        options: Mapping[str, Any] | None = None,
        content: Mapping[str, Any] | None = None,
        form: str = "application/json",
        accept: str = "application/json",
    ) -> httpx.Response:
        headers = {"Accept": accept, "Content-Type": form}
        try:
            response = self._http.request(method, path, params=options, json=content, headers=headers)
        except httpx.TransportError as problem:
            raise UnreachableError(f"{method} {path}: {problem!r}") from problem
        if response.is_error:
            raise ApiError(response.status_code, _message(response))
        return response


def wait(condition: Callable[[], _Answer], what: str, seconds: float = 180) -> _Answer:
    """The first true result of a condition. Raises `TimeoutError` if there is none in time, which is enough for a busy machine."""
    deadline = time.monotonic() + seconds
    while not (answer := condition()):
        if time.monotonic() > deadline:
            raise TimeoutError(f"{what}: not there after {seconds} s")
        time.sleep(0.1)
    return answer


def _dry(*, run: bool) -> dict[str, str]:
    return {"dryRun": "All"} if run else {}


def _message(response: httpx.Response) -> str:
    try:
        return str(response.json()["message"])
    except (ValueError, KeyError, TypeError):
        return response.text
