"""A stand-in for the part of Scalr's API that pools and their tokens need.

Requests, answers and refusals are those of go-scalr and terraform-provider-scalr 3.19: JSON:API over TLS, found by Terraform's
service discovery; the value of a token is only in the answer to its creation.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http import HTTPStatus
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tests.helpers.stand_ins import serve

_MEDIA_TYPE = "application/vnd.api+json"
_BASE = "/api/iacp/v3/"
_ACCOUNT = {"account": {"data": {"type": "accounts", "id": "acc-1"}}}
_WRITABLE = {
    "agent-pools": {"name", "vcs-enabled", "is-shared", "environments", "workspaces"},
    "access-tokens": {"description", "name", "expires-in"},
}

Answer = tuple[int, Any]


class ScalrApi:
    """An account of Scalr."""

    def __init__(self, token: str, environments: Mapping[str, str]) -> None:
        """The only token that may change it, and environments: ids by name."""
        self.pools: dict[str, dict[str, Any]] = {}
        """Attributes by id; `environments` are the ids of those that share a pool."""
        self.tokens: dict[str, dict[str, Any]] = {}
        """Attributes by id, with `token`, which no later answer has, and `pool`."""
        self.log: list[str] = []
        """Requested changes, for instance `POST agent-pools`."""
        self.when_changed: Callable[[str], None] = lambda change: None
        """Called before such a change."""
        self.environments = environments
        self._token = token
        self._made = 0

    @contextmanager
    def serving(self, certificate: Path) -> Iterator[str]:
        """Start on this machine; returns host name and port."""
        server = serve(self._answer, certificate=certificate, content_type="application/json")
        try:
            yield f"localhost:{server.server_address[1]}"
        finally:
            server.shutdown()
            server.server_close()

    def asked(self, method: str, path: str, token: str, given: Mapping[str, Any]) -> Answer:
        """Status and document for a path below `/api/iacp/v3/`, attributes, and ids of what is related."""
        if token != self._token:
            return _refused(HTTPStatus.UNAUTHORIZED, "unauthorized")
        url = urlsplit(path)
        if method != "GET":
            self.log.append(f"{method} {url.path}")
            self.when_changed(self.log[-1])
        for pattern, methods in _ROUTES.items():
            found = re.fullmatch(pattern, url.path)
            if found and method in methods:
                return methods[method](self, *found.groups(), {**parse_qs(url.query), **given})
        return _refused(HTTPStatus.NOT_FOUND, f"no {method} {url.path}")

    def _answer(self, method: str, path: str, headers: Mapping[str, str], body: str) -> tuple[int, str]:
        if (method, path) == ("GET", "/.well-known/terraform.json"):
            return HTTPStatus.OK, json.dumps({"iacp.v3": _BASE})
        named = {name.lower(): value for name, value in headers.items()}
        if named.get("accept") != _MEDIA_TYPE or (body and named.get("content-type") != _MEDIA_TYPE):
            return HTTPStatus.NOT_ACCEPTABLE, ""
        token = named.get("authorization", "").removeprefix("Bearer ")
        status, document = self.asked(method, path.removeprefix(_BASE), token, _given(json.loads(body)) if body else {})
        return status, "" if document is None else json.dumps(document)

    def _list_environments(self, given: Mapping[str, Any]) -> Answer:
        [name] = given["filter[name]"]
        federated = {"is-federated-to-account": True, "status": "Active"}
        found = [_item("environments", self.environments[name], {"name": name, **federated})] if name in self.environments else []
        return HTTPStatus.OK, _page(found)

    def _create_pool(self, given: Mapping[str, Any]) -> Answer:
        if any(pool["name"] == given["name"] for pool in self.pools.values()):
            return _refused(HTTPStatus.UNPROCESSABLE_ENTITY, f"There is a pool {given['name']} already")
        identity = self._identity("apool")
        self.pools[identity] = {"vcs-enabled": False, "is-shared": False, "environments": [], **given}
        return self._changed_pool(identity, HTTPStatus.CREATED)

    def _update_pool(self, identity: str, given: Mapping[str, Any]) -> Answer:
        self.pools[identity] |= given
        return self._changed_pool(identity, HTTPStatus.OK)

    def _changed_pool(self, identity: str, status: int) -> Answer:
        unknown = set(self.pools[identity]["environments"]) - set(self.environments.values())
        if unknown:
            return _refused(HTTPStatus.NOT_FOUND, f"no environment {unknown}")
        return status, {"data": self._pool(identity)}

    def _read_pool(self, identity: str, given: Mapping[str, Any]) -> Answer:
        if identity not in self.pools:
            return _refused(HTTPStatus.NOT_FOUND, f"no pool {identity}")
        return HTTPStatus.OK, {"data": self._pool(identity)}

    def _delete_pool(self, identity: str, given: Mapping[str, Any]) -> Answer:
        if any(token["pool"] == identity for token in self.tokens.values()):
            return _refused(HTTPStatus.CONFLICT, "The pool has tokens")  # stricter than is known of Scalr
        del self.pools[identity]
        return HTTPStatus.NO_CONTENT, None

    def _pool(self, identity: str) -> dict[str, Any]:
        attributes = {name: value for name, value in self.pools[identity].items() if name not in {"environments", "workspaces"}}
        linked = [{"type": "environments", "id": environment} for environment in self.pools[identity]["environments"]]
        return _item("agent-pools", identity, attributes, {"environments": {"data": linked}})

    def _list_tokens(self, pool: str, given: Mapping[str, Any]) -> Answer:
        if pool not in self.pools:
            return _refused(HTTPStatus.NOT_FOUND, f"no pool {pool}")
        return HTTPStatus.OK, _page([self._access_token(identity) for identity, token in self.tokens.items() if token["pool"] == pool])

    def _create_token(self, pool: str, given: Mapping[str, Any]) -> Answer:
        identity = self._identity("at")
        self.tokens[identity] = {"description": "", **given, "pool": pool, "token": f"hidden-value-of-{identity}"}
        return HTTPStatus.CREATED, {"data": self._access_token(identity, token=self.tokens[identity]["token"])}

    def _delete_token(self, identity: str, given: Mapping[str, Any]) -> Answer:
        del self.tokens[identity]
        return HTTPStatus.NO_CONTENT, None

    def _access_token(self, identity: str, **shown: str) -> dict[str, Any]:
        return _item("access-tokens", identity, {"description": self.tokens[identity]["description"], **shown})

    def _identity(self, prefix: str) -> str:
        self._made += 1
        return f"{prefix}-{self._made}"


_ROUTES: dict[str, dict[str, Callable[..., Answer]]] = {
    "environments": {"GET": ScalrApi._list_environments},
    "agent-pools": {"POST": ScalrApi._create_pool},
    "agent-pools/([^/]+)": {"GET": ScalrApi._read_pool, "PATCH": ScalrApi._update_pool, "DELETE": ScalrApi._delete_pool},
    "agent-pools/([^/]+)/access-tokens": {"GET": ScalrApi._list_tokens, "POST": ScalrApi._create_token},
    "access-tokens/([^/]+)": {"DELETE": ScalrApi._delete_token},
}


def _given(document: dict[str, Any]) -> dict[str, Any]:
    """Attributes of a document, and the ids of related objects. Unknown ones are errors."""
    data = document["data"]
    related = {name: [each["id"] for each in relation["data"] or []] for name, relation in data.get("relationships", {}).items()}
    given = {**data.get("attributes", {}), **related}
    unknown = given.keys() - _WRITABLE[data["type"]]
    assert not unknown, unknown
    return given


def _item(kind: str, identity: str, attributes: Mapping[str, Any], related: Mapping[str, Any] | None = None) -> dict[str, Any]:
    return {"type": kind, "id": identity, "attributes": dict(attributes), "relationships": _ACCOUNT | dict(related or {})}


def _page(items: list[dict[str, Any]]) -> dict[str, Any]:
    pagination = {"current-page": 1, "prev-page": None, "next-page": None, "total-pages": 1, "total-count": len(items)}
    return {"data": items, "meta": {"pagination": pagination}}


def _refused(status: int, title: str) -> Answer:
    return status, {"errors": [{"status": str(int(status)), "title": title}]}
