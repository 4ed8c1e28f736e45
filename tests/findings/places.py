"""The places of the package that make findings: calls of `error` and `warning`, rows of tables, and declarations of types."""

import ast
import inspect
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, NamedTuple, get_args
from unittest import mock

import scalr_agents
from scalr_agents.model import findings, judge
from scalr_agents.model.findings import Finding
from scalr_agents.model.forms import Declaration, Form, OneOf, Rule, Unique
from scalr_agents.model.section import Section

PACKAGE = Path(scalr_agents.__file__).parent
MAKERS = {"error", "warning"}
Key = tuple[str, int] | int
"""A line of a file, or the identity of a row or of a declaration."""


class Place(NamedTuple):
    name: str
    """`stack/agents.py: check`, or `caches/efs.py: EfsSettings: missing: a network`."""
    keys: frozenset[Key]
    """One of them is reached if the place is."""


def all_of_them() -> list[Place]:
    """By where they stand in the package."""
    calls = {place.keys: place for file in sorted(PACKAGE.rglob("*.py")) for place in _calls(file)}
    declared = {place.keys: place for model in _below(Section) for place in _of_model(model)}
    return [*calls.values(), *declared.values()]


def _calls(file: Path) -> Iterator[Place]:
    tree = ast.parse(file.read_text())
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module == findings.__name__]
    makers = MAKERS & {name.name for node in imports for name in node.names}
    for function in (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)):
        chosen = [node for node in ast.walk(function) if isinstance(node, ast.Assign) and isinstance(node.value, ast.IfExp)]
        local = {name for node in chosen if _names(node.value) & makers for target in node.targets for name in _names(target)}
        for node in ast.walk(function):
            if isinstance(node, ast.Call) and not isinstance(node.func, ast.Attribute) and _names(node.func) & (makers | local):
                lines = range(node.lineno, (node.end_lineno or node.lineno) + 1)
                yield Place(f"{file.relative_to(PACKAGE)}: {function.name}", frozenset((str(file), line) for line in lines))


def _names(node: ast.AST) -> set[str]:
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}


def _below(model: type[Section]) -> Iterator[type[Section]]:
    for each in model.__subclasses__():
        if each.__module__.startswith(f"{scalr_agents.__name__}."):
            yield each
        yield from _below(each)


def _of_model(model: type[Section]) -> Iterator[Place]:
    at = f"{Path(inspect.getfile(model)).relative_to(PACKAGE)}: {model.__name__}"
    for row in vars(model).get("relations", ()):
        yield Place(f"{at}: {row.text or row.function}", frozenset([id(row)]))
    for name, field in model.model_fields.items():
        for each in _declared(field.rebuild_annotation()):
            yield Place(f"{at}: {name} is {type(each).__name__}", frozenset([id(each)]))


def _declared(annotation: Any) -> Iterator[Declaration]:
    yield from (each for each in getattr(annotation, "__metadata__", ()) if isinstance(each, Declaration))
    for each in get_args(annotation):
        yield from _declared(each)


@contextmanager
def reached() -> Iterator[set[Key]]:
    """The places that are reached meanwhile."""
    keys: set[Key] = set()
    make = Finding.__init__

    def made(self: Finding, *args: Any, **fields: Any) -> None:
        make(self, *args, **fields)
        frame = sys._getframe(1)
        if frame.f_globals["__name__"] == findings.__name__ and frame.f_code.co_name in MAKERS and frame.f_back:
            keys.add((frame.f_back.f_code.co_filename, frame.f_back.f_lineno))

    def noting(problems: Callable[..., Iterator[Any]], place: int) -> Callable[..., Iterator[Any]]:
        """The function, which notes the argument at a place if it finds something."""

        def noted(*args: Any) -> Iterator[Any]:
            for problem in problems(*args):
                keys.add(id(args[place]))
                yield problem

        return noted

    with ExitStack() as stack:
        stack.enter_context(mock.patch.object(Finding, "__init__", made))
        stack.enter_context(mock.patch.object(judge._Run, "problems", noting(judge._Run.problems, 1)))
        for kind in (Form, OneOf, Unique, Rule):
            stack.enter_context(mock.patch.object(kind, "problems", noting(kind.problems, 0)))
        yield keys
