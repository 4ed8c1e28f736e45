"""What programs call besides the components: `load_values`, `names` and `render`. Errors end the program without a traceback."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import wraps
from inspect import Signature, signature
from os import PathLike
from pathlib import Path
from typing import Any, ParamSpec, TypeVar, get_args

import pulumi

from scalr_agents import charts
from scalr_agents.model import parse, yaml_io
from scalr_agents.model.findings import Finding, ValuesError, error
from scalr_agents.model.origins import broken
from scalr_agents.model.release import Naming
from scalr_agents.model.texts import describe
from scalr_agents.stack import source

P = ParamSpec("P")
T = TypeVar("T")


def load_values(path: str | PathLike[str]) -> Any:
    """The content of a values file, for the argument `values` of `AgentJob`, `AgentLocal` and `AgentK8s`.

    The file is read as Helm reads it (YAML 1.1). A relative path starts at the working directory: in a deployment, that of the program.
    The result fits every type of values (`Any`), because the type checker cannot know the file. The component checks the content.

    Raises `pulumi.RunError` if the file cannot be read or is not valid YAML: the program ends with that sentence, without a traceback.
    """
    if not isinstance(path, str | PathLike):
        raise pulumi.RunError(f"load_values: expected a path, given {describe(path, repeated=False)}")
    try:
        return yaml_io.load_values(source.read_text(Path(path)))
    except source.SourceError as problem:
        raise pulumi.RunError(f"load_values: {problem}") from None
    except yaml_io.YamlError as problem:
        raise pulumi.RunError(f"load_values: {broken(str(path), problem).text}") from None


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
