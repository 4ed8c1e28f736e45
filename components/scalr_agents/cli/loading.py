"""The stack as an argument of commands: which one it is, and what is wrong with it."""

import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from scalr_agents.model.findings import Finding, FindingsError, by_severity, errors, starts, warnings
from scalr_agents.printing import FINDINGS, NamedPath, counted, note, progress, report

if TYPE_CHECKING:
    from scalr_agents.stack import Stack
    from scalr_agents.stack.source import Source


def stack_names(context: click.Context, _parameter: click.Parameter, begun: str) -> list[str]:
    """The stacks of the project, for completion in a shell."""
    from scalr_agents.stack import source

    try:
        directory = source.stack_directory(source.find_project((context.params.get("project") or Path()).resolve()))
    except (source.SourceError, FindingsError):
        return []
    return [name for name in source.stacks(directory) if name.startswith(begun)]


stack_argument = click.argument("stack", default="local", shell_complete=stack_names)
project_option = click.option(
    "--project",
    type=NamedPath(exists=True, file_okay=False, path_type=Path),
    help="Directory of the Pulumi project, or one below it.  [default: the directory of the file, or the current one]",
)


def usable(project: Path | None, stack: str) -> "tuple[Source, Stack]":
    """A stack without errors. If there are errors, the command ends here. Warnings are only counted: `check` prints them."""
    try:
        source, loaded, findings = load(project, stack, demand_tokens=False)
    except FindingsError as problem:
        report(problem.findings)
        sys.exit(FINDINGS)
    report(errors(findings))
    if odd := len(warnings(findings)):
        at = ("--project", str(project)) if project else ()
        note(
            f"{stack}: {counted(odd, 'warning')} about the stack file; to print {'it' if odd == 1 else 'them'}, run: "
            f"{shlex.join(('scalr-agents', 'check', stack, *at))}"
        )
    if errors(findings):
        sys.exit(FINDINGS)
    return source, loaded


def load(project: Path | None, stack: str, *, demand_tokens: bool) -> "tuple[Source, Stack, list[Finding]]":
    """A stack, and all findings on it. Raises `FindingsError` for files that are not valid YAML."""
    from scalr_agents import stack as stacks
    from scalr_agents.stack import secrets
    from scalr_agents.stack.source import misspelt, unread

    source = _source(project, stack)
    with progress(f"reading {source.file.name}"):
        loaded = stacks.load(source.config, directory=source.directory, demand_tokens=demand_tokens and not source.environment)
    misplaced = list(secrets.misplaced(source.config))
    others = [finding for finding in loaded.findings if not any(_follows(finding, other) for other in errors(misplaced))]
    placeholders = secrets.placeholders(source.config) if demand_tokens else ()
    findings = by_severity([*misplaced, *unread(source), *placeholders, *misspelt(source), *others, *_missing_regions(loaded, source)])
    if findings:
        from scalr_agents.stack import positions

        findings = positions.locate(findings, source)
    return source, loaded, findings


def _follows(finding: Finding, misplaced: Finding) -> bool:
    """Whether a finding is on a value that belongs elsewhere, or on the section of an agent that is empty without it."""
    return finding.at == misplaced.at or (len(finding.at) > len(("agents", "<name>")) and starts(misplaced.at, finding.at))


def _missing_regions(loaded: "Stack", source: "Source") -> Iterator[Finding]:
    from scalr_agents.stack.source import unknown_region

    yield from unknown_region(source)
    if loaded.caches:
        from scalr_agents.stack import caches

        yield from caches.without_region(loaded.caches, source)
    if loaded.machines:
        from scalr_agents.stack import machines

        yield from machines.without_region(loaded.machines, source)


def _source(project: Path | None, stack: str) -> "Source":
    from scalr_agents.stack import source

    try:
        if not stack.endswith((".yaml", ".yml")):
            return source.read(source.find_project((project or Path()).resolve()), stack)
        file = Path(stack).resolve()
        return source.read_file(file, source.find_project(project.resolve()) if project else source.project_of(file))
    except source.SourceError as problem:
        raise click.UsageError(str(problem)) from None
