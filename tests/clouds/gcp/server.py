"""Google Cloud on loopback, in the tests' own process: projects, what a stack needs to find in them, and a record of every call.

What is there has the name of Google's APIs, `projects/acme-prod/global/networks/agents`. Operations are done at the first poll.
"""

import json
import threading
import zlib
from collections.abc import Callable, Mapping
from copy import deepcopy
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import parse_qs, unquote, urlsplit
from uuid import uuid4

from tests.clouds.gcp.discovery import Document, Json, Method, RefusedError
from tests.clouds.serving import Served
from tests.helpers.stand_ins import serve

PROJECT, HOST_PROJECT, REGION = "acme-prod", "acme-network", "europe-west1"
NUMBER = "123456789012"
"""The project's number, by which some services answer."""
_TOKEN = "token-of-tests"
_POLLS = 1
SELF = "https://www.googleapis.com/compute/v1/"


class Call(NamedTuple):
    """A call that was answered."""

    method: str
    status: int
    path: str
    query: Mapping[str, str]
    body: Any
    answer: Any

    @property
    def writes(self) -> bool:
        return self.method.rpartition(".")[2] not in {"get", "list", "getFromFamily", "getIamPolicy", "access", "wait"}


class Request(NamedTuple):
    """The request of a method."""

    names: tuple[str, ...]
    """The variables of its path."""
    query: Mapping[str, str]
    body: Json
    """The body without fields that are null."""
    raw: Json

    @property
    def project(self) -> str:
        return PROJECT if self.names[0] == NUMBER else self.names[0]


Answer = Callable[["GoogleCloud", Request], Json]


class GoogleCloud(Served):
    """Projects and what is in them."""

    def __init__(self, documents: Path) -> None:
        from tests.clouds.gcp import compute, container, filestore, identity  # they use this module

        self.objects: dict[str, Json] = {}
        """All that exists, by name."""
        self.contents: dict[str, list[str]] = {}
        """The versions of secrets in order, by name of the secret."""
        self.policies: dict[str, Json] = {}
        """IAM policies by name of their resource."""
        self.calls: list[Call] = []
        self.lock = threading.RLock()
        self._operations: dict[str, Json] = {}
        self._faults: list[tuple[str, RefusedError]] = []
        loaded = [Document(file.stem, file) for file in sorted(documents.glob("*.json"))]
        self._methods = [method for document in loaded for method in document.methods()]
        self._answers: dict[str, Answer] = {**compute.METHODS, **container.METHODS, **filestore.METHODS, **identity.METHODS}
        super().__init__(serve(self._reply, content_type="application/json"))
        self.reset()

    @property
    def variables(self) -> dict[str, str]:
        """Environment variables that direct the provider to this server."""
        endpoints = {
            "CLOUD_RESOURCE_MANAGER": "cloudresourcemanager/v1/",
            "COMPUTE": "compute/",
            "CONTAINER": "container/v1/",
            "FILESTORE": "file/v1/",
            "IAM": "iam/v1/",
            "IAM_BETA": "iam/v1/",
            "RESOURCE_MANAGER": "cloudresourcemanager/v1/",
            "SECRET_MANAGER": "secretmanager/v1/",
        }
        return {
            "GOOGLE_OAUTH_ACCESS_TOKEN": _TOKEN,
            **{f"GOOGLE_{name}_CUSTOM_ENDPOINT": f"{self.url}/{path}" for name, path in endpoints.items()},
            "NO_PROXY": "127.0.0.1",
        }

    def reset(self) -> None:
        """Remove everything except networks and the accounts of users."""
        with self.lock:
            for content in (self.objects, self.contents, self.policies, self.calls, self._operations, self._faults):
                content.clear()
            for project, network in ((PROJECT, "agents"), (PROJECT, "default"), (HOST_PROJECT, "shared")):
                self._network(project, network)
            self.account("runs")

    def account(self, name: str) -> str:
        """Create a service account of a user; returns its email."""
        email = f"{name}@{PROJECT}.iam.gserviceaccount.com"
        self.objects[f"projects/{PROJECT}/serviceAccounts/{email}"] = {"email": email, "uniqueId": "1"}
        return email

    def of_kind(self, collection: str) -> dict[str, Json]:
        """All objects of a collection, `instanceTemplates` for instance, by their last names."""
        with self.lock:
            return {name.rpartition("/")[2]: content for name, content in self.objects.items() if name.split("/")[-2] == collection}

    def fail_once(self, method: str, problem: RefusedError) -> None:
        """Refuse the next call of a method."""
        self._faults.append((method, problem))

    def refused(self) -> list[Call]:
        """The calls that were refused, except lookups of missing resources."""
        return [call for call in self.calls if call.status >= 400 and not (call.status == 404 and not call.writes)]

    # For the methods

    def find(self, name: str) -> Json:
        """The object with a name."""
        if name not in self.objects:
            raise RefusedError(404, "NOT_FOUND", f"The resource '{name}' was not found")
        return self.objects[name]

    def demand_new(self, name: str) -> None:
        if name in self.objects:
            raise RefusedError(409, "ALREADY_EXISTS", f"The resource '{name}' already exists")

    def operation(self, name: str, running: Json, done: Json) -> Json:
        """Start an operation with these contents while it runs and when it is done."""
        self._operations[name] = {"polls": 0, "running": running, "done": done}
        return running

    def poll(self, name: str) -> Json:
        """The state of an operation."""
        found = self._operations.get(name)
        if found is None:
            raise RefusedError(404, "NOT_FOUND", f"operation {name} not found")
        found["polls"] += 1
        content: Json = found["done" if found["polls"] >= _POLLS else "running"]
        return content

    def _network(self, project: str, name: str) -> None:
        network = f"projects/{project}/global/networks/{name}"
        self.objects[network] = {"name": name, "id": "1", "selfLink": SELF + network, "autoCreateSubnetworks": False}
        for number, region in enumerate((REGION, "us-central1")):
            subnetwork = f"projects/{project}/regions/{region}/subnetworks/{name}"
            self.objects[subnetwork] = {
                "name": name,
                "id": "2",
                "network": SELF + network,
                "region": f"{SELF}projects/{project}/regions/{region}",
                "selfLink": SELF + subnetwork,
                "ipCidrRange": f"10.{20 + number}.0.0/20",
                "gatewayAddress": f"10.{20 + number}.0.1",
                "privateIpGoogleAccess": True,
                "fingerprint": "c3Vi",
                "purpose": "PRIVATE",
            }

    def _reply(self, verb: str, target: str, headers: Mapping[str, str], text: str) -> tuple[int, str]:
        if headers.get("Authorization") == f"Bearer {_TOKEN}":
            code, content = self.answer(verb, target, text)
        else:
            code, content = 401, {"error": {"code": 401, "status": "UNAUTHENTICATED", "message": "no token"}}
        return code, json.dumps(content)

    def answer(self, verb: str, target: str, text: str) -> tuple[int, Json]:
        """The response to a request."""
        url = urlsplit(target)
        path, query = unquote(url.path), {name: values[-1] for name, values in parse_qs(url.query, keep_blank_values=True).items()}
        raw = json.loads(text) if text.strip() else {}
        method, code, content = None, 200, {}
        try:
            method, names = self._method(verb, path)
            with self.lock:
                content = deepcopy(self._carry_out(method, Request(names, query, _without_null(raw), raw)))
        except RefusedError as problem:
            code, reason = problem.code, problem.status.lower()
            errors = [{"message": problem.message, "reason": reason, "domain": "global"}]
            content = {"error": {"code": code, "status": problem.status, "message": problem.message, "errors": errors}}
        self.calls.append(Call(method.id if method else "", code, path, query, raw, content))
        if method:
            self._hold(method.id)
        return code, content

    def _method(self, verb: str, path: str) -> tuple[Method, tuple[str, ...]]:
        for method in self._methods:
            if method.verb == verb and (found := method.path.fullmatch(path)):
                return method, found.groups()
        raise RefusedError(404, "NOT_FOUND", f"no method of the discovery documents has {verb} {path}")

    def _carry_out(self, method: Method, request: Request) -> Json:
        if problems := list(method.check(request.query, request.raw)):
            raise RefusedError(400, "INVALID_ARGUMENT", "; ".join(problems))
        for fault in self._faults:
            if fault[0] == method.id:
                self._faults.remove(fault)
                raise fault[1]
        answer = self._answers.get(method.id)
        if answer is None:
            raise RefusedError(501, "UNIMPLEMENTED", f"this cloud has no {method.id}")
        return answer(self, request)


def location_operation(cloud: GoogleCloud, request: Request) -> Json:
    """The state of an operation of a location."""
    return cloud.poll(f"projects/{request.project}/locations/{request.names[1]}/operations/{request.names[2]}")


def now() -> str:
    """The time, as Google writes it."""
    return datetime.now(UTC).isoformat().replace("+00:00", "Z")


def number(text: str) -> str:
    """A number for a name."""
    return str(zlib.crc32(text.encode()) + 10**15)


def fresh() -> str:
    """A unique value: a fingerprint, or a part of a name."""
    return uuid4().hex[:12]


def _without_null(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_null(item) for key, item in value.items() if item is not None}
    return [_without_null(item) for item in value] if isinstance(value, list) else value
