"""A validated agent: the values of its chart in a release, and the objects made from them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Generic

from scalr_agents.charts.shared import moved
from scalr_agents.charts.shared.chart import Chart, Group, V
from scalr_agents.charts.shared.checks import egress
from scalr_agents.charts.shared.inputs import Inputs
from scalr_agents.charts.shared.manifests import crds, external_secrets, secrets
from scalr_agents.charts.shared.network.destinations import Pods
from scalr_agents.model import checks, parse
from scalr_agents.model.deprecation import without_deprecated_defaults
from scalr_agents.model.findings import Finding, Path, by_severity, error, errors, starts, warning
from scalr_agents.model.forms import Deferred, is_subdomain
from scalr_agents.model.layers import Layer, is_given
from scalr_agents.model.manifests import Manifest
from scalr_agents.model.merge import lookup, merge
from scalr_agents.model.names import Identity, Naming, cut, full_name
from scalr_agents.model.release import Release


@dataclass(frozen=True)
class Agent(Generic[V]):
    """An agent after validation. Values with an error among the findings are replaced by their defaults."""

    chart: Chart[V]
    values: V
    release: Release
    inputs: Inputs
    findings: list[Finding]
    name: str = ""
    """Name of the agent in its stack."""
    _groups: dict[str, Group] = field(default_factory=dict, init=False, repr=False, compare=False)

    @cached_property
    def secret_data(self) -> secrets.SecretData:
        """Contents of the Secrets that are created here, not of those that an operator makes."""
        secret_data = self.chart.secret_data(self.values, self.inputs)
        return {role: data for role, data in secret_data.items() if not external_secrets.is_external(data)}

    @cached_property
    def objects(self) -> list[Manifest]:
        """Its objects in the order in which they must be applied, without the custom resource definitions, which agents share."""
        return list(self.by_role(secrets.known_digest(self.secret_data)).values())

    def group(self, name: str) -> Group:
        """The objects of one group by role, without the digest of the secrets. They are made only once."""
        if name not in self._groups:
            group = self.chart.groups[name](self.values, self.release, self.inputs)
            self._groups[name] = external_secrets.in_place_of_secrets(group)
        return self._groups[name]

    def by_role(self, digest: str | Deferred | None = None) -> Group:
        """All objects by role, with the digest of the secrets as an annotation of the pods."""
        groups = (secrets.with_digest(self.group(name), digest) for name in self.chart.groups)
        return {role: manifest for group in groups for role, manifest in group.items()}

    @property
    def pods(self) -> Sequence[Pods]:
        """Its pods, and what they connect to."""
        return self.chart.pods(self.values, self.release, self.inputs)

    def with_definitions(self) -> list[Manifest]:
        """The custom resource definitions that it needs, followed by its objects."""
        return [*crds.objects(self.release.line).values(), *self.objects]


AnyAgent = Agent[Any]
"""An agent of any chart."""


def load(
    chart: Chart[V],
    values: Mapping[str, Any],
    *,
    release: str,
    namespace: str,
    agent_version: str | None = None,
    naming: Naming = "scoped",
    inputs: Inputs | None = None,
) -> Agent[V]:
    """Validate the values of a chart for one release.

    Joins the findings of two passes: the shape of the values, then cross-checks on the valid ones. Raises `LineError` for an unsupported
    agent version; everything else is a finding.
    """
    inputs = inputs or Inputs()
    described, model, findings, left_out = identify(
        chart, values, release=release, namespace=namespace, agent_version=agent_version, naming=naming
    )
    checked = list(chart.check(model, described, inputs))
    if not errors(checked):  # the variables of pods are made of values that the checks allow
        checked += egress.check(chart.pods(model, described, inputs), described, inputs) if inputs.network else ()
    findings += _without(left_out, checked)
    return Agent(chart, model, described, inputs, by_severity(findings))


def identify(
    chart: Chart[V],
    values: Mapping[str, Any],
    *,
    release: str,
    namespace: str,
    agent_version: str | None = None,
    naming: Naming = "scoped",
) -> tuple[Release, V, list[Finding], list[Path]]:
    """The first pass: the release, the typed values, the findings on their shape, and the paths left out because of them."""
    table, line = chart.versions, chart.versions.line(agent_version)
    version = agent_version or line.default_version
    present, outdated, now = moved.without(values, chart.moved)
    model, findings, left_out = parse.parse(chart.values, merge(table.defaults(version), present))
    unknown = list(_unknown(chart, version, present))
    findings = [*outdated, *_hinted(chart, without_deprecated_defaults(findings, present)), *unknown, *_newer(chart, version)]
    left_out = [*left_out, *now, *(finding.at for finding in unknown)]
    labels, annotations = chart.common(model)
    account = _service_account(model)
    base = cut(model.name_override or line.base_name)
    full = full_name(model.name_override or line.base_name, release, model.fullname_override)
    identity = Identity(full, base, namespace, account.name or (full if account.create else "default"), naming)
    described = Release(
        line=line,
        name=release,
        namespace=namespace,
        version=version,
        full_name=full,
        base_name=base,
        common_labels=labels,
        common_annotations=annotations,
        names=line.names(identity),
    )
    return described, model, findings + _check_place(release, namespace, full), left_out


def _service_account(values: Any) -> Any:
    """The section `serviceAccount`, which every chart has with different fields."""
    return values.service_account


def misshapen_sections(chart: Chart[Any], layer: Layer) -> list[Finding]:
    """Findings that a later layer would hide: sections that are not maps, and values that have moved."""
    present, outdated, _ = moved.without(layer.values, chart.moved)
    return [layer.own(finding) for finding in (*outdated, *parse.misshapen_sections(chart.values, present))]


def shapes(chart: Chart[Any], layer: Layer) -> list[Finding]:
    """Findings on the keys and types of values, for callers that cannot load them because their version is not known."""
    present, outdated, _ = moved.without(layer.values, chart.moved)
    return [layer.own(finding) for finding in (*outdated, *_hinted(chart, parse.parse(chart.values, present)[1]))]


def _hinted(chart: Chart[Any], findings: Iterable[Finding]) -> Iterator[Finding]:
    """The findings, those on unknown keys with what the chart says of them."""
    for finding in findings:
        hint = chart.hints.get(finding.path)
        yield replace(finding, message=f"unknown key {str(finding.at[-1])!r}: {hint}") if hint else finding


def _unknown(chart: Chart[Any], version: str, given: Mapping[str, Any]) -> Iterator[Finding]:
    """Values that the agents of a version do not support, with the versions that do."""
    table = chart.versions
    for path in table.unknown(version):
        parts = path.split(".")
        if is_given(given, parts) and not _is_empty(lookup(given, *parts)):
            message = f"agents {table.ignorant(version, path)} do not support it; agents {table.knowing(path)} do (see the agent version)"
            yield error(path, f"unknown key {parts[-1]!r}: {message}")


def _is_empty(value: Any) -> bool:
    """Whether a value is empty, like those that users copy from a chart's own values file."""
    return all(map(_is_empty, value.values())) if isinstance(value, Mapping) else value is None or value in ("", [])


def _newer(chart: Chart[Any], version: str) -> Iterator[Finding]:
    if chart.versions.is_newer(version):
        newest = chart.versions.published[-1]
        message = (
            f"{version} is newer than {newest.agent}, the newest version that was compared with its Helm chart "
            f"({chart.name} {newest.chart}): read the release notes since then, and try the version on one agent first"
        )
        yield warning("agent_version", message)


def _check_place(release: str, namespace: str, full: str) -> list[Finding]:
    findings = list(checks.place(release, namespace))
    if is_subdomain(release) and not is_subdomain(full):
        findings.append(error("fullnameOverride", f"results in an object name that Kubernetes rejects: {full!r}"))
    return findings


def _without(left_out: list[Path], findings: Iterable[Finding]) -> Iterator[Finding]:
    """The findings, without those on values that were left out: they would concern a default that nobody chose."""
    for finding in findings:
        if not any(_meet(path, cut) for cut in left_out for path in (finding.at, *finding.presumes) if path):
            yield finding


def _meet(one: Path, other: Path) -> bool:
    return starts(one, other) or starts(other, one)
