"""Shared by all commands: findings and notes on stderr, and the option for the format of stdout.

On a terminal, findings are coloured and grouped by what they are about, and a line says what takes longer than a second. In a pipe, with
`NO_COLOR` or on a terminal that knows no colours, each finding is one plain line.
"""

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import groupby
from threading import Event, Timer
from typing import Any

import click

from scalr_agents.model import gone
from scalr_agents.model.findings import Finding
from scalr_agents.model.texts import escaped

FINDINGS = 1
"""Exit code of a command that found errors."""
_COLOURS = {"error": "red", "warning": "yellow"}
_SUBJECTS = {"agents": "", "machines": "", "secrets": "", "caches": "cache ", "namespaces": "namespace "}
"""Keys of a stack file below which names are, and what stands before a name. Agents and machines share one space."""
_LONG_SECONDS = 1
_UNITS = (("d", 86400), ("h", 3600), ("m", 60), ("s", 1))


class NamedPath(click.Path):
    """A path that an option names. An empty one, as of a variable that is not set, would be the current directory."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Refuse an empty path."""
        if value == "":
            self.fail("empty; give a path", param, ctx)
        return super().convert(value, param, ctx)


class Program(click.Group):
    """The commands, whose errors may name what is in a file: it is printed as text."""

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        """Find a command."""
        if went := gone.of_command(*args[:1]):
            ctx.fail(f"{args[0]}: {went}")
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command."""
        try:
            return super().invoke(ctx)
        except click.MissingParameter:  # of several lines, none of which is from a file
            raise
        except click.NoSuchOption as problem:
            went = gone.of_command(ctx.invoked_subcommand or "", problem.option_name)
            message = f"{problem.option_name}: {went}" if went else problem.format_message()
            raise click.UsageError(escaped(message), problem.ctx) from None
        except click.UsageError as problem:
            raise click.UsageError(escaped(problem.format_message()), problem.ctx) from None
        except click.ClickException as problem:
            raise click.ClickException(escaped(problem.format_message())) from None


def note(text: str) -> None:
    """Print a line on stderr."""
    click.echo(escaped(text), err=True)


def report(findings: Iterable[Finding], *, err: bool = True) -> None:
    """Print findings on stderr, or on stdout."""
    if not _in_colour(err=err):
        for finding in findings:
            click.echo(str(finding), err=err)
        return
    ordered = sorted(findings, key=_subject)  # a stable sort: errors stay before warnings
    for subject, group in groupby(ordered, key=_subject):
        if subject:
            click.secho(escaped(subject), bold=True, err=err)
        for finding in group:
            click.echo("  " * bool(subject) + _styled(finding), err=err)


def counted(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def table(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows of cells as lines with aligned columns."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]


def age(seconds: int) -> str:
    """A duration in its largest unit, and in the next one unless that is zero."""
    first = next((index for index, (_, size) in enumerate(_UNITS) if seconds >= size), len(_UNITS) - 1)
    largest, size = _UNITS[first]
    rest = [f"{seconds % size // smaller}{unit}" for unit, smaller in _UNITS[first + 1 : first + 2]]
    return "".join([f"{seconds // size}{largest}", *(each for each in rest if not each.startswith("0"))])


@contextmanager
def progress(text: str) -> Iterator[None]:
    """Show a text on a terminal as long as something takes, from the first second on."""
    if not _in_colour(err=True):
        yield
        return
    shown = Event()

    def show() -> None:
        click.echo(f"{text} ...", err=True, nl=False)
        shown.set()

    timer = Timer(_LONG_SECONDS, show)
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
        if shown.is_set():
            click.echo("\r\033[K", err=True, nl=False)


def format_option(*forms: str) -> Callable[[Any], Any]:
    """The option for the format of what a command prints; the first one is the default."""
    return click.option("-o", "--output", "form", type=click.Choice(forms), default=forms[0], show_default=True)


def _in_colour(*, err: bool) -> bool:
    stream = sys.stderr if err else sys.stdout
    return stream is not None and stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def _subject(finding: Finding) -> str:
    """What a finding of a stack is about: an agent, a machine, a cache, or else a key. Empty for other input."""
    _, _, key = str(finding.at[0] if finding.at else "").partition(":")
    if key in _SUBJECTS and len(finding.at) > 1:
        return f"{_SUBJECTS[key]}{finding.at[1]}"
    return key


def _styled(finding: Finding) -> str:
    place = click.style(escaped(str(finding.position)), dim=True) if finding.position else ""
    severity = click.style(finding.severity, fg=_COLOURS[finding.severity])
    path = click.style(escaped(finding.path), bold=True)
    return ": ".join(part for part in (place, severity, path if finding.path else "", escaped(finding.message)) if part)
