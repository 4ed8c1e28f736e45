"""`names` and `render` as Pulumi programs get them: with a `ValuesError` that ends the program without a traceback."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import wraps
from inspect import Signature, signature
from typing import Any, ParamSpec, TypeVar, get_args

import pulumi

from scalr_agents import charts
from scalr_agents.model import parse
from scalr_agents.model.findings import Finding, ValuesError, error
from scalr_agents.model.messages import describe
from scalr_agents.model.names import Naming

P = ParamSpec("P")
T = TypeVar("T")


class ProgramError(ValuesError, pulumi.RunError):
    """Invalid values in a Pulumi program."""

    def __init__(self, function: str, findings: Sequence[Finding]) -> None:
        super().__init__(findings)
        self.args = ("\n".join([f"{function}: invalid values:", *(f"  {finding}" for finding in self.findings)]),)


def _wrong(declared: Signature, *args: Any, **kwargs: Any) -> Iterator[Finding]:
    """Arguments of the wrong type, above all outputs: what is computed here must be known."""
    for key, value in declared.bind(*args, **kwargs).arguments.items():
        kind, expected = (Mapping, "a map") if key == "values" else (str, "a string")
        if isinstance(value, pulumi.Output):
            yield error(key, parse.UNKNOWN)
        elif not isinstance(value, kind) and (value is not None or declared.parameters[key].default is not None):
            yield error(key, f"expected {expected}, given {describe(value, repeated=False)}")
        elif key == "naming" and value not in get_args(Naming):
            yield error(key, f"given {describe(value, repeated=True)}; allowed: {' or '.join(map(repr, get_args(Naming)))}")


def _in_program(function: Callable[P, T]) -> Callable[P, T]:
    @wraps(function)
    def called(*args: P.args, **kwargs: P.kwargs) -> T:
        if wrong := [*_wrong(signature(function), *args, **kwargs)]:
            raise ProgramError(function.__name__, wrong)
        try:
            return function(*args, **kwargs)
        except ValuesError as problem:
            raise ProgramError(function.__name__, problem.findings) from None

    return called


names = _in_program(charts.names)
render = _in_program(charts.render)
