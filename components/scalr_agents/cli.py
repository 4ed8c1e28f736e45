"""The command line. It runs on the functional core alone and never imports Pulumi."""

import json
import shlex
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import BashComplete, FishComplete, ZshComplete

from scalr_agents import output, output_directory
from scalr_agents.charts.shared.inputs import ClusterValue
from scalr_agents.helm import commands as cli_helm
from scalr_agents.model.characters import escaped
from scalr_agents.model.checks import NO_REFERENCE
from scalr_agents.model.findings import Finding, FindingsError, by_severity, errors, nearest, starts, warnings
from scalr_agents.model.forms import is_image
from scalr_agents.model.manifests import Manifest
from scalr_agents.printing import FINDINGS, NamedPath, Program, counted, format_option, note, progress, report, table

if TYPE_CHECKING:
    from scalr_agents.cluster.api import Api
    from scalr_agents.stack import Stack
    from scalr_agents.stack.source import Source


_INTERRUPTED = 130
"""Exit code of a command that Ctrl-C ends, as shells have it."""


@click.group(cls=Program, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="scalr-agents")
def main() -> None:
    """Scalr's self-hosted agents on Kubernetes: print and check what `pulumi up` would deploy.

    STACK is the name of a stack of the project, or the path of its file, Pulumi.<stack>.yaml.

    Exit codes: 0 success, 1 findings, 2 wrong usage.
    """


for command in (cli_helm.template, cli_helm.convert_values, cli_helm.adopt):
    main.add_command(command)


def _stack_names(context: click.Context, _parameter: click.Parameter, begun: str) -> list[str]:
    """The stacks of the project, for completion in a shell."""
    from scalr_agents.stack import source

    try:
        directory = source.stack_directory(source.find_project((context.params.get("project") or Path()).resolve()))
    except (source.SourceError, FindingsError):
        return []
    return [name for name in source.stacks(directory) if name.startswith(begun)]


_stack_argument = click.argument("stack", default="local", shell_complete=_stack_names)
_project_option = click.option(
    "--project",
    type=NamedPath(exists=True, file_okay=False, path_type=Path),
    help="Directory of the Pulumi project, or one below it.  [default: the directory of the file, or the current one]",
)


_allow_exec_option = click.option(
    "--allow-exec", is_flag=True, help="Run the programs that a kubeconfig in the project names to get a credential."
)


@main.command(short_help="Print the manifests of a stack.")
@_stack_argument
@_project_option
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

    source, loaded = _usable(project, stack)
    with progress("making the manifests"):
        objects = _objects(loaded)
    unknown = output.unknown(objects)
    from_cloud = [value for value in unknown if isinstance(value, CloudValue | ClusterValue)]
    if directory is None:
        for value in unknown:
            note(f"placeholder: {value} is {_missing(value)}")
        click.echo(output.text(objects, form), nl=False)
    else:
        _write(objects, directory, form)
    if loaded.machines:
        note(f"no manifests: machines {', '.join(each.name for each in loaded.machines)}; scalr-agents machine NAME prints their files")
    if source.environment:
        note(f"{source.file.name}: environment: is not read; its settings are missing here")
    sys.exit(FINDINGS if (source.environment or from_cloud) and not allow_unknown else 0)


def _objects(stack: "Stack") -> Sequence[Manifest]:
    """The objects of a stack. What makes alerts and dashboards is imported only for them."""
    if not stack.observability.deploys:
        return stack.objects()
    from scalr_agents import observability

    return observability.complete(stack)


def _missing(value: object) -> str:
    """Why a value is not known here, and what to do about it."""
    from scalr_agents.stack.source import CloudValue

    if isinstance(value, ClusterValue):
        return "known only to the cluster; set this key to the networks of the API server"
    return "known only to the cloud" if isinstance(value, CloudValue) else "encrypted or not set"


def _write(objects: Sequence[dict[str, Any]], directory: Path, form: str) -> None:
    try:
        written = output_directory.write(objects, directory, form)
    except output_directory.DirectoryError as problem:
        raise click.BadParameter(f"{directory} {problem}", param_hint="--directory") from None
    except OSError as problem:
        raise click.ClickException(f"{directory}: {problem.strerror}") from None
    for name in written.removed:
        note(f"removed: {name}")
    for manifest in written.left_out:
        metadata, places = manifest["metadata"], ", ".join(map(str, output.unknown([manifest])))
        within = f" in namespace {metadata['namespace']}" if "namespace" in metadata else ""
        note(f"left out: {manifest['kind']} {metadata['name']}{within}: {places} is not known here; an existing file stays unchanged")


@main.command(short_help="Print errors and warnings about a stack.")
@_stack_argument
@_project_option
@format_option("text", "json", "github")
@click.option("--strict", is_flag=True, help="Exit 1 on warnings too.")
def check(stack: str, project: Path | None, form: str, strict: bool) -> None:
    """Print all errors and warnings about a STACK (default: local); exit 1 if there is an error.

    Each is one line: file, line and column if known, severity, path, message. JSON output is an object with `findings`, a list of
    objects with these keys (null if not known), and the counts `errors` and `warnings`. GitHub Actions makes annotations of `github`.
    """
    try:
        source, _, findings = _load(project, stack, demand_tokens=True)
        if source.environment:
            note(f"{source.file.name}: environment: is not read; its settings were not checked")
    except FindingsError as problem:
        findings = problem.findings
    if form == "json":
        click.echo(_as_json(findings))
    elif form == "github":
        click.echo("".join(f"{finding.as_github()}\n" for finding in findings), nl=False)
    else:
        report(findings, err=False)
    bad, odd = len(errors(findings)), len(warnings(findings))
    note(f"{stack}: {counted(bad, 'error')}, {counted(odd, 'warning')}")
    sys.exit(FINDINGS if bad or (strict and odd) else 0)


def _as_json(findings: Sequence[Finding]) -> str:
    listed = {"findings": [finding.as_json() for finding in findings]}
    return json.dumps({**listed, "errors": len(errors(findings)), "warnings": len(warnings(findings))}, indent=2)


@main.command(short_help="Print the images that a stack pulls.")
@_stack_argument
@_project_option
@click.option("--digests", is_flag=True, help="Print the digest of each image in a second column, `-` if it has none.")
def images(stack: str, project: Path | None, *, digests: bool) -> None:
    """Print every image that a STACK (default: local) pulls, one per line: use it to fill a registry without internet access."""
    _, loaded = _usable(project, stack)
    for image in loaded.images():
        name, _, digest = image.partition("@")
        click.echo(f"{name}\t{digest or '-'}" if digests else image)
    for name, further in {agent.chart.name: agent.chart.further_images for agent in loaded.agents if agent.chart.further_images}.items():
        note(f"{name}: {further}")


@main.command(short_help="Print what agents connect to, for a firewall.")
@_stack_argument
@_project_option
@format_option("table", "json")
def hosts(stack: str, project: Path | None, form: str) -> None:
    """Print what the agents of a STACK (default: local) connect to, for a firewall: host, port, who, why.

    The network policies of agents with `network` are made from the same list. WHO is `<agent>/<pods>`, `nodes` for images, or the proxy
    that carries the connections. JSON output is an object with `hosts`, a list of objects with the keys `host`, `ports`, `protocol`,
    `who` and `why`.
    """
    from scalr_agents.stack import hosts as of_stack

    _, loaded = _usable(project, stack)
    found = of_stack.of(loaded.agents)
    if form == "json":
        click.echo(json.dumps({"hosts": [each.as_json() for each in found]}, indent=2))
    else:
        click.echo("\n".join(table(of_stack.rows(found))))
    if loaded.machines:
        note(f"not in this list: machines {', '.join(each.name for each in loaded.machines)}; see docs/machines.md")
    if any(agent.inputs.network is None or agent.inputs.network.egress is None for agent in loaded.agents):
        note("runs also connect to cloud APIs, VCS providers and private registries, which are not known here")


@main.command(short_help="Print the alerts of a stack.")
@_stack_argument
@_project_option
@format_option("rule", "rules-file")
def alerts(stack: str, project: Path | None, form: str) -> None:
    """Print alerts for the agents of a STACK (default: local), on metrics of kube-state-metrics and the kubelet.

    `rule` prints a PrometheusRule for each agent, as `observability.prometheusRules` deploys them; `rules-file` prints a file for a
    Prometheus without operator. Labels and the address of runbooks are those of the stack file. See docs/alerts.md.
    """
    from scalr_agents import observability

    _, loaded = _usable(project, stack)
    printed = observability.rules_file(loaded) if form == "rules-file" else output.text(observability.rules_of(loaded), "yaml")
    click.echo(printed, nl=False)
    if loaded.machines:
        note(f"no alerts: machines {', '.join(each.name for each in loaded.machines)}; these alerts are on metrics of Kubernetes")


@main.command(short_help="Print a dashboard for a stack.")
@_stack_argument
@_project_option
def dashboard(stack: str, project: Path | None) -> None:
    """Print a Grafana dashboard about the agents of a STACK (default: local), as JSON to import. See docs/alerts.md."""
    from scalr_agents import observability

    _, loaded = _usable(project, stack)
    if not loaded.agents:
        note(f"{stack}: no agents on Kubernetes, so there is nothing to show")
        sys.exit(FINDINGS)
    click.echo(observability.dashboard_of(loaded), nl=False)


@main.command(short_help="Draw a stack.")
@_stack_argument
@_project_option
def graph(stack: str, project: Path | None) -> None:
    """Draw a STACK (default: local): agents, machines, what they mount, and what they may connect to through which policy.

    The picture is a Mermaid flowchart, which GitHub, GitLab and many editors show.
    """
    from scalr_agents.stack import graph as of_stack

    click.echo(of_stack.mermaid(of_stack.of(_usable(project, stack)[1])), nl=False)


@main.command(short_help="Print the files of a machine.")
@click.argument("name")
@_stack_argument
@_project_option
@format_option("cloud-init", "compose", "run", "systemd")
def machine(name: str, stack: str, project: Path | None, form: str) -> None:
    """Print the files of machine NAME of a STACK (default: local), for virtual machines and Docker hosts.

    `cloud-init` is the user data of a fresh machine, `systemd` the files one by one, `compose` a Compose file, `run` a command. The
    remaining steps are printed on stderr. No format contains the token.
    """
    _, loaded = _usable(project, stack)
    found = {each.name: each for each in loaded.machines}.get(name)
    if found is None:
        raise click.BadParameter(f"no machine {name!r}; {nearest(name, [each.name for each in loaded.machines])}", param_hint="NAME")
    if refusal := found.refusal(form):
        raise click.BadParameter(refusal, param_hint="--output")
    click.echo(found.document(form), nl=False)
    for step in found.steps(form):
        note(step)


@main.command(short_help="Print shell completion.")
@click.argument("shell", type=click.Choice(("bash", "zsh", "fish")))
def completion(shell: str) -> None:
    """Print the completion script for a shell. To use it at once: eval "$(scalr-agents completion bash)"."""
    writer = {"bash": BashComplete, "zsh": ZshComplete, "fish": FishComplete}[shell]
    click.echo(writer(main, {}, "scalr-agents", "_SCALR_AGENTS_COMPLETE").source())


@main.command(short_help="Check whether the cluster is ready for a stack.")
@_stack_argument
@_project_option
@format_option("text", "json")
@click.option("--probe", is_flag=True, help="Also start a pod like that of a run, for each agent. It is deleted afterwards.")
@click.option("--image", default="", help="Image of the probe, with /bin/sh.  [default: the runner's]")
@click.option("--timeout", type=click.IntRange(min=1), default=300, show_default=True, help="Seconds after which a probe is stopped.")
@_allow_exec_option
def doctor(stack: str, project: Path | None, form: str, *, probe: bool, image: str, timeout: int, allow_exec: bool) -> None:
    """Check whether the cluster of a STACK (default: local) is ready for it; exit 1 if there is an error.

    It creates nothing: it reads, and submits the stack's objects with a dry run, through the kubeconfig and context of the stack file. It
    needs the package's extra [live]. Each finding is one line: severity, subject, what is wrong, what to do. JSON output is an object
    with `findings`, a list of objects with the keys `severity`, `subject`, `problem` and `advice`, and the counts `errors`, `warnings` and
    `notes`. See docs/doctor.md.
    """
    from scalr_agents.cluster import programs
    from scalr_agents.doctor import command

    if image and not is_image(image):
        raise click.BadParameter(NO_REFERENCE, param_hint="--image")
    source, loaded = _usable(project, stack)
    if not loaded.on_kubernetes:
        note(f"{stack}: nothing on Kubernetes, so there is nothing to check")
        return
    if image and not probe:
        note("--image has no effect without --probe")
    try:
        with progress("running probes" if probe else "asking the cluster"):
            untrusted = [] if allow_exec else programs.checkouts(source)
            found = command.examined(loaded, untrusted, probe=probe, image=image, seconds=timeout)
    except command.ClusterError as problem:
        note(f"error: {problem}")
        sys.exit(FINDINGS)
    click.echo(command.as_json(found) if form == "json" else "".join(f"{finding}\n" for finding in found), nl=False)
    bad, odd = len(errors(found)), len(warnings(found))
    note(f"cluster of {stack}: {counted(bad, 'error')}, {counted(odd, 'warning')}")
    sys.exit(FINDINGS if bad else 0)


@main.command(short_help="Print what the agents of a stack do right now.")
@_stack_argument
@_project_option
@format_option("text", "json")
@click.option("-w", "--watch", is_flag=True, help="Print it again every 5 seconds, until Ctrl-C.")
@_allow_exec_option
def status(stack: str, project: Path | None, form: str, *, watch: bool, allow_exec: bool) -> None:
    """Print what the agents of a STACK (default: local) do right now; exit 1 if the pods of an agent are not all ready.

    For each agent: its version, pods that are ready, runs that are running or pending and why, the last failures, claims, and what differs
    from the stack file. Runs that wait or fail do not change the exit code. It only reads, through the kubeconfig and context of the stack
    file, and needs the package's extra [live]. JSON output is an object with `agents` and `notes`; docs/operations.md lists the keys.
    """
    from scalr_agents.live import command

    source, loaded = _usable(project, stack)
    with _cluster(source, loaded, allow_exec=allow_exec) as api:
        for found, notes in command.watched(api, loaded) if watch else [command.statuses(api, loaded)]:
            text = "".join(f"{escaped(line)}\n" for line in command.as_text(found, notes))
            if watch:
                click.clear()
            click.echo(command.as_json(found, notes) if form == "json" else text, nl=False)
    sys.exit(0 if all(each.ready for each in found) else FINDINGS)


@main.command(short_help="Show what a deployment will do to agents and runs.")
@_stack_argument
@_project_option
@format_option("text", "json")
@_allow_exec_option
def impact(stack: str, project: Path | None, form: str, *, allow_exec: bool) -> None:
    """Show what `pulumi up` of a STACK (default: local) will do; exit 1 if the API server rejects an object, or something cannot be judged.

    For each agent: which controllers restart, which runs are in progress, whether they continue, the deployment waits for them, or they
    end, and the longest wait. Then the objects that are created, replaced (claims are empty afterwards), removed or changed. It changes
    nothing: the API server compares, by a dry run, through the kubeconfig and context of the stack file. It needs the package's extra
    [live]. JSON output is an object with `agents`, `objects` and `notes`; docs/operations.md lists the keys.
    """
    from scalr_agents.impact import command

    source, loaded = _usable(project, stack)
    with _cluster(source, loaded, allow_exec=allow_exec) as api:
        with progress("asking the cluster"):
            found = command.examine(api, loaded)
        text = "".join(f"{escaped(line)}\n" for line in command.as_text(found))
        click.echo(command.as_json(found) if form == "json" else text, nl=False)
    sys.exit(0 if found.is_complete else FINDINGS)


@main.command(short_help="Print the logs of an agent, or of one of its runs.")
@click.argument("agent")
@click.option("--run", default="", help="Print the logs of this run: its id, or the name of its Job or pod.  [default: the agent's pods]")
@click.option("-f", "--follow", is_flag=True, help="Print new lines as they come, until the containers end.")
@click.option("-s", "--stack", default="local", show_default=True, shell_complete=_stack_names, help="Stack that has the agent.")
@_project_option
@_allow_exec_option
def logs(agent: str, run: str, stack: str, project: Path | None, *, follow: bool, allow_exec: bool) -> None:
    """Print the logs of the pods of AGENT: its controllers and workers, or with --run all containers of one of its runs.

    If there are several containers, each line starts with the names of pod and container. Pods of finished runs are soon deleted; the log
    of the run itself is in Scalr. It needs the package's extra [live].
    """
    from scalr_agents.live import command

    source, loaded = _usable(project, stack)
    found = {each.name: each for each in loaded.agents}.get(agent)
    if found is None:
        raise click.BadParameter(f"no agent {agent!r}; {nearest(agent, [each.name for each in loaded.agents])}", param_hint="AGENT")
    with _cluster(source, loaded, allow_exec=allow_exec) as api:
        for line in command.lines(api, found, run, follow=follow):
            click.echo(line)


@contextmanager
def _cluster(source: "Source", loaded: "Stack", *, allow_exec: bool) -> "Iterator[Api]":
    """The cluster of a stack. The command ends here if it cannot be read, or does not have what was requested."""
    from scalr_agents.cluster import programs
    from scalr_agents.live import command

    try:
        with command.opened(loaded, [] if allow_exec else programs.checkouts(source)) as api:
            yield api
    except (command.ClusterError, command.LogsError) as problem:
        note(f"error: {problem}")
        sys.exit(FINDINGS)
    except KeyboardInterrupt:
        sys.exit(_INTERRUPTED)


@main.command(short_help="Print the JSON Schema of stack files.")
def schema() -> None:
    """Print the JSON Schema of stack files, for editors."""
    from scalr_agents.stack import schema as stack_schema

    click.echo(json.dumps(stack_schema.stack_file(), indent=2))


def _usable(project: Path | None, stack: str) -> "tuple[Source, Stack]":
    """A stack without errors. If there are errors, the command ends here. Warnings are only counted: `check` prints them."""
    try:
        source, loaded, findings = _load(project, stack, demand_tokens=False)
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


def _load(project: Path | None, stack: str, *, demand_tokens: bool) -> "tuple[Source, Stack, list[Finding]]":
    """A stack, and all findings on it. Raises `FindingsError` for files that are not valid YAML."""
    from scalr_agents import stack as stacks
    from scalr_agents.stack import secrets
    from scalr_agents.stack.source import misspelt, unread

    source = _source(project, stack)
    with progress(f"reading {source.file.name}"):
        loaded = stacks.load(source.config, directory=source.directory, demand_tokens=demand_tokens and not source.environment)
    misplaced = list(secrets.misplaced(source.config))
    others = [finding for finding in loaded.findings if not any(_waits(finding, other) for other in errors(misplaced))]
    placeholders = secrets.placeholders(source.config) if demand_tokens else ()
    findings = by_severity([*misplaced, *unread(source), *placeholders, *misspelt(source), *others, *_about_clouds(loaded, source)])
    if findings:
        from scalr_agents.stack import positions

        findings = positions.locate(findings, source)
    return source, loaded, findings


def _waits(finding: Finding, misplaced: Finding) -> bool:
    """Whether a finding is on a value that belongs elsewhere, or on the section of an agent that is empty without it."""
    return finding.at == misplaced.at or (len(finding.at) > len(("agents", "<name>")) and starts(misplaced.at, finding.at))


def _about_clouds(loaded: "Stack", source: "Source") -> Iterator[Finding]:
    from scalr_agents.stack import clouds

    yield from clouds.region(source)
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
