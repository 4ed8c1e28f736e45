"""The commands for those who come from Helm: they read values files of a chart."""

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import replace
from itertools import takewhile
from pathlib import Path
from typing import Any

import click

from scalr_agents import lines, output, yaml_io
from scalr_agents.positions import Document, broken
from scalr_agents.printing import FINDINGS, format_option, report, say
from scalr_agents.values.findings import Finding, errors, parts
from scalr_agents.values.layers import Layer, combine, locate
from scalr_agents.values.merge import Values, lookup

_FROM_HELM = "What helm get values prints, with or without its header.  [default: -, for stdin]"


@click.command()
@click.argument("chart")
@click.option("-f", "--values", "files", multiple=True, type=click.Path(path_type=Path), help="Values file (- for stdin); later ones win.")
@click.option("--set", "sets", multiple=True, help="Values as path=value[,path=value].")
@click.option("--set-string", "strings", multiple=True, help="The same, every value a string.")
@click.option("--set-file", "set_files", multiple=True, help="The same, every value the path of a file that holds it.")
@click.option("--set-json", "jsons", multiple=True, help="The same, every value JSON; or one JSON object.")
@click.option("--release", default="scalr-agent", show_default=True, help="Name of the release.")
@click.option("-n", "--namespace", default="default", show_default=True, help="Namespace of the release.")
@click.option("--agent-version", help="Version of the agent.  [default: the chart's]")
@format_option("yaml", "json")
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

    documents = {str(file): _document(file) for file in files}
    layers = [Layer("", _parsed(document), file=name) for name, document in documents.items()]
    given = deepcopy(combine(layers))
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
    report(_located(checked.findings, documents, layers, given))
    if errors(checked.findings):
        sys.exit(FINDINGS)
    click.echo(output.text(manifests.with_definitions(checked), form), nl=False)


def _located(findings: Iterable[Finding], documents: Mapping[str, Document], layers: Sequence[Layer], given: Values) -> Iterator[Finding]:
    """The findings with their positions in the last file that says what they are about. What an option says has none."""
    in_files = combine(layers)
    for finding in findings:
        path = parts(finding.path)
        keys = [str(part) for part in takewhile(lambda part: isinstance(part, str), path)]
        file = locate(finding, layers, "").position
        unchanged = lookup(given, *keys) == lookup(in_files, *keys)
        yield replace(finding, position=documents[file.file].position(path)) if file and unchanged else finding


@click.command("convert-values")
@click.option("-f", "--values", "file", required=True, type=click.Path(path_type=Path), help="Values file (- for stdin).")
def convert_values(file: Path) -> None:
    """Print a values file of the alpha of the chart agent-job in the present shape.

    What could not be carried over or wants a look is named on stderr; exit code 1 if something could not. The file's comments are
    lost. A file that is in the present shape already is printed as it is.
    """
    from scalr_agents.values.agent_job import alpha

    document = _document(file)
    given = _parsed(document)
    converted, findings = alpha.convert(given)
    text = yaml_io.dump([converted]) if alpha.is_alpha(given) else document.text
    if not alpha.is_alpha(given):
        say(f"{document.name}: no value of the alpha; printed as it is")
    report(replace(finding, position=document.position(parts(finding.path))) for finding in findings)
    click.echo(text, nl=False)
    sys.exit(FINDINGS if errors(findings) else 0)


@click.command("adopt")
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
    document = _document(file)
    given = _parsed(Document(document.name, adoption.without_header(document.text)))
    possible = [kind] if kind else adoption.kinds_of(given)
    if len(possible) != 1:
        among = f"the values could be those of {', '.join(possible)}" if possible else "the values are those of no kind as they are"
        raise click.UsageError(f"{among}; give --kind: helm list -n {namespace} shows it under CHART")
    try:
        adopted = adoption.take_over(given, chart=possible[0], release=release, namespace=namespace, agent_version=agent_version)
    except lines.LineError as problem:
        raise click.UsageError(str(problem)) from None
    report(adopted.findings)
    if errors(adopted.findings):
        sys.exit(FINDINGS)
    if target is None:
        click.echo(adopted.file(), nl=False)
    else:
        try:
            adopted.write(target)
        except OSError as problem:
            raise click.BadParameter(f"{target}: {problem.strerror}", param_hint="--write") from None
    for text in (*(f"note: {note}" for note in adopted.notes), *adopted.instructions()):
        say(text)


def _document(file: Path) -> Document:
    return Document("stdin", _read("/dev/stdin")) if str(file) == "-" else Document(str(file), _read(str(file)))


def _parsed(document: Document) -> dict[str, Any]:
    try:
        return yaml_io.load_values(document.text)
    except yaml_io.YamlError as problem:
        report([broken(document.name, problem)])
        sys.exit(FINDINGS)


def _read(path: str) -> str:
    from scalr_agents.stack import source

    try:
        return source.read_text(Path(path))
    except source.SourceError as problem:
        raise click.UsageError(str(problem)) from None
