"""The command line. It runs on the functional core alone and never imports Pulumi."""

import json
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import click

from scalr_agents import lines, output, yaml_io
from scalr_agents.values.findings import Finding, by_severity, errors, warnings
from scalr_agents.values.merge import merge

_FINDINGS = 1
_FROM_HELM = "What helm get values prints, with or without its header.  [default: -, for stdin]"


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="scalr-agents")
def main() -> None:
    """Scalr's self-hosted agents on Kubernetes: print and check what `pulumi up` would deploy.

    Exit codes: 0 all well, 1 findings, 2 wrong usage.
    """


_project_option = click.option(
    "--project",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    default=Path(),
    help="Directory of the Pulumi project, or one below it.  [default: the current directory]",
)
_format_option = click.option("-o", "--output", "form", type=click.Choice(["yaml", "json"]), default="yaml", show_default=True)


@main.command()
@click.argument("stack", default="local")
@_project_option
@_format_option
@click.option("-d", "--directory", type=click.Path(file_okay=False, path_type=Path), help="Write one file per object into this directory.")
@click.option("--allow-unknown", is_flag=True, help="Exit 0 although something is only known to Pulumi or the cloud.")
def render(stack: str, project: Path, form: str, directory: Path | None, allow_unknown: bool) -> None:
    """Print the manifests of a STACK (default: local).

    What only Pulumi knows (secrets that are missing or encrypted) or only the cloud (ids of its file systems) is printed as a
    placeholder and named on stderr; files with a placeholder are not written. Without the cloud's part, or an environment's,
    the manifests are incomplete: exit code 1.
    """
    from scalr_agents import stack as stacks
    from scalr_agents.stack import secrets
    from scalr_agents.stack.source import CloudValue

    source = _source(project, stack)
    loaded = stacks.load(source.config, directory=source.directory, demand_tokens=False)
    findings = [*secrets.misplaced(source.config), *loaded.findings]
    _report(findings)
    if errors(findings):
        sys.exit(_FINDINGS)
    objects = loaded.objects()
    unknown = output.unknown(objects)
    from_cloud = [value for value in unknown if isinstance(value, CloudValue)]
    if directory is None:
        for value in unknown:
            _say(f"placeholder: {value} is {'known to the cloud only' if value in from_cloud else 'encrypted or not set'}")
        click.echo(output.text(objects, form), nl=False)
    else:
        _write(objects, directory, form)
    if source.environment:
        _say(f"{source.file.name}: environment: is not read; what it adds is missing here")
    sys.exit(_FINDINGS if (source.environment or from_cloud) and not allow_unknown else 0)


def _write(objects: Sequence[dict[str, Any]], directory: Path, form: str) -> None:
    try:
        left_out = output.write(objects, directory, form)
    except OSError as problem:
        raise click.ClickException(f"{directory}: {problem.strerror}") from None
    for manifest in left_out:
        metadata, places = manifest["metadata"], ", ".join(map(str, output.unknown([manifest])))
        within = f" in namespace {metadata['namespace']}" if "namespace" in metadata else ""
        _say(f"left out: {manifest['kind']} {metadata['name']}{within}: {places} is not known here")


@main.command()
@click.argument("chart")
@click.option("-f", "--values", "files", multiple=True, type=click.Path(path_type=Path), help="Values file (- for stdin); later ones win.")
@click.option("--set", "sets", multiple=True, help="Values as path=value[,path=value].")
@click.option("--set-string", "strings", multiple=True, help="The same, every value a string.")
@click.option("--set-file", "set_files", multiple=True, help="The same, every value the path of a file that holds it.")
@click.option("--set-json", "jsons", multiple=True, help="The same, every value JSON; or one JSON object.")
@click.option("--release", default="scalr-agent", show_default=True, help="Name of the release.")
@click.option("-n", "--namespace", default="default", show_default=True, help="Namespace of the release.")
@click.option("--agent-version", help="Version of the agent.  [default: the chart's]")
@_format_option
def template(
    chart: str,
    files: tuple[Path, ...],
    sets: tuple[str, ...],
    strings: tuple[str, ...],
    set_files: tuple[str, ...],
    jsons: tuple[str, ...],
    release: str,
    namespace: str,
    agent_version: str | None,
    form: str,
) -> None:
    """Print the manifests that the values of a CHART make, in the manner of `helm template`."""
    from scalr_agents import manifests, strvals, values

    given: dict[str, Any] = {}
    for file in files:
        given = merge(given, _values_file(file))
    options: tuple[tuple[str, tuple[str, ...], Callable[[dict[str, Any], str], None]], ...] = (
        ("--set-json", jsons, strvals.parse_json_into),
        ("--set", sets, strvals.parse_into),
        ("--set-string", strings, strvals.parse_strings_into),
        ("--set-file", set_files, lambda into, text: strvals.parse_file_into(into, text, _read)),
    )
    for option, texts, parse in options:
        for text in texts:
            try:
                parse(given, text)
            except strvals.StrvalsError as problem:
                raise click.BadParameter(str(problem), param_hint=option) from None
    try:
        checked = values.load(chart, given, release=release, namespace=namespace, agent_version=agent_version)
    except lines.LineError as problem:
        raise click.UsageError(str(problem)) from None
    _report(checked.findings)
    if errors(checked.findings):
        sys.exit(_FINDINGS)
    click.echo(output.text(manifests.with_definitions(checked), form), nl=False)


@main.command()
@click.argument("stack", default="local")
@_project_option
@click.option("--strict", is_flag=True, help="Exit 1 on warnings too.")
def check(stack: str, project: Path, strict: bool) -> None:
    """Print everything that is wrong or odd about a STACK (default: local); exit 1 if there is an error."""
    from scalr_agents import stack as stacks
    from scalr_agents.stack import secrets

    source = _source(project, stack)
    loaded = stacks.load(source.config, directory=source.directory, demand_tokens=not source.environment)
    findings = by_severity([*secrets.misplaced(source.config), *loaded.findings])
    for finding in findings:
        click.echo(finding)
    if source.environment:
        _say(f"{source.file.name}: environment: is not read; what it adds was not checked")
    bad, odd = len(errors(findings)), len(warnings(findings))
    _say(f"{stack}: {bad} errors, {odd} warnings")
    sys.exit(_FINDINGS if bad or (strict and odd) else 0)


@main.command()
@click.argument("stack", default="local")
@_project_option
def images(stack: str, project: Path) -> None:
    """Print every image that a STACK (default: local) pulls, one a line: what a registry without access to the internet must hold."""
    from scalr_agents import stack as stacks

    source = _source(project, stack)
    loaded = stacks.load(source.config, directory=source.directory, demand_tokens=False)
    if errors(loaded.findings):
        _report(errors(loaded.findings))
        sys.exit(_FINDINGS)
    for image in loaded.images():
        click.echo(image)
    if any(agent.checked.release.line.chart == "agent-k8s" for agent in loaded.agents):
        _say("agent-k8s: its runs pull further images, which the agent chooses: see docs/agent-k8s.md")


@main.command()
def schema() -> None:
    """Print the JSON Schema of stack files, for editors."""
    from scalr_agents.stack import schema as stack_schema

    click.echo(json.dumps(stack_schema.stack_file(), indent=2))


@main.command("convert-values")
@click.option("-f", "--values", "file", required=True, type=click.Path(path_type=Path), help="Values file (- for stdin).")
def convert_values(file: Path) -> None:
    """Print a values file of the alpha of the chart agent-job in the present shape.

    What could not be carried over or wants a look is named on stderr; exit code 1 if something could not. The file's comments are
    lost. A file that is in the present shape already is printed as it is.
    """
    from scalr_agents.values.agent_job import alpha

    text = _values_text(file)
    given = _parsed(text, file)
    converted, findings = alpha.convert(given)
    if alpha.is_alpha(given):
        text = yaml_io.dump([converted])
    else:
        _say(f"{_named(file)}: no value of the alpha; printed as it is")
    _report(findings)
    click.echo(text, nl=False)
    sys.exit(_FINDINGS if errors(findings) else 0)


@main.command("adopt")
@click.argument("release")
@click.option("-n", "--namespace", required=True, help="Namespace of the release.")
@click.option("-f", "--values", "file", type=click.Path(path_type=Path), default=Path("-"), help=_FROM_HELM)
@click.option("--write", "target", type=click.Path(path_type=Path), help="Write the file here, where none may be yet.  [default: print it]")
@click.option("--kind", type=click.Choice(lines.CHARTS), help="The release's chart.  [default: the one whose values these can be alone]")
@click.option("--agent-version", help="APP VERSION of the release.  [default: the kind's]")
def adopt(release: str, namespace: str, file: Path, target: Path | None, kind: str | None, agent_version: str | None) -> None:
    """Print the stack file that takes a Helm RELEASE over, without an outage.

    \b
    helm list -n NAMESPACE                            # shows chart and app version
    helm get values RELEASE -n NAMESPACE -o yaml |
      scalr-agents adopt RELEASE -n NAMESPACE --kind agent-job --agent-version 0.57.0 --write stacks/Pulumi.prod.yaml

    Secrets are left out. The commands that set them, and what else there is to do, stand on top of the file and are said on stderr:
    see docs/adopting.md. With an error nothing is printed or written.
    """
    from scalr_agents import adopt as adoption
    from scalr_agents.values import checks

    for finding in checks.place(release, namespace):
        raise click.BadParameter(finding.message, param_hint=finding.path.upper())
    if str(file) == "-" and (sys.stdin is None or sys.stdin.isatty()):
        raise click.UsageError(f"no values: pipe them in, helm get values {release} -n {namespace} -o yaml | scalr-agents adopt ...")
    given = _parsed(adoption.without_header(_values_text(file)), file)
    possible = [kind] if kind else adoption.kinds_of(given)
    if len(possible) != 1:
        among = f"the values could be those of {', '.join(possible)}" if possible else "the values are those of no kind as they are"
        raise click.UsageError(f"{among}; give --kind: helm list -n {namespace} shows it under CHART")
    try:
        adopted = adoption.take_over(given, chart=possible[0], release=release, namespace=namespace, agent_version=agent_version)
    except lines.LineError as problem:
        raise click.UsageError(str(problem)) from None
    _report(adopted.findings)
    if errors(adopted.findings):
        sys.exit(_FINDINGS)
    if target is None:
        click.echo(adopted.file(), nl=False)
    else:
        try:
            adopted.write(target)
        except OSError as problem:
            raise click.BadParameter(f"{target}: {problem.strerror}", param_hint="--write") from None
    for text in (*(f"note: {note}" for note in adopted.notes), *adopted.instructions()):
        _say(text)


def _source(project: Path, stack: str) -> Any:
    from scalr_agents.stack import source

    try:
        return source.read(source.find_project(project.resolve()), stack)
    except source.SourceError as problem:
        raise click.UsageError(str(problem)) from None


def _values_file(file: Path) -> dict[str, Any]:
    return _parsed(_values_text(file), file)


def _values_text(file: Path) -> str:
    return _read("/dev/stdin" if str(file) == "-" else str(file))


def _named(file: Path) -> str:
    return "stdin" if str(file) == "-" else str(file)


def _parsed(text: str, file: Path) -> dict[str, Any]:
    try:
        return yaml_io.load_values(text)
    except yaml_io.YamlError as problem:
        _report([Finding("error", _named(file), str(problem))])
        sys.exit(_FINDINGS)


def _read(path: str) -> str:
    from scalr_agents.stack import source

    try:
        return source.read_text(Path(path))
    except source.SourceError as problem:
        raise click.UsageError(str(problem)) from None


def _report(findings: Iterable[Finding]) -> None:
    for finding in findings:
        _say(str(finding))


def _say(text: str) -> None:
    click.echo(text, err=True)
