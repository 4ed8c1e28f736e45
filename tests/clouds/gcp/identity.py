"""Service accounts, who may do what, and secrets."""

import base64
import re
from copy import deepcopy
from http import HTTPStatus
from typing import Any

from tests.clouds.gcp.discovery import Json, RefusedError, invalid
from tests.clouds.gcp.server import NUMBER, GoogleCloud, Request, fresh, now, number

_ACCOUNT = re.compile(r"[a-z][-a-z0-9]{4,28}[a-z0-9]")
_SECRET = re.compile(r"[A-Za-z0-9_-]{1,255}")
_MEMBER = re.compile(r"(user|serviceAccount|group|domain|principal|principalSet):.+|allUsers|allAuthenticatedUsers")
_LONGEST_CONTENT = 65536


def _account(request: Request) -> str:
    return f"projects/{request.project}/serviceAccounts/{request.names[1]}"


def _create_account(cloud: GoogleCloud, request: Request) -> Json:
    identity = request.body.get("accountId", "")
    email = f"{identity}@{request.project}.iam.gserviceaccount.com"
    name = f"projects/{request.project}/serviceAccounts/{email}"
    if not _ACCOUNT.fullmatch(identity):
        raise invalid(f"accountId {identity!r}")
    cloud.demand_new(name)
    given = request.body.get("serviceAccount", {})
    cloud.objects[name] = {"name": name, "projectId": request.project, "uniqueId": number(email), "email": email, "etag": fresh(), **given}
    return cloud.objects[name]


def _patch_account(cloud: GoogleCloud, request: Request) -> Json:
    account, given = cloud.find(_account(request)), request.body.get("serviceAccount", {})
    for word in request.body.get("updateMask", "").split(","):
        field = re.sub(r"_(\w)", lambda found: found[1].upper(), word)
        account[field] = given.get(field, "")
    return account


def _delete(cloud: GoogleCloud, name: str) -> Json:
    cloud.find(name)
    for each in [each for each in cloud.objects if each == name or each.startswith(f"{name}/")]:
        del cloud.objects[each]
    cloud.policies.pop(name, None)
    return {}


def _policy(cloud: GoogleCloud, name: str) -> Json:
    return cloud.policies.get(name, {"version": 1, "etag": "ACAB"})


def _set_policy(cloud: GoogleCloud, name: str, request: Request) -> Json:
    policy = request.body["policy"]
    for binding in policy.get("bindings", []):
        for member in binding.get("members", []):
            kind, _, email = member.partition(":")
            if not _MEMBER.fullmatch(member):
                raise invalid(f"invalid member {member!r}")
            known = any(each.endswith(f"/serviceAccounts/{email}") for each in cloud.objects)
            if kind == "serviceAccount" and email.endswith(".iam.gserviceaccount.com") and not known:
                raise invalid(f"Service account {email} does not exist.")
    cloud.policies[name] = {**policy, "etag": fresh()}
    return cloud.policies[name]


def _secret(request: Request) -> str:
    return f"projects/{request.project}/secrets/{request.names[1]}"


def _create_secret(cloud: GoogleCloud, request: Request) -> Json:
    identity = request.query.get("secretId", "")
    name = f"projects/{request.project}/secrets/{identity}"
    if not _SECRET.fullmatch(identity) or not request.body.get("replication"):
        raise invalid(f"secretId {identity!r} with {request.body}")
    cloud.demand_new(name)
    answered = f"projects/{NUMBER}/secrets/{identity}"
    cloud.objects[name] = {**deepcopy(request.body), "name": answered, "createTime": now(), "etag": fresh()}
    cloud.contents[name] = []
    return cloud.objects[name]


def _patch_secret(cloud: GoogleCloud, request: Request) -> Json:
    secret = cloud.find(_secret(request))
    for word in request.query["updateMask"].split(","):
        secret.pop(word, None)
        if word in request.body:
            secret[word] = request.body[word]
    return secret


def _add_version(cloud: GoogleCloud, request: Request) -> Json:
    cloud.find(_secret(request))
    content = base64.b64decode(request.body.get("payload", {}).get("data", "")).decode()
    if not content or len(content) > _LONGEST_CONTENT:
        raise invalid("payload.data is empty, or longer than 64 KiB")
    versions = cloud.contents[_secret(request)]
    versions.append(content)
    name = f"{_secret(request)}/versions/{len(versions)}"
    answered = f"projects/{NUMBER}/secrets/{request.names[1]}/versions/{len(versions)}"
    cloud.objects[name] = {
        "name": answered,
        "createTime": now(),
        "state": "ENABLED",
        "etag": fresh(),
        "replicationStatus": {"automatic": {}},
    }
    return cloud.objects[name]


def _version(cloud: GoogleCloud, request: Request) -> str:
    requested = request.names[2]
    return f"{_secret(request)}/versions/{len(cloud.contents[_secret(request)]) if requested == 'latest' else requested}"


def _read_version(cloud: GoogleCloud, request: Request) -> Json:
    name = _version(cloud, request)
    version = cloud.find(name)
    if version["state"] != "ENABLED":
        raise RefusedError(HTTPStatus.BAD_REQUEST, "FAILED_PRECONDITION", f"{version['name']} is {version['state']}")
    content = cloud.contents[_secret(request)][int(name.rpartition("/")[2]) - 1]
    return {"name": version["name"], "payload": {"data": base64.b64encode(content.encode()).decode()}}


def _set_state(state: str) -> Any:
    def change(cloud: GoogleCloud, request: Request) -> Json:
        version = cloud.find(_version(cloud, request))
        version["state"] = state
        return version

    return change


def _project(cloud: GoogleCloud, request: Request) -> Json:
    return {"projectId": request.names[0], "projectNumber": NUMBER, "name": request.names[0], "lifecycleState": "ACTIVE"}


_IAM, _SECRETS, _PROJECTS = "iam.projects.serviceAccounts", "secretmanager.projects.secrets", "cloudresourcemanager.projects"
METHODS: dict[str, Any] = {
    f"{_IAM}.create": _create_account,
    f"{_IAM}.get": lambda cloud, request: cloud.find(_account(request)),
    f"{_IAM}.patch": _patch_account,
    f"{_IAM}.delete": lambda cloud, request: _delete(cloud, _account(request)),
    f"{_IAM}.getIamPolicy": lambda cloud, request: _policy(cloud, _account(request)),
    f"{_IAM}.setIamPolicy": lambda cloud, request: _set_policy(cloud, _account(request), request),
    f"{_SECRETS}.create": _create_secret,
    f"{_SECRETS}.get": lambda cloud, request: cloud.find(_secret(request)),
    f"{_SECRETS}.patch": _patch_secret,
    f"{_SECRETS}.delete": lambda cloud, request: _delete(cloud, _secret(request)),
    f"{_SECRETS}.addVersion": _add_version,
    f"{_SECRETS}.versions.get": lambda cloud, request: cloud.find(_version(cloud, request)),
    f"{_SECRETS}.versions.access": _read_version,
    f"{_SECRETS}.versions.destroy": _set_state("DESTROYED"),
    f"{_SECRETS}.versions.disable": _set_state("DISABLED"),
    f"{_SECRETS}.versions.enable": _set_state("ENABLED"),
    f"{_SECRETS}.getIamPolicy": lambda cloud, request: _policy(cloud, _secret(request)),
    f"{_SECRETS}.setIamPolicy": lambda cloud, request: _set_policy(cloud, _secret(request), request),
    f"{_PROJECTS}.get": _project,
    f"{_PROJECTS}.getIamPolicy": lambda cloud, request: _policy(cloud, f"projects/{request.project}"),
    f"{_PROJECTS}.setIamPolicy": lambda cloud, request: _set_policy(cloud, f"projects/{request.project}", request),
}
