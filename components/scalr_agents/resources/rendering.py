"""`names` and `render` as Pulumi programs get them: with a `ValuesError` that ends the program without a traceback."""

from collections.abc import Callable, Sequence
from functools import wraps
from typing import ParamSpec, TypeVar

import pulumi

from scalr_agents import charts
from scalr_agents.model.findings import Finding, ValuesError

P = ParamSpec("P")
T = TypeVar("T")


class ProgramError(ValuesError, pulumi.RunError):
    """Invalid values in a Pulumi program."""

    def __init__(self, function: str, findings: Sequence[Finding]) -> None:
        super().__init__(findings)
        self.args = ("\n".join([f"{function}: invalid values:", *(f"  {finding}" for finding in self.findings)]),)


def _in_program(function: Callable[P, T]) -> Callable[P, T]:
    @wraps(function)
    def called(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return function(*args, **kwargs)
        except ValuesError as problem:
            raise ProgramError(function.__name__, problem.findings) from None

    return called


names = _in_program(charts.names)
render = _in_program(charts.render)
