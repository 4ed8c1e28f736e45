"""A program with one component, for tests to vary."""

from collections.abc import Callable, Mapping
from typing import Any, cast

import pulumi
import scalr_agents

from tests.helpers.recording import Recording, run

Args = Mapping[str, Any] | Callable[[], Mapping[str, Any]]
"""Arguments of a component; a function makes them inside of the program, where outputs can be made."""


def program(component: str, args: Args, opts: pulumi.ResourceOptions | None = None, name: str = "it") -> Callable[[], None]:
    constructor = cast("Callable[..., object]", getattr(scalr_agents, component))

    def call() -> None:
        constructor(name, args() if callable(args) else args, opts)

    return call


def record(component: str, args: Args, opts: pulumi.ResourceOptions | None = None) -> Recording:
    recording = run(program(component, args, opts))
    assert recording.error is None, recording.error
    return recording


def refused(component: str, args: Args) -> list[str]:
    """The findings of a component that registers nothing because of them."""
    recording = run(program(component, args))
    assert isinstance(recording.error, scalr_agents.ArgsError), recording.error
    assert recording.names == []
    return [line.removeprefix("  ") for line in str(recording.error).splitlines()[1:]]


def inputs(recording: Recording) -> dict[str, Mapping[str, Any]]:
    """What every resource of the component is made of, by name without that of the component."""
    return {resource.name.removeprefix("it-"): resource.inputs for resource in recording.resources if resource.custom}
