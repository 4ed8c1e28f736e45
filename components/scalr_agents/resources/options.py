"""Options of child resources, and conversions between outputs and the deferred values of the core."""

import itertools
from collections.abc import Callable, Sequence
from typing import Any, TypeVar, cast

import pulumi

from scalr_agents.model.forms import Deferred, is_set

T = TypeVar("T")
_HOOKS = itertools.count()
"""Hook names are global in a program, component names are not."""


def child(
    owner: pulumi.ComponentResource, opts: pulumi.ResourceOptions | None, after: Sequence[pulumi.Resource] = (), **more: Any
) -> pulumi.ResourceOptions:
    """Options of a child. It depends on what its owner depends on, because Pulumi does not pass that on."""
    return pulumi.ResourceOptions(parent=owner, depends_on=depends_on(opts, after), **more)


def depends_on(opts: pulumi.ResourceOptions | None, others: Sequence[pulumi.Resource]) -> Any:
    """`others` and what the options depend on, in any of the forms that the option takes."""
    given = opts.depends_on if opts else None
    if given is None:
        return list(others)
    if isinstance(given, pulumi.Resource):
        return [given, *others]
    if isinstance(given, Sequence):
        return [*given, *others]
    later: pulumi.Output[Any] = pulumi.Output.from_input(cast(Any, given))
    return later.apply(lambda resources: [*(resources if isinstance(resources, Sequence) else [resources]), *others])


def timeouts(opts: pulumi.ResourceOptions | None, default: pulumi.CustomTimeouts | None = None) -> pulumi.CustomTimeouts:
    """The timeouts of the options, in any form that the option takes. `default` fills in the others."""
    given: Any = (opts.custom_timeouts if opts else None) or {}
    chosen = {name: seconds for name, seconds in (given if isinstance(given, dict) else vars(given)).items() if seconds}
    return pulumi.CustomTimeouts(**{**(vars(default) if default else {}), **chosen})


def error_hook(name: str, explain: Callable[[pulumi.ErrorHookArgs], bool]) -> pulumi.ErrorHook:
    """A hook that is called when an operation on a resource fails. It returns whether to try again."""
    return pulumi.ErrorHook(f"{name}-{next(_HOOKS)}", explain)


def known_after(resource: pulumi.Resource, value: Any) -> pulumi.Output[Any]:
    """A known value as an output that waits for the resource."""
    return resource.urn.apply(lambda _: value)


def when_registered(owner: pulumi.Resource, value: pulumi.Output[Any]) -> pulumi.Output[Any]:
    """A value whose computation may fail and so end the program, delayed until its component is registered. It waits for no other child.

    If a program ends while the SDK is starting the server for its hooks, the process crashes without a message.
    """
    urn, _ = detached(cast(Deferred, owner.urn))
    return pulumi.Output.all(value, urn).apply(lambda known: known[0])


def as_output(value: str | Deferred) -> pulumi.Output[str]:
    """An argument of a component as an output, whether or not its value is known yet."""
    return pulumi.Output.from_input(cast(pulumi.Input[str], value))


def detached(value: str | Deferred) -> tuple[pulumi.Output[str], pulumi.Output[list[pulumi.Resource]]]:
    """The value of an argument without its dependencies, and the resources that it comes from, for `depends_on`.

    A resource that takes an output from another in a field that cannot change in place is deleted when the other is replaced by
    deleting it first.
    """
    given: pulumi.Output[Any] = as_output(value)
    alone: pulumi.Output[Any] = pulumi.Output(set(), given.future(with_unknowns=True), given.is_known(), given.is_secret())
    sources: pulumi.Output[Any] = pulumi.Output.from_input(cast(Any, given.resources()))
    return alone, sources.apply(list)


def optional(value: str | Deferred) -> pulumi.Input[str] | None:
    """An argument for a cloud resource. Empty means `None`."""
    return cast(pulumi.Input[str], value) if is_set(value) else None


def parsed(value: pulumi.Output[Any], parse: Callable[[Any], T]) -> pulumi.Output[T]:
    """The result of `parse` for a value. A `ValueError` ends the program with its text, without a traceback."""

    def attempt(known: Any) -> T:
        try:
            return parse(known)
        except ValueError as problem:
            raise pulumi.RunError(str(problem)) from problem

    return value.apply(attempt)


def deferred(output: pulumi.Output[Any]) -> Deferred:
    """An output as a deferred value, which the core carries unchanged."""
    return cast(Deferred, output)
