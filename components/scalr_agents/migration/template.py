"""The command `template`, and its options `--set path=value` and `--set-string path=text`.

The path is dotted, with indexes of lists (`agent.tolerations[0].key`) and with a backslash before a dot that belongs to a key. The value
is YAML, as in a values file. What Helm reads in another way, such as several assignments in one option, is refused.
"""

import re
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import replace
from itertools import takewhile
from pathlib import Path as File
from typing import Any

import click

from scalr_agents import charts, output
from scalr_agents.charts.shared.loading import load
from scalr_agents.migration.commands import parsed, read
from scalr_agents.model import yaml_io
from scalr_agents.model.findings import Finding, Path, as_path, dotted, errors, warning
from scalr_agents.model.maps import Values, lookup
from scalr_agents.model.origins import Document, Layer, combine, locate
from scalr_agents.model.release import LineError
from scalr_agents.printing import FINDINGS, NamedPath, format_option, report

_KEY = r"(?:\\.|[^\\.,=\[\]{}])+"
_DEEPEST = 30
_ASSIGNMENT = rf"({_KEY}(?:\.{_KEY}|\[[0-9]{{1,9}}\]){{0,{_DEEPEST - 1}}})=([\s\S]*)"
_SURROGATE = "[\ud800-\udfff]"
_PLAIN = r"[-+.~\w]+"
_DELIMITED = {'"': str, "'": str, "[": list, "{": dict}
_ELSE = "or use a values file (-f)"
_EXPECTED = f"expected path=value, such as agent.replicaCount=2 or agent.tolerations[0].key=runs, at most {_DEEPEST} keys deep, {_ELSE}"


@click.command(context_settings={"allow_extra_args": True}, short_help="Print the manifests of a chart for some values.")
@click.argument("chart")
@click.option(
    "-f", "--values", "files", multiple=True, type=NamedPath(path_type=File), help="Values file (- for stdin); later files override."
)
@click.option("--set", "sets", multiple=True, help="One value as path=value, with the value in YAML.")
@click.option("--set-string", "strings", multiple=True, help="One value as path=text.")
@click.option("--release", default="scalr-agent", show_default=True, help="Name of the release.")
@click.option("-n", "--namespace", default="default", show_default=True, help="Namespace of the release.")
@click.option("--agent-version", help="Version of the agent.  [default: the chart's]")
@format_option("yaml", "json")
@click.pass_context
def template(
    context: click.Context,
    chart: str,
    files: tuple[File, ...],
    sets: tuple[str, ...],
    strings: tuple[str, ...],
    release: str,
    namespace: str,
    agent_version: str | None,
    form: str,
) -> None:
    """Print the manifests of a CHART for some values, as `helm template` does."""
    if context.args:  # click would repeat them, and one may be the token of `--set agent.token TOKEN`
        raise click.UsageError("too many arguments; give values as --set path=value, with an equals sign")
    try:
        found = charts.find(chart)
        found.versions.line(agent_version)
    except LineError as problem:
        raise click.UsageError(str(problem)) from None
    documents = {str(file): read(file) for file in dict.fromkeys(files)}
    layers = [Layer((), parsed(documents[str(file)], yaml_io.load_values), file=str(file)) for file in files]
    given = deepcopy(combine(layers))
    for option, texts in (("--set", sets), ("--set-string", strings)):
        for text in texts:
            try:
                assign(given, text, found.keys(), as_text=option == "--set-string")
            except AssignmentError as problem:
                raise click.BadParameter(str(problem), param_hint=option) from None
    agent = load(found, given, release=release, namespace=namespace, agent_version=agent_version)
    unnamed = [] if agent_version else [warning("--agent-version", f"not given: these are {found.versions.default_version_notice()}")]
    report([*_located(agent.findings, documents, layers, given), *unnamed])
    if errors(agent.findings):
        sys.exit(FINDINGS)
    click.echo(output.text(agent.with_definitions(), form), nl=False)


def _located(findings: Iterable[Finding], documents: Mapping[str, Document], layers: Sequence[Layer], given: Values) -> Iterator[Finding]:
    """The findings with their positions in the last file that sets the value. A value from an option has no position."""
    in_files = combine(layers)
    unchanged: dict[tuple[str, ...], bool] = {}
    for finding in findings:
        path = finding.at
        keys = tuple(str(part) for part in takewhile(lambda part: isinstance(part, str), path))
        if keys not in unchanged:
            unchanged[keys] = lookup(given, *keys) == lookup(in_files, *keys)
        file = locate(finding, layers, ()).position
        yield replace(finding, position=documents[file.file].position(path)) if file and unchanged[keys] else finding


class AssignmentError(ValueError):
    """An assignment that cannot be read or applied. The message does not repeat the value, nor a path that may be a secret."""


def assign(values: dict[str, Any], text: str, known: Collection[str], *, as_text: bool = False) -> None:
    """Set the value of an assignment, as text or as YAML. `known` are the keys that may be at the top."""
    match = re.fullmatch(_ASSIGNMENT, text)
    if not match or re.search(_SURROGATE, text):
        raise AssignmentError(_EXPECTED)
    path, given = as_path(match[1]), match[2]
    is_known = path[0] in known
    if not given.strip().strip("=") and not (is_known and as_text):  # perhaps a token in base64 with its padding
        raise AssignmentError("a value is missing; use path=null, or --set-string path= for an empty text")
    try:
        _put(values, path, _text(given) if as_text else _yaml(given))
    except AssignmentError as problem:
        raise AssignmentError(f"{dotted(path)}: {problem}" if is_known else str(problem)) from None


def _text(given: str) -> str:
    stripped = given.strip()
    if "\\" in given or stripped.startswith("{") or stripped.endswith(",") or "=" in given.partition(",")[2]:
        raise AssignmentError(f"a backslash, a list in braces, or several values in one option; set one value per option, {_ELSE}")
    return given


def _yaml(given: str) -> Any:
    """A value in quotes or brackets, or else a plain one, of which YAML leaves nothing out."""
    text = given.strip()
    try:
        value = yaml_io.load_value(text)
    except yaml_io.YamlError as problem:
        raise AssignmentError(f"not valid YAML: {problem.message}; use --set-string for a text, {_ELSE}") from None
    if isinstance(value, _DELIMITED.get(text[0], ())):
        if isinstance(value, dict) and None in value.values():
            raise AssignmentError("a map with an empty value; write a list as [a, b], and set a key to null by its own path")
        return value
    _text(text)
    if isinstance(value, dict | list) or (value != text if isinstance(value, str) else not re.fullmatch(_PLAIN, text)):
        raise AssignmentError(f"not a plain value; put it in quotes, use --set-string for a text, {_ELSE}")
    return value


def _put(values: dict[str, Any], path: Path, value: Any) -> None:
    container: Any = values
    for depth, part in enumerate(path):
        if isinstance(part, str) and not isinstance(container, dict):
            raise AssignmentError(f"{dotted(path[:depth])} is not a map")
        if isinstance(part, int):
            if not isinstance(container, list):
                raise AssignmentError(f"{dotted(path[:depth])} is not a list")
            if part > len(container):
                raise AssignmentError(f"{dotted(path[:depth])} has {len(container)} items, so the index can be at most {len(container)}")
            container.extend([None] * (part == len(container)))
        if depth == len(path) - 1:
            container[part] = value
        elif (container.get(part) if isinstance(container, dict) else container[part]) is None:
            container[part] = [] if isinstance(path[depth + 1], int) else {}
        container = container[part]
