"""The base classes of the components, and how they register their children."""

import itertools
import re
from abc import abstractmethod
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Generic, Self, TypeVar, cast, get_origin

import pulumi
from pydantic.alias_generators import to_camel

_OUTPUT: Any = pulumi.Output
_HOOKS = itertools.count()
"""Hook names are global in a program, component names are not."""
_TAKEN = re.compile(r"AlreadyExists|already exists|ResourceExistsException|already in use by another|InvalidGroup\.Duplicate|Error 409")
"""Errors of AWS and Google Cloud for a name that is taken."""
W = TypeVar("W")
"""What a component registers, after validation."""


class Component(pulumi.ComponentResource):
    """A component whose annotated attributes of type `pulumi.Output` are its outputs."""

    def publish(self) -> None:
        """Register the outputs. Call this last."""
        self.register_outputs(self.summary())

    def summary(self) -> dict[str, pulumi.Output[Any]]:
        """The outputs, by their names in a stack's outputs and in other languages."""
        return {to_camel(name): getattr(self, name) for name in self.output_names()}

    @classmethod
    def output_names(cls) -> list[str]:
        """The names of the outputs in Python."""
        owners = (owner for owner in reversed(cls.__mro__) if issubclass(owner, Component))  # a program may extend a component
        annotated: dict[str, Any] = {name: kind for owner in owners for name, kind in owner.__annotations__.items()}
        return [name for name, kind in annotated.items() if get_origin(kind) is _OUTPUT]


class Validated(Component, Generic[W]):
    """A component whose `__init__` validates a program's arguments. `of` takes what a stack has validated already."""

    @classmethod
    def of(cls, name: str, request: W, opts: pulumi.ResourceOptions | None = None) -> Self:
        """The component, from validated input."""
        component = cls.__new__(cls)
        component.make(name, request, opts)
        return component

    @abstractmethod
    def make(self, name: str, request: W, opts: pulumi.ResourceOptions | None) -> None:
        """Register the component with its children and its outputs."""


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


def explained(
    name: str, what: str, *commands: str, retry: Callable[[pulumi.ErrorHookArgs], bool] | None = None
) -> pulumi.ResourceHookBinding:
    """Hooks of a resource in a cloud, of the component `name`, for a deployment that has created it without recording it.

    Names of such resources are fixed, so that the next deployment finds them taken instead of creating a second one. The hooks log the
    commands to delete what already has the name. `what` says what it is, with its name in the cloud. `retry` says whether to try again
    after any other error.
    """

    def explain(refused: pulumi.ErrorHookArgs) -> bool:
        if is_taken(refused):
            pulumi.log.error(left_behind(name, what, commands))
            return False
        return bool(retry and retry(refused))

    return pulumi.ResourceHookBinding(on_error=[error_hook(f"{name}-taken", explain)])


def is_taken(refused: pulumi.ErrorHookArgs) -> bool:
    """Whether something could not be created because its name is taken."""
    return refused.failed_operation == "create" and bool(_TAKEN.search("\n".join(refused.errors)))


def left_behind(name: str, what: str, commands: Iterable[str]) -> str:
    """What to do about something that has the name of a resource, and is not in the state."""
    advice = (
        f"There already is {what}, and the state of this stack does not have it: a deployment of {name!r} was interrupted "
        "while it was being created. Delete it, and run `pulumi up` again:"
    )
    return "\n  ".join([advice, *commands])
