"""Values that are known only during deployment: conversions between outputs and the deferred values of the core, and checks of them."""

from collections.abc import Callable
from typing import Any, TypeVar, cast

import pulumi

from scalr_agents.model.maps import Deferred, is_set

T = TypeVar("T")


def as_output(value: str | Deferred) -> pulumi.Output[str]:
    """An argument of a component as an output, whether or not its value is known yet."""
    return pulumi.Output.from_input(cast(pulumi.Input[str], value))


def deferred(output: pulumi.Output[Any]) -> Deferred:
    """An output as a deferred value, which the core carries unchanged."""
    return cast(Deferred, output)


def optional(value: str | Deferred) -> pulumi.Input[str] | None:
    """An argument for a cloud resource. Empty means `None`."""
    return cast(pulumi.Input[str], value) if is_set(value) else None


def detached(value: str | Deferred) -> tuple[pulumi.Output[str], pulumi.Output[list[pulumi.Resource]]]:
    """The value of an argument without its dependencies, and the resources that it comes from, for `depends_on`.

    A resource that takes an output from another in a field that cannot change in place is deleted when the other is replaced by
    deleting it first.
    """
    given: pulumi.Output[Any] = as_output(value)
    alone: pulumi.Output[Any] = pulumi.Output(set(), given.future(with_unknowns=True), given.is_known(), given.is_secret())
    sources: pulumi.Output[Any] = pulumi.Output.from_input(cast(Any, given.resources()))
    return alone, sources.apply(list)


def known_after(resource: pulumi.Resource, value: Any) -> pulumi.Output[Any]:
    """A known value as an output that waits for the resource."""
    return resource.urn.apply(lambda _: value)


def when_registered(owner: pulumi.Resource, value: pulumi.Output[Any]) -> pulumi.Output[Any]:
    """A value whose computation may fail and so end the program, delayed until its component is registered. It waits for no other child.

    If a program ends while the SDK is starting the server for its hooks, the process crashes without a message.
    """
    urn, _ = detached(cast(Deferred, owner.urn))
    return pulumi.Output.all(value, urn).apply(lambda known: known[0])


def parsed(value: pulumi.Output[Any], parse: Callable[[Any], T]) -> pulumi.Output[T]:
    """The result of `parse` for a value. A `ValueError` ends the program with its text, without a traceback."""

    def attempt(known: Any) -> T:
        try:
            return parse(known)
        except ValueError as problem:
            raise pulumi.RunError(str(problem)) from problem

    return value.apply(attempt)


def demanded(token: str, answer: Any, path: str, read: Callable[[Any], Any]) -> Any:
    """What `read` takes from the answer of a provider, with an error that names the resource or function and the property if it is `None`.

    Real providers always set such a property. The mocks of a program's tests may leave it out, and the SDK then makes `None` of it.
    """
    try:
        found = read(answer)
    except (AttributeError, IndexError, KeyError, TypeError):
        found = None
    if found is None:
        method = "new_resource" if token.rpartition(":")[2][0].isupper() else "call"
        raise pulumi.RunError(f"{token} has no {path}: return it from {method} of your mocks (docs/agent-job.md, Testing your program)")
    return found


def answered(token: str, answer: pulumi.Output[Any], path: str, read: Callable[[Any], Any] = lambda known: known) -> pulumi.Output[Any]:
    """The same for an output."""
    return answer.apply(lambda known: demanded(token, known, path, read))
