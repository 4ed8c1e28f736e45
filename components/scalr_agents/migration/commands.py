"""The commands that convert the values of a release and take it over, and how files are read for users of Helm."""

import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import click

from scalr_agents.charts import CHARTS
from scalr_agents.model import checks, yaml_io
from scalr_agents.model.findings import errors
from scalr_agents.model.maps import lookup
from scalr_agents.model.origins import Document, broken
from scalr_agents.model.release import LineError
from scalr_agents.printing import FINDINGS, NamedPath, note, report

T = TypeVar("T")

_FROM_HELM = "Output of helm get values, with or without its header.  [default: -, for stdin]"


@click.command("convert-values", short_help="Convert values of the alpha of agent-job.")
@click.option("-f", "--values", "file", required=True, type=NamedPath(path_type=Path), help="Values file (- for stdin).")
def convert_values(file: Path) -> None:
    """Convert a values file of the alpha of the chart agent-job to the present shape, and print it.

    Values that cannot be converted, and those to check, are listed on stderr; exit code 1 if a value cannot be converted. Comments are
    lost. A file that is in the present shape already is printed unchanged.
    """
    from scalr_agents.migration import alpha

    document = read(file)
    given = parsed(document, yaml_io.load_values)
    converted, findings = alpha.convert(given)
    text = document.text
    if alpha.is_alpha(given):
        text = yaml_io.dump([converted])
    else:
        note(f"{document.name}: no value of the alpha; printed unchanged")
    report(replace(finding, position=document.position(finding.at)) for finding in findings)
    click.echo(text, nl=False)
    sys.exit(FINDINGS if errors(findings) else 0)


@click.command("adopt", short_help="Print the stack file that takes over a release.")
@click.argument("release")
@click.argument("chart", required=False, type=click.Choice(CHARTS), metavar="[CHART]")
@click.option("-n", "--namespace", required=True, help="Namespace of the release.")
@click.option("-f", "--values", "file", type=NamedPath(path_type=Path), default=Path("-"), help=_FROM_HELM)
@click.option("--manifest", type=NamedPath(path_type=Path), help="Output of helm get manifest. With it, changes on the cluster are listed.")
@click.option("--metadata", type=NamedPath(path_type=Path), help="Output of helm get metadata: chart and versions of the release.")
@click.option("--chart-version", help="Version of the chart.  [default: from the metadata or manifest]")
@click.option("--agent-version", help="APP VERSION of the release.  [default: from the version of the chart]")
@click.option("--write", "target", type=NamedPath(path_type=Path), help="File to write, which must not exist.  [default: print it]")
def adopt(
    release: str,
    chart: str | None,
    namespace: str,
    file: Path,
    manifest: Path | None,
    metadata: Path | None,
    chart_version: str | None,
    agent_version: str | None,
    target: Path | None,
) -> None:
    """Print the stack file that takes over a Helm RELEASE without an outage.

    \b
    helm get values RELEASE -n NAMESPACE --all -o yaml |
      scalr-agents adopt RELEASE -n NAMESPACE --write stacks/Pulumi.prod.yaml \\
        --metadata <(helm get metadata RELEASE -n NAMESPACE) \\
        --manifest <(helm get manifest RELEASE -n NAMESPACE)

    CHART is agent-job, agent-local or agent-k8s; by default, it is taken from the metadata, the manifest or the values.

    Changes on the cluster are listed on stderr; those that are not corrections of the chart are warnings. Secrets are left out. The
    commands that set them, and the other steps, are at the top of the file and on stderr: see docs/adopting.md. After an error,
    nothing is printed or written.
    """
    from scalr_agents.migration import adopt as adoption
    from scalr_agents.migration.adopt.release import About, AboutError, joined, of_manifest, of_metadata

    for finding in checks.place(release, namespace):
        raise click.BadParameter(finding.message, param_hint=finding.path.upper())
    if str(file) == "-" and (sys.stdin is None or sys.stdin.isatty()):
        raise click.UsageError(f"no values: pipe them in, helm get values {release} -n {namespace} --all -o yaml | scalr-agents adopt ...")
    if [str(each) for each in (file, manifest, metadata)].count("-") > 1:
        raise click.UsageError("stdin has one content: give only one of --values (default: stdin), --manifest and --metadata as -")
    document = read(file)
    given = parsed(Document(document.name, adoption.without_header(document.text)), yaml_io.load_values)
    objects = _manifest(manifest) if manifest else None
    sources = [About("the command line", chart or "", chart_version or "", agent_version or "")]
    try:
        sources += [of_metadata(read(metadata).text, release, namespace)] if metadata else []
        sources += [of_manifest(objects)] if objects else []
        about = joined(sources)
        adopted = adoption.take_over(
            given,
            chart=about.chart or _only_chart(adoption.charts_of(given), namespace),
            release=release,
            namespace=namespace,
            agent_version=about.agent_version,
            chart_version=about.chart_version,
            manifest=objects,
        )
    except (LineError, AboutError) as problem:
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
    for text in (*(f"note: {each}" for each in adopted.notes), *adopted.listing(), *adopted.instructions()):
        note(text)


def _only_chart(possible: Sequence[str], namespace: str) -> str:
    if len(possible) == 1:
        return possible[0]
    among = f"these values match several charts: {', '.join(possible)}" if possible else "these values match no known chart"
    raise click.UsageError(f"{among}; set --metadata, or add the chart after the release (helm list -n {namespace} shows it under CHART)")


def _manifest(file: Path) -> list[dict[str, Any]]:
    document = read(file)
    objects = parsed(document, yaml_io.load_manifest)
    if not objects or not all(isinstance(item.get("kind"), str) and isinstance(lookup(item, "metadata", "name"), str) for item in objects):
        raise click.UsageError(
            f"{document.name}: not a manifest, because every object must have a kind and a name; use the output of helm get manifest"
        )
    return objects


def read(file: Path) -> Document:
    """The text of a file, or of stdin. The command ends here if it cannot be read."""
    from scalr_agents.stack import source

    name, path = ("stdin", Path("/dev/stdin")) if str(file) == "-" else (str(file), file)
    try:
        return Document(name, source.read_text(path, streams=True))
    except source.SourceError as problem:
        raise click.UsageError(str(problem)) from None


def parsed(document: Document, load: Callable[[str], T]) -> T:
    """The content of a document. The command ends here if it is not valid YAML."""
    try:
        return load(document.text)
    except yaml_io.YamlError as problem:
        report([broken(document.name, problem)])
        sys.exit(FINDINGS)
