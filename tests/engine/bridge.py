"""A stand-in for Pulumi's bridge with Terraform's provider of Scalr behind it, and where the real ones are if they are installed.

Its answers were compared with those of the real bridge: ids, secret outputs, what is unknown in a preview, what replaces a token.
"""

import json
import os
import platform
import shutil
from collections.abc import Mapping
from http import HTTPStatus
from pathlib import Path
from typing import Any

import pytest
import yaml
from google.protobuf.message import Message
from pulumi.runtime.proto import provider_pb2

from tests.engine.provider import UNKNOWN, Provider, changes, difference, plain, refuse, secret, struct
from tests.engine.scalr_api import ScalrApi

SCHEMA: Mapping[str, Any] = yaml.safe_load(Path(__file__).with_name("scalr-provider.yaml").read_text(encoding="utf-8"))
VERSION: str = SCHEMA["version"]
_SOURCE = "registry.opentofu.org/scalr/scalr"
_POOL, _TOKEN = SCHEMA["resources"]


class Bridge(Provider):
    """The bridge, as the package `scalr`."""

    package = "terraform-provider"
    version = SCHEMA["parameterization"]["baseProvider"]["version"]

    def __init__(self, api: ScalrApi) -> None:
        super().__init__()
        self._api = api

    def parameterize(self, request: Any, context: Any) -> Message:
        """The first request of generated SDKs: the Terraform provider to use."""
        assert json.loads(request.value.value) == {"remote": {"url": _SOURCE, "version": VERSION}}
        return provider_pb2.ParameterizeResponse(name=SCHEMA["name"], version=VERSION)

    def configure(self, request: Any, context: Any) -> Message:
        self._settings = plain(request.args)
        return super().configure(request, context)

    def create(self, request: Any, context: Any) -> Message:
        if request.preview and request.type == _TOKEN:
            unknown = {"token": secret(UNKNOWN)}
            return provider_pb2.CreateResponse(properties=struct(plain(request.properties) | unknown))
        return super().create(request, context)

    def diff(self, request: Any, context: Any) -> Message:
        paths = changes(plain(request.old_inputs), plain(request.news))
        return difference(paths, [path for path in paths if path == "agentPoolId"])

    def made(self, request: Any, inputs: dict[str, Any], context: Any) -> tuple[str, dict[str, Any]]:
        if request.type == _POOL:
            made = self._ask("POST", "agent-pools", {"name": inputs["name"], "environments": inputs["environments"]}, context)
            return made["id"], inputs
        path = f"agent-pools/{inputs['agentPoolId']}/access-tokens"
        made = self._ask("POST", path, {"description": inputs["description"]}, context)
        return made["id"], inputs | {"token": secret(made["attributes"]["token"])}

    def changed(self, request: Any, inputs: dict[str, Any], context: Any) -> dict[str, Any]:
        assert request.type == _POOL
        self._ask("PATCH", self._path(request), {"name": inputs["name"], "environments": inputs["environments"]}, context)
        return inputs

    def removed(self, request: Any, context: Any) -> None:
        self._ask("DELETE", self._path(request), {}, context)

    def invoke(self, request: Any, context: Any) -> Message:
        name = plain(request.args)["name"]
        found = self._ask("GET", f"environments?filter[name]={name}", {}, context)
        if not found:
            refuse(context, f"Environment with name '{name}' not found or user unauthorized")
        [found] = found
        answer: dict[str, Any] = {"return": struct({"id": found["id"], "name": name})}
        return provider_pb2.InvokeResponse(**answer)

    def _path(self, request: Any) -> str:
        return f"{'agent-pools' if request.type == _POOL else 'access-tokens'}/{request.id}"

    def _ask(self, method: str, path: str, given: Mapping[str, Any], context: Any) -> Any:
        status, document = self._api.asked(method, path, self._settings["token"], given)
        if status >= HTTPStatus.BAD_REQUEST:
            refuse(context, document["errors"][0]["title"])
        return document and document["data"]


def installed(directory: Path) -> dict[str, str]:
    """The real bridge and the real provider on PATH, for the engine: variables of its environment. Without them a test is skipped."""
    provider = shutil.which("terraform-provider-scalr")
    if provider is None or shutil.which("pulumi-resource-terraform-provider") is None:
        pytest.skip("pulumi-resource-terraform-provider and terraform-provider-scalr are not both on PATH")
    machine = {"x86_64": "amd64", "aarch64": "arm64"}[platform.machine()]
    place = directory / _SOURCE / VERSION / f"{platform.system().lower()}_{machine}"
    place.mkdir(parents=True)
    (place / f"terraform-provider-scalr_v{VERSION}").symlink_to(provider)
    return {"PATH": os.environ["PATH"], "PULUMI_DYNAMIC_TF_PLUGIN_CACHE_DIR": str(directory)}
