"""The commands that read a stack, and print what follows from it."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from scalr_agents import output
from scalr_agents.charts.shared.inputs import ClusterValue
from scalr_agents.cli.loading import load, project_option, stack_argument, usable
from scalr_agents.model.findings import FindingsError, errors, nearest, warnings
from scalr_agents.printing import FINDINGS, NamedPath, counted, format_option, note, progress, report, table


@click.command(short_help="Print the manifests of a stack.")
@stack_argument
@project_option
@format_option("yaml", "json")
@click.option(
    "-d",
    "--directory",
    type=NamedPath(file_okay=False, path_type=Path),
    help="Write one file per object to this directory, which must contain nothing else.",
)
@click.option("--allow-unknown", is_flag=True, help="Exit 0 even if values are known only to Pulumi or the cloud.")
def render(stack: str, project: Path | None, form: str, directory: Path | None, allow_unknown: bool) -> None:
    """Print the manifests of a STACK (default: local).

    Values that only Pulumi knows (secrets that are missing or encrypted), only the cloud (ids of file systems) or only the cluster (its
    API server) are printed as placeholders and listed on stderr; files with placeholders are not written. If values of the cloud, the
    cluster or an environment are missing, the exit code is 1. With --directory, files from earlier runs that are no longer rendered are
    removed.
    """
    from scalr_agents.stack.source import CloudValue

    source, loaded = usable(project, stack)
    with progress("making the manifests"):
        if loaded.observability.deploys:  # what makes alerts and dashboards is imported only for them
            from scalr_agents import observability

            objects = observability.complete(loaded)
        else:
            objects = loaded.objects()
    unknown = output.unknown(objects)
    from_cloud = [value for value in unknown if isinstance(value, CloudValue | ClusterValue)]
    if directory is None:
        for value in unknown:
            match value:
                case ClusterValue():
                    why = "known only to the cluster; set this key to the networks of the API server"
                case CloudValue():
                    why = "known only to the cloud"
                case _:
                    why = "encrypted or not set"
            note(f"placeholder: {value} is {why}")
        click.echo(output.text(objects, form), nl=False)
    else:
        _write(objects, directory, form)
    if loaded.machines:
        note(f"no manifests: machines {', '.join(each.name for each in loaded.machines)}; scalr-agents machine NAME prints their files")
    if source.environment:
        note(f"{source.file.name}: environment: is not read; its settings are missing here")
    sys.exit(FINDINGS if (source.environment or from_cloud) and not allow_unknown else 0)


def _write(objects: Sequence[dict[str, Any]], directory: Path, form: str) -> None:
    try:
        written = output.write(objects, directory, form)
    except output.DirectoryError as problem:
        raise click.BadParameter(f"{directory} {problem}", param_hint="--directory") from None
    except OSError as problem:
        raise click.ClickException(f"{directory}: {problem.strerror}") from None
    for name in written.removed:
        note(f"removed: {name}")
    for manifest in written.left_out:
        metadata, places = manifest["metadata"], ", ".join(map(str, output.unknown([manifest])))
        within = f" in namespace {metadata['namespace']}" if "namespace" in metadata else ""
        note(f"left out: {manifest['kind']} {metadata['name']}{within}: {places} is not known here; an existing file stays unchanged")


@click.command(short_help="Print errors and warnings about a stack.")
@stack_argument
@project_option
@format_option("text", "json", "github")
@click.option("--strict", is_flag=True, help="Exit 1 on warnings too.")
def check(stack: str, project: Path | None, form: str, strict: bool) -> None:
    """Print all errors and warnings about a STACK (default: local); exit 1 if there is an error.

    Each is one line: file, line and column if known, severity, path, message. JSON output is an object with `findings`, a list of
    objects with these keys (null if not known), and the counts `errors` and `warnings`. GitHub Actions makes annotations of `github`.
    """
    try:
        source, _, findings = load(project, stack, demand_tokens=True)
        if source.environment:
            note(f"{source.file.name}: environment: is not read; its settings were not checked")
    except FindingsError as problem:
        findings = problem.findings
    bad, odd = len(errors(findings)), len(warnings(findings))
    if form == "json":
        listed = [finding.as_json() for finding in findings]
        click.echo(json.dumps({"findings": listed, "errors": bad, "warnings": odd}, indent=2))
    elif form == "github":
        click.echo("".join(f"{finding.as_github()}\n" for finding in findings), nl=False)
    else:
        report(findings, err=False)
    note(f"{stack}: {counted(bad, 'error')}, {counted(odd, 'warning')}")
    sys.exit(FINDINGS if bad or (strict and odd) else 0)


@click.command(short_help="Print the images that a stack pulls.")
@stack_argument
@project_option
def images(stack: str, project: Path | None) -> None:
    """Print every image that a STACK (default: local) pulls, one per line: use it to fill a registry without internet access."""
    _, loaded = usable(project, stack)
    for image in loaded.images():
        click.echo(image)
    for name, further in {agent.kind: agent.further_images for agent in loaded.agents if agent.further_images}.items():
        note(f"{name}: {further}")


@click.command(short_help="Print what agents connect to, for a firewall.")
@stack_argument
@project_option
@format_option("table", "json")
def hosts(stack: str, project: Path | None, form: str) -> None:
    """Print what the agents of a STACK (default: local) connect to, for a firewall: host, port, who, why.

    The network policies of agents with `network` are made from the same list. WHO is `<agent>/<pods>`, `nodes` for images, or the proxy
    that carries the connections. JSON output is an object with `hosts`, a list of objects with the keys `host`, `ports`, `protocol`,
    `who` and `why`.
    """
    from scalr_agents.stack import hosts as of_stack

    _, loaded = usable(project, stack)
    found = of_stack.of(loaded.agents)
    if form == "json":
        click.echo(json.dumps({"hosts": [each.as_json() for each in found]}, indent=2))
    else:
        click.echo("\n".join(table(of_stack.rows(found))))
    if loaded.machines:
        note(f"not in this list: machines {', '.join(each.name for each in loaded.machines)}; see docs/machines.md")
    if any(agent.inputs.network is None or agent.inputs.network.egress is None for agent in loaded.agents):
        note("runs also connect to cloud APIs, VCS providers and private registries, which are not known here")


@click.command(short_help="Print the alerts of a stack.")
@stack_argument
@project_option
@format_option("rule", "rules-file")
def alerts(stack: str, project: Path | None, form: str) -> None:
    """Print alerts for the agents of a STACK (default: local), on metrics of kube-state-metrics and the kubelet.

    `rule` prints a PrometheusRule for each agent, as `observability.prometheusRules` deploys them; `rules-file` prints a file for a
    Prometheus without operator. Labels and the address of runbooks are those of the stack file. See docs/alerts.md.
    """
    from scalr_agents import observability

    _, loaded = usable(project, stack)
    printed = observability.rules_file(loaded) if form == "rules-file" else output.text(observability.rules_of(loaded), "yaml")
    click.echo(printed, nl=False)
    if loaded.machines:
        note(f"no alerts: machines {', '.join(each.name for each in loaded.machines)}; these alerts are on metrics of Kubernetes")


@click.command(short_help="Print a dashboard for a stack.")
@stack_argument
@project_option
def dashboard(stack: str, project: Path | None) -> None:
    """Print a Grafana dashboard about the agents of a STACK (default: local), as JSON to import. See docs/alerts.md."""
    from scalr_agents import observability

    _, loaded = usable(project, stack)
    if not loaded.agents:
        note(f"{stack}: no agents on Kubernetes, so there is nothing to show")
        sys.exit(FINDINGS)
    click.echo(observability.dashboard_of(loaded), nl=False)


@click.command(short_help="Draw a stack.")
@stack_argument
@project_option
def graph(stack: str, project: Path | None) -> None:
    """Draw a STACK (default: local): agents, machines, what they mount, and what they may connect to through which policy.

    The picture is a Mermaid flowchart, which GitHub, GitLab and many editors show.
    """
    from scalr_agents.stack import graph as of_stack

    click.echo(of_stack.mermaid(of_stack.of(usable(project, stack)[1])), nl=False)


@click.command(short_help="Print the files of a machine.")
@click.argument("name")
@stack_argument
@project_option
@format_option("cloud-init", "compose", "run", "systemd")
def machine(name: str, stack: str, project: Path | None, form: str) -> None:
    """Print the files of machine NAME of a STACK (default: local), for virtual machines and Docker hosts.

    `cloud-init` is the user data of a fresh machine, `systemd` the files one by one, `compose` a Compose file, `run` a command. The
    remaining steps are printed on stderr. No format contains the token.
    """
    _, loaded = usable(project, stack)
    found = {each.name: each for each in loaded.machines}.get(name)
    if found is None:
        raise click.BadParameter(f"no machine {name!r}; {nearest(name, [each.name for each in loaded.machines])}", param_hint="NAME")
    if refusal := found.refusal(form):
        raise click.BadParameter(refusal, param_hint="--output")
    click.echo(found.document(form), nl=False)
    for step in found.steps(form):
        note(step)


COMMANDS = (render, check, images, hosts, alerts, dashboard, graph, machine)
