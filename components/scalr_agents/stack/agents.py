"""One agent of a stack: its words and values, layer by layer, become a validated release."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scalr_agents import charts as chart_values
from scalr_agents.charts import Checked, Finding, kinds
from scalr_agents.charts import objects as manifests
from scalr_agents.charts.shared import settings as word_values
from scalr_agents.charts.shared.inputs import Inputs
from scalr_agents.charts.shared.manifests.objects import Manifest
from scalr_agents.model import lines, yaml_io
from scalr_agents.model import parse as shapes
from scalr_agents.model.fields import is_dns_label
from scalr_agents.model.findings import dotted
from scalr_agents.model.layers import Layer, combine, locate
from scalr_agents.model.merge import lookup
from scalr_agents.model.positions import broken
from scalr_agents.stack import common, secrets
from scalr_agents.stack.model import PREFIX, AgentEntry, AgentSecrets, StackFile
from scalr_agents.stack.source import SourceError, read_text

if TYPE_CHECKING:
    from scalr_agents.stack.caches import Caches


_OWN_KEYS = {field.alias or name for name, field in AgentEntry.model_fields.items()}


@dataclass(frozen=True)
class StackAgent:
    """One agent of a stack, ready to be rendered or deployed."""

    name: str
    checked: Checked
    inputs: Inputs

    @property
    def place(self) -> str:
        return _place(self.name)

    @cached_property
    def objects(self) -> list[Manifest]:
        """The agent's objects in the order in which they must be applied."""
        return manifests.objects(self.checked, self.inputs)


def build(
    name: str, file: StackFile, bundle: str, directory: Path, caches: "Caches | None", *, demand_tokens: bool
) -> tuple[StackAgent | None, list[Finding]]:
    """An agent of the stack file, and everything that is wrong about it. `bundle` are the certificates of `common`."""
    entry, given = file.agents[name], file.secrets.get(name, AgentSecrets())
    place = _place(name)
    try:
        words = word_values.of(lines.select(entry.kind, entry.agent_version or file.common.agent_version or None))
    except lines.LineError as problem:
        return None, [Finding("error", _place_of_version(name, entry), str(problem))]
    shared, findings = common.layers(file.common, bundle, words, name)
    files, file_findings = _values_files(place, entry, directory)
    own = [*files, Layer(f"{place}.values", entry.values)]
    secret, secret_findings = secrets.layers(name, given, [*shared, *own], words, demanded=demand_tokens)
    cache, cache_findings = caches.layer(name, own, words) if caches else ([], [])
    layers = [*shared, *own, *common.nodes(place, entry.nodes, words), *cache, *common.identity(place, entry.identity, words, own), *secret]
    exposed = list(secrets.in_the_open(name, own, words))
    findings += [*file_findings, *(finding for layer in own for finding in chart_values.misshapen_sections(entry.kind, layer))]
    findings += [*_check_entry(name, entry), *_check_metadata_service(place, entry, own), *exposed, *secret_findings, *cache_findings]
    awaited = file.kubernetes.rollout_timeout_seconds if file.kubernetes.await_rollout else None
    inputs = Inputs(secret_env=given.env, mirror_tokens=given.mirror_tokens, rollout_timeout_seconds=awaited)
    checked = chart_values.load(
        entry.kind,
        combine(layers),
        release=entry.release or name,
        namespace=entry.namespace,
        agent_version=entry.agent_version or file.common.agent_version or None,
        naming=entry.names,
        inputs=inputs,
    )
    located = [_locate(finding, name, entry, layers) for finding in checked.findings]
    moving = {_spot(finding) for finding in exposed}  # what is wrong with them can be said when they are in place
    findings += [finding for finding in located if _spot(finding) not in moving]
    return StackAgent(name, checked, inputs), [*findings, *_seeming_secrets(name, own, findings)]


def _place(name: str) -> str:
    return f"{PREFIX}:agents.{name}"


def misplaced_keys(agents: Any) -> Iterator[Finding]:
    """Keys directly on an agent that belong elsewhere: secrets, and values of its chart."""
    for name, given in agents.items() if isinstance(agents, dict) else ():
        kind = given.get("kind") if isinstance(given, dict) else None
        if isinstance(kind, str) and kind in lines.CHARTS:
            for key in given.keys() - _OWN_KEYS:
                yield from _misplaced_key(kind, key, f"{PREFIX}:{dotted(('agents', name, key))}")


def _misplaced_key(kind: str, key: str, place: str) -> Iterator[Finding]:
    if key in secrets.MISPLACED:
        yield secrets.misplaced_at(place)
    elif found := shapes.places(kinds.find(kind).model, key):
        paths = " or ".join(f"values.{path}" for path in found)
        yield Finding("error", place, f"unknown key {key!r}; it is a value of {kind}: write {paths}")


def _place_of_version(name: str, entry: AgentEntry) -> str:
    return f"{_place(name)}.agentVersion" if entry.agent_version else f"{PREFIX}:common.agentVersion"


def _check_entry(name: str, entry: AgentEntry) -> Iterator[Finding]:
    if not is_dns_label(name):
        yield Finding("error", _place(name), "not a name for an agent: lower case letters, digits and '-'")
    if entry.role == "vcs" and entry.kind != "agent-local":
        yield Finding("error", f"{_place(name)}.role", f"{entry.kind} serves runs only; agent-local serves VCS providers too")


def _check_metadata_service(place: str, entry: AgentEntry, own: list[Layer]) -> Iterator[Finding]:
    """Runs of agent-local reach the metadata service unless something else is said, as with its chart."""
    said = lookup(combine(own), "allowMetadataService")
    if entry.kind == "agent-local" and entry.role == "runs" and said is None:
        yield Finding(
            "warning",
            f"{place}.values.allowMetadataService",
            "open: runs can take the credentials of their node from the metadata service; set it to false, or to true if they should",
        )


def _values_files(place: str, entry: AgentEntry, directory: Path) -> tuple[list[Layer], list[Finding]]:
    layers, findings = [], []
    for index, file in enumerate(entry.values_files):
        try:
            layers.append(Layer("", yaml_io.load_values(read_text(directory / file)), file=file))
        except yaml_io.YamlError as problem:
            findings.append(broken(file, problem))
        except SourceError as problem:
            findings.append(Finding("error", f"{place}.valuesFiles[{index}]", str(problem)))
    return layers, findings


def _seeming_secrets(name: str, layers: list[Layer], findings: list[Finding]) -> Iterator[Finding]:
    """Secrets among the values that only their look tells, where nothing else is said, each place once."""
    said = {_spot(finding) for finding in findings}
    for finding in secrets.seeming(name, layers) if any(layer.values for layer in layers) else ():
        if _spot(finding) not in said:
            said.add(_spot(finding))
            yield finding


def _spot(finding: Finding) -> tuple[object, str]:
    """Where a finding stands, in which file and there."""
    return finding.position, finding.path


def _locate(finding: Finding, name: str, entry: AgentEntry, layers: list[Layer]) -> Finding:
    place = _place(name)
    if finding.path in ("release", "namespace"):
        return finding.under(place)
    if finding.path == "agent_version":
        return replace(finding, path=_place_of_version(name, entry))
    if secret := secrets.located(name, finding.path):
        return replace(finding, path=secret)
    if finding.path == "rollout_timeout_seconds":
        return replace(finding, path=f"{PREFIX}:kubernetes.rolloutTimeoutSeconds")
    return locate(finding, layers, f"{place}.values")
