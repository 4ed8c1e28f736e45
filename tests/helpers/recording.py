"""Runs a Pulumi program against mocks and records every request that it makes of the engine."""

import asyncio
import contextvars
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

from google.protobuf import json_format
from pulumi import Output, RunError
from pulumi.runtime import config, mocks, settings
from pulumi.runtime.proto import engine_pb2, resource_pb2, source_pb2
from pulumi.runtime.stack import Stack, run_pulumi_func

from tests.helpers import mocked_clouds

PROJECT, STACK = "scalr-agents", "test"
_SIGNATURE = "4dabf18193072939515e22adb298388d"
_SECRET = "1b47061264138c4ac30d75fd1eb44270"


API_SERVER: dict[tuple[str, str], dict[str, Any]] = {
    ("kubernetes:core/v1:Service", "default/kubernetes"): {
        "spec": {"clusterIP": "10.96.0.1", "clusterIPs": ["10.96.0.1"], "ports": [{"name": "https", "port": 443, "targetPort": 6443}]}
    },
    ("kubernetes:discovery.k8s.io/v1:EndpointSlice", "default/kubernetes"): {
        "endpoints": [{"addresses": ["192.0.2.10"]}, {"addresses": ["192.0.2.11"]}],
        "ports": [{"name": "https", "port": 6443}],
    },
}
"""The Service and EndpointSlice of the API server, with the fields that are read, as in the control plane of tests/cluster."""


@dataclass(frozen=True)
class Secret:
    """A value that the program marked as secret, in an input."""

    value: Any


@dataclass(frozen=True)
class Registration:
    """One resource as it was sent to the engine."""

    type: str
    name: str
    parent: str
    inputs: Mapping[str, Any]
    dependencies: frozenset[str]
    provider: str
    custom: bool
    protect: bool
    retain: bool
    secret_outputs: tuple[str, ...]
    timeouts: Mapping[str, str]
    version: str
    error_hooks: tuple[str, ...]
    ignored_changes: tuple[str, ...]
    deleted_with: str
    """The resource whose deletion also deletes this one (`deleted_with`)."""
    replaced_by_change_of: Any
    """The replacement trigger: any change of it replaces the resource."""
    replaced_with: frozenset[str]
    replaced_on: tuple[str, ...]
    goes_first: bool | None
    """Whether the old one is deleted before a replacement is made; None leaves it to the provider."""
    gets_from: Mapping[str, set[str]]
    """Where inputs come from: what the engine deletes first takes those with it whose inputs come from it and cannot change."""


@dataclass(frozen=True)
class Reading:
    """An object that was read, not created."""

    type: str
    name: str
    parent: str
    id: str
    provider: str
    version: str


class Recording:
    """The recording of a program: resources in order, outputs of components, exports of the stack, log messages."""

    def __init__(self) -> None:
        self.resources: list[Registration] = []
        self.readings: list[Reading] = []
        self.outputs: dict[str, Mapping[str, Any]] = {}
        self.exports: dict[str, Any] = {}
        self.log: list[tuple[str, str]] = []
        self.error: BaseException | None = None

    def __getitem__(self, name: str) -> Registration:
        found = [resource for resource in self.resources if resource.name == name]
        assert len(found) == 1, f"{len(found)} resources are called {name!r}: {[r.name for r in self.resources]}"
        return found[0]

    @property
    def names(self) -> list[str]:
        return [resource.name for resource in self.resources]

    def of_type(self, token: str) -> list[Registration]:
        return [resource for resource in self.resources if resource.type == token]

    @property
    def readable(self) -> str:
        """What anybody may read who sees the stack: inputs that are not secret, outputs, exports and the log."""
        plain = [leaf for resource in self.resources for _, leaf in leaves(resource.inputs) if not isinstance(leaf, Secret)]
        return f"{plain}{self.outputs}{self.exports}{self.log}"

    def depends(self, name: str) -> set[str]:
        """Names of everything that a resource waits for, directly or not."""
        pending, seen = list(self[name].dependencies), set[str]()
        while pending:
            current = pending.pop()
            if current not in seen:
                seen.add(current)
                pending.extend(self[current].dependencies)
        return seen


class _Mocks(mocks.Mocks):
    """New resources return their inputs and the outputs of the clouds; reads return the objects of a cluster."""

    def new_resource(self, args: mocks.MockResourceArgs) -> tuple[str | None, dict[str, Any]]:
        if args.resource_id:
            return args.resource_id, API_SERVER[args.typ, args.resource_id]
        return mocked_clouds.created(args.typ, args.name, args.inputs)

    def call(self, args: mocks.MockCallArgs) -> tuple[dict[str, Any], list[tuple[str, str]]]:
        return mocked_clouds.looked_up(args.token, args.args)


class _Monitor(mocks.MockMonitor):
    def __init__(self, recording: Recording) -> None:
        super().__init__(_Mocks())
        self.recording = recording

    def RegisterResource(self, request: resource_pb2.RegisterResourceRequest) -> Any:
        if request.type != "pulumi:pulumi:Stack":
            self.recording.resources.append(_registration(request))
        return super().RegisterResource(request)

    def ReadResource(self, request: resource_pb2.ReadResourceRequest) -> Any:
        provider = _name(request.provider.rpartition("::")[0])
        self.recording.readings.append(Reading(request.type, request.name, _name(request.parent), request.id, provider, request.version))
        return super().ReadResource(request)

    def RegisterResourceOutputs(self, request: resource_pb2.RegisterResourceOutputsRequest) -> Any:
        self.recording.outputs[_name(request.urn)] = _plain(json_format.MessageToDict(request.outputs))
        return super().RegisterResourceOutputs(request)


class _Engine(mocks.MockEngine):
    def __init__(self, recording: Recording) -> None:
        super().__init__(None)
        self.recording = recording

    def Log(self, request: engine_pb2.LogRequest) -> None:
        if request.severity != engine_pb2.DEBUG:
            self.recording.log.append((engine_pb2.LogSeverity.Name(request.severity).lower(), request.message))


def run(
    program: Callable[[], None], *, configuration: Mapping[str, str] | None = None, secret_keys: tuple[str, ...] = (), preview: bool = False
) -> Recording:
    """Run a program on its own event loop. The recording contains its exception and everything that it did before."""
    recording = Recording()
    alone = contextvars.Context()  # the SDK keeps the stack and its outputs in one
    alone.run(_run, program, recording, dict(configuration or {}), secret_keys, preview=preview)
    return recording


def _run(
    program: Callable[[], None], recording: Recording, configuration: dict[str, str], secret_keys: tuple[str, ...], *, preview: bool
) -> None:
    # The SDK tells the engine where in the program each resource stands: a fifth of the time, and no test asks for it.
    unplaced = patch("pulumi.runtime.resource._get_stack_trace", source_pb2.StackTrace)
    with unplaced, _event_loops() as new_loop, asyncio.Runner(loop_factory=new_loop) as runner:
        asyncio.set_event_loop(runner.get_loop())
        mocks.set_mocks(_Mocks(), project=PROJECT, stack=STACK, preview=preview, monitor=_Monitor(recording))
        settings.SETTINGS.engine = _Engine(recording)
        config.set_all_config(configuration, list(secret_keys))
        try:
            runner.run(run_pulumi_func(_guarded(program, recording)), context=contextvars.copy_context())
        except RunError:
            # What waited for the output that failed has the same error, which nobody asks for.
            runner.get_loop().set_exception_handler(lambda *_: None)
            raise
        finally:
            settings.SETTINGS.outputs.clear()  # what a failed program leaves behind belongs to its own event loop
            config.set_all_config({}, [])
            asyncio.set_event_loop(None)


@contextmanager
def _event_loops() -> Iterator[Callable[[], asyncio.AbstractEventLoop]]:
    """Close every event loop created in the context: the SDK creates one per thread and leaves it open."""
    original, made = asyncio.new_event_loop, list[asyncio.AbstractEventLoop]()

    def new_loop() -> asyncio.AbstractEventLoop:
        made.append(original())
        return made[-1]

    with patch("asyncio.new_event_loop", new_loop):
        try:
            yield new_loop
        finally:
            for loop in made:
                loop.close()


def _guarded(program: Callable[[], None], recording: Recording) -> Callable[[], None]:
    def call() -> None:
        try:
            program()
        except RunError as error:  # the test decides whether it was meant to be raised
            recording.error = error
        stack = settings.get_root_resource()
        assert isinstance(stack, Stack)
        Output.from_input(stack.outputs).apply(recording.exports.update)

    return call


def _registration(request: resource_pb2.RegisterResourceRequest) -> Registration:
    return Registration(
        type=request.type,
        name=request.name,
        parent=_name(request.parent),
        inputs=_plain(json_format.MessageToDict(request.object)),
        dependencies=frozenset(map(_name, request.dependencies)),
        provider=_name(request.provider.rpartition("::")[0]),
        custom=request.custom,
        protect=request.protect,
        retain=request.retainOnDelete,
        secret_outputs=tuple(request.additionalSecretOutputs),
        timeouts=json_format.MessageToDict(request.customTimeouts),
        version=request.version,
        error_hooks=tuple(request.hooks.on_error),
        ignored_changes=tuple(request.ignoreChanges),
        deleted_with=_name(request.deletedWith),
        replaced_by_change_of=_plain(json_format.MessageToDict(request.replacement_trigger))
        if request.HasField("replacement_trigger")
        else None,
        replaced_with=frozenset(_name(urn) for urn in request.replace_with),
        replaced_on=tuple(request.replaceOnChanges),
        goes_first=request.deleteBeforeReplace if request.deleteBeforeReplaceDefined else None,
        gets_from={key: {_name(urn) for urn in sources.urns} for key, sources in request.propertyDependencies.items()},
    )


def _name(urn: str) -> str:
    return urn.rpartition("::")[2]


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        if value.get(_SIGNATURE) == _SECRET:
            return Secret(_plain(value["value"]))
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def opened(value: Any) -> Any:
    """An input as the provider gets it, with secrets in plain text."""
    if isinstance(value, Secret):
        return opened(value.value)
    if isinstance(value, dict):
        return {key: opened(item) for key, item in value.items()}
    return [opened(item) for item in value] if isinstance(value, list) else value


def leaves(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    """Every leaf of nested maps and lists with its path; a secret is a leaf."""
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from leaves(item, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from leaves(item, (*path, index))
    else:
        yield path, value
