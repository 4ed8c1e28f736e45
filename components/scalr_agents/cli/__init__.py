"""The command line. It runs on the functional core alone and never imports Pulumi."""

import json

import click

from scalr_agents.cli import clusters, stacks
from scalr_agents.migration import commands, template
from scalr_agents.printing import Program


@click.group(cls=Program, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="scalr-agents")
def main() -> None:
    """Scalr's self-hosted agents on Kubernetes: print and check what `pulumi up` would deploy.

    STACK is the name of a stack of the project, or the path of its file, Pulumi.<stack>.yaml.

    Exit codes: 0 success, 1 findings, 2 wrong usage.

    Completion in bash (zsh and fish have zsh_source and fish_source):

    \b
    eval "$(_SCALR_AGENTS_COMPLETE=bash_source scalr-agents)"
    """


for command in (*stacks.COMMANDS, *clusters.COMMANDS, template.template, commands.convert_values, commands.adopt):
    main.add_command(command)


@main.command(short_help="Print the JSON Schema of stack files.")
def schema() -> None:
    """Print the JSON Schema of stack files, for editors."""
    from scalr_agents.stack import schema as stack_schema

    click.echo(json.dumps(stack_schema.stack_file(), indent=2))
