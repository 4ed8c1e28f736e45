"""The page of the command line, from the help of its commands."""

import inspect
from collections.abc import Iterator

import click
from scalr_agents.cli import main

from tests.reference.words import cell, paragraphs

_HEAD = """\
# Command line

<!-- `make schema` writes this page. -->

"""


def page() -> str:
    top = main.make_context("scalr-agents", [], resilient_parsing=True)
    return _HEAD + "".join([*_command(main, top), *(text for name in sorted(main.commands) for text in _of_group(name, top))])


def _of_group(name: str, top: click.Context) -> Iterator[str]:
    yield f"\n## {name}\n\n"
    yield from _command(main.commands[name], click.Context(main.commands[name], info_name=name, parent=top))


def _command(command: click.Command, context: click.Context) -> Iterator[str]:
    usage = " ".join([context.command_path, *command.collect_usage_pieces(context)])
    yield f"```text\n{usage}\n```\n\n{paragraphs(inspect.cleandoc(command.help or ''))}\n\n| Option | Meaning |\n|---|---|\n"
    for parameter in command.get_params(context):
        if isinstance(parameter, click.Option) and (found := parameter.get_help_record(context)):
            form = found[0].replace("|", ", ")  # renderers do not agree on how a `|` is written in code in a table
            yield f"| `{form}` | {cell(found[1])} |\n"
