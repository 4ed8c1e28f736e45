"""Stand-ins of providers, which respond as real ones do, keep their resources, and record each call.

They run in the tests' own process; the engine attaches to them by their ports instead of starting plugins.
"""

import re
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from importlib import import_module
from typing import Any, NamedTuple, NoReturn

from google.protobuf import empty_pb2, json_format, struct_pb2
from google.protobuf.message import Message
from pulumi.runtime.proto import plugin_pb2, provider_pb2, provider_pb2_grpc

from tests.helpers import mocked_clouds

grpc = import_module("grpc")  # it has no annotations

_SIGNATURE = "4dabf18193072939515e22adb298388d"
_SECRET = "1b47061264138c4ac30d75fd1eb44270"
UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"
"""Stands for a value that is not known yet."""
_LATENCY_SECONDS = 0.05
"""The duration of a call, so that a missing dependency is visible in the order."""


class Call(NamedTuple):
    """A call of the engine to a provider about a resource, with its time."""

    operation: str
    """`create`, `update` or `delete`; `configure` of a provider; `invoke` of a function."""
    name: str
    """The last part of the URN; the token of a function."""
    type: str
    inputs: Mapping[str, Any]
    timeout: float
    """Seconds; 0 is the provider's own default."""
    began: float
    ended: float


class Provider:
    """A provider that accepts any resource. Methods are called after the RPCs that they answer."""

    package = ""
    version = "0.0.0"

    def __init__(self) -> None:
        self.calls: list[Call] = []
        self.when_made: Callable[[str], None] = lambda name: None
        """Called with the name of a new resource, before the engine gets the response."""
        self._lock = threading.Lock()

    def get_plugin_info(self, request: Any, context: Any) -> Message:
        return plugin_pb2.PluginInfo(version=self.version)

    def handshake(self, request: Any, context: Any) -> Message:
        return provider_pb2.ProviderHandshakeResponse(accept_secrets=True)

    def attach(self, request: Any, context: Any) -> Message:
        return empty_pb2.Empty()

    def cancel(self, request: Any, context: Any) -> Message:
        return empty_pb2.Empty()

    def check_config(self, request: Any, context: Any) -> Message:
        return provider_pb2.CheckResponse(inputs=request.news)

    def diff_config(self, request: Any, context: Any) -> Message:
        return difference(changes(plain(request.old_inputs), plain(request.news)))

    def configure(self, request: Any, context: Any) -> Message:
        with self._recorded("configure", request, plain(request.args)):
            return provider_pb2.ConfigureResponse(acceptSecrets=True, supportsPreview=True)

    def check(self, request: Any, context: Any) -> Message:
        return provider_pb2.CheckResponse(inputs=request.news)

    def diff(self, request: Any, context: Any) -> Message:
        return difference(changes(plain(request.old_inputs), plain(request.news)))

    def create(self, request: Any, context: Any) -> Message:
        if request.preview:
            return provider_pb2.CreateResponse(properties=request.properties)
        inputs = plain(request.properties)
        with self._recorded("create", request, inputs):
            identity, outputs = self.made(request, inputs, context)
            self.when_made(request.name)
            return provider_pb2.CreateResponse(id=identity, properties=struct(outputs))

    def update(self, request: Any, context: Any) -> Message:
        if request.preview:
            return provider_pb2.UpdateResponse(properties=request.news)
        inputs = plain(request.news)
        with self._recorded("update", request, inputs):
            return provider_pb2.UpdateResponse(properties=struct(self.changed(request, inputs, context)))

    def delete(self, request: Any, context: Any) -> Message:
        with self._recorded("delete", request, plain(request.old_inputs)):
            self.removed(request, context)
            return empty_pb2.Empty()

    def read(self, request: Any, context: Any) -> Message:
        return provider_pb2.ReadResponse(id=request.id, properties=request.properties, inputs=request.inputs)

    def invoke(self, request: Any, context: Any) -> Message:
        found, failures = mocked_clouds.looked_up(request.tok, plain(request.args))
        now = time.monotonic()
        self._add(Call("invoke", request.tok, request.tok, plain(request.args), 0, now, now))
        failed = [provider_pb2.CheckFailure(property=name, reason=reason) for name, reason in failures]
        return provider_pb2.InvokeResponse(**{"return": struct(found)}, failures=failed)

    def made(self, request: Any, inputs: dict[str, Any], context: Any) -> tuple[str, dict[str, Any]]:
        """Id and outputs of a new resource."""
        return mocked_clouds.created(request.type, request.name, inputs)

    def changed(self, request: Any, inputs: dict[str, Any], context: Any) -> dict[str, Any]:
        """Outputs of a resource that has changed."""
        return plain(request.olds) | inputs

    def removed(self, request: Any, context: Any) -> None:
        """Called when a resource is deleted."""

    @contextmanager
    def _recorded(self, operation: str, request: Any, inputs: dict[str, Any]) -> Iterator[None]:
        began = time.monotonic()
        time.sleep(_LATENCY_SECONDS)
        try:
            yield
        finally:
            self._add(Call(operation, request.name, request.type, inputs, getattr(request, "timeout", 0), began, time.monotonic()))

    def _add(self, call: Call) -> None:
        with self._lock:
            self.calls.append(call)


@contextmanager
def serving(*providers: Provider) -> Iterator[str]:
    """Serve providers; the content of `PULUMI_DEBUG_PROVIDERS` for them."""
    with listening(provider_pb2_grpc, "ResourceProvider", {provider.package: provider for provider in providers}) as ports:
        yield ports


@contextmanager
def listening(stubs: Any, service: str, plugins: Mapping[str, Any]) -> Iterator[str]:
    """Serve plugins, whose methods are called after the RPCs of a service; their names and ports in the engine's format."""
    servers = []
    ports = []
    for name, plugin in plugins.items():
        servers.append(server := grpc.server(ThreadPoolExecutor(8)))
        getattr(stubs, f"add_{service}Servicer_to_server")(_servicer(getattr(stubs, f"{service}Servicer"), plugin), server)
        ports.append(f"{name}:{server.add_insecure_port('127.0.0.1:0')}")
        server.start()
    try:
        yield ",".join(ports)
    finally:
        for server in servers:
            server.stop(grace=None).wait()


def _servicer(base: Any, plugin: Any) -> Any:
    rpcs = [name for name in vars(base) if not name.startswith("_")]
    methods = {rpc: getattr(plugin, re.sub("(?<!^)(?=[A-Z])", "_", rpc).lower(), None) for rpc in rpcs}
    return type("Servicer", (base,), {rpc: staticmethod(method) for rpc, method in methods.items() if method})()


def refuse(context: Any, message: str) -> NoReturn:
    """End a call with an error."""
    context.abort(grpc.StatusCode.UNKNOWN, message)
    raise AssertionError(message)  # abort does not return


def plain(message: Any) -> dict[str, Any]:
    """The content of a message, with secrets opened."""
    opened: dict[str, Any] = _plain(json_format.MessageToDict(message))
    return opened


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return _plain(value["value"]) if _SIGNATURE in value else {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def secret(value: Any) -> dict[str, Any]:
    """A value that is marked as secret."""
    return {_SIGNATURE: _SECRET, "value": value}


def struct(value: Mapping[str, Any]) -> struct_pb2.Struct:
    """A map as a message."""
    message = struct_pb2.Struct()
    message.update(value)
    return message


def changes(old: Any, new: Any, path: str = "") -> list[str]:
    """Paths of all that differs, in the engine's notation. Providers treat all parts of an unknown value as removed."""
    new = {} if new == UNKNOWN and isinstance(old, Mapping) else new
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        return [found for key in sorted({*old, *new}) for found in changes(old.get(key), new.get(key), _joined(path, key))]
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        return [found for index, pair in enumerate(zip(old, new, strict=True)) for found in changes(*pair, f"{path}[{index}]")]
    return [path] if old != new else []


def among(paths: Iterable[str], fields: Iterable[str]) -> list[str]:
    """Those of paths that lead to one of these fields, or into it."""
    return [path for path in paths if any(path == field or path.startswith((f"{field}.", f"{field}[")) for field in fields)]


def _joined(path: str, key: str) -> str:
    if not re.fullmatch(r"\w+", key):
        return f'{path}["{key}"]'
    return f"{path}.{key}" if path else key


def difference(paths: list[str], replaces: list[str] | None = None, *, delete_first: bool = False) -> Message:
    """The response to `Diff`: changed paths, and those that cannot be changed in place."""
    replaced = replaces or []
    kinds = {True: provider_pb2.PropertyDiff.UPDATE_REPLACE, False: provider_pb2.PropertyDiff.UPDATE}
    return provider_pb2.DiffResponse(
        changes=provider_pb2.DiffResponse.DIFF_SOME if paths else provider_pb2.DiffResponse.DIFF_NONE,
        replaces=replaced,
        deleteBeforeReplace=delete_first and bool(replaced),
        detailedDiff={path: provider_pb2.PropertyDiff(kind=kinds[path in replaced], inputDiff=True) for path in paths},
        hasDetailedDiff=True,
    )
