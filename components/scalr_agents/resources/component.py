"""The base classes of the components."""

from abc import abstractmethod
from typing import Any, Generic, Self, TypeVar, get_origin

import pulumi
from pydantic.alias_generators import to_camel

_OUTPUT: Any = pulumi.Output
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
