"""Shared by all commands: findings and notes on stderr, and the option for the format of stdout."""

from collections.abc import Callable, Iterable
from typing import Any

import click

from scalr_agents.model.findings import Finding

FINDINGS = 1
"""Exit code of a command that found errors."""


def say(text: str) -> None:
    click.echo(text, err=True)


def report(findings: Iterable[Finding]) -> None:
    for finding in findings:
        say(str(finding))


def format_option(*forms: str) -> Callable[[Any], Any]:
    """The option for the format of what a command prints; the first one is the default."""
    return click.option("-o", "--output", "form", type=click.Choice(forms), default=forms[0], show_default=True)
