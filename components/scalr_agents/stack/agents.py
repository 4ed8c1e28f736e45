"""One agent of a stack: its keys and values become layers, and the layers a validated release."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scalr_agents import charts
from scalr_agents.charts.shared.agent import AnyAgent, Chart
from scalr_agents.charts.shared.inputs import ClusterValue, Inputs
from scalr_agents.charts.shared.loading import load, misshapen_sections
from scalr_agents.model import aws, gone, google, yaml_io
from scalr_agents.model.fields import LONGEST_RELEASE
from scalr_agents.model.findings import Finding, Path as KeyPath, almost, error, warning
from scalr_agents.model.forms import LONGEST_LABEL, Form, is_dns_label
from scalr_agents.model.maps import lookup
from scalr_agents.model.marks import without_deprecated_defaults
from scalr_agents.model.origins import Layer, broken, combine, locate
from scalr_agents.model.release import LineError
from scalr_agents.model.section import in_stack_files
from scalr_agents.model.texts import listed, too_long
from scalr_agents.stack import common, secrets
from scalr_agents.stack.model import PREFIX, AgentEntry, AgentSecrets, StackFile, place
from scalr_agents.stack.source import SourceError, read_text

if TYPE_CHECKING:
    from scalr_agents.stack.caches import Caches


_IDENTITIES = {
    "eks.amazonaws.com/role-arn": aws.ROLE,
    "iam.gke.io/gcp-service-account": google.EMAIL,
    "azure.workload.identity/client-id": Form(expected="the client ID of an identity, a UUID", test=r"[0-9a-fA-F-]{36}"),
}
"""Annotations that give an identity, with the form of their values."""
_OF_IDENTITIES = ("azure.workload.identity/tenant-id",)
"""Annotations of the same webhooks, whose names are almost the same."""
_OF_OTHERS = ("azure.workload.identity", "eks.amazonaws.com", "iam.gke.io", "pod-identity.alibabacloud.com")
"""Domains of further annotations that these clouds read, and another one."""
_NO_CLOUD = f"because no cloud reads this annotation of a service account; known: {', '.join(_IDENTITIES)}"
_OF_NODES = {"tolerations": "nodes.tolerations", "nodeSelector": "nodes.selector"}
"""Values of several charts that an agent has under another key."""
_CONCURRENCY = "concurrency"
_OWN_KEYS = {field.alias or name for name, field in AgentEntry.model_fields.items()}


def build(
    name: str, file: StackFile, bundle: str, directory: Path, caches: "Caches | None", *, demand_tokens: bool
) -> tuple[AnyAgent | None, list[Finding]]:
    """An agent of the stack file, and all findings on it. `bundle` holds the certificates of `common`."""
    entry, given, here = file.agents[name], file.secrets.get(name, AgentSecrets()), place(name)
    chart = charts.find(entry.kind)
    version = entry.agent_version or file.common.agent_version or None
    try:
        settings = chart.settings(chart.versions, version)
    except LineError as problem:
        return None, [error(_place_of_version(name, entry), str(problem))]
    shared, findings = common.layers(file.common, bundle, settings, name)
    sized, class_findings = common.class_layers(name, entry, file.classes, settings)
    shared += sized
    files, file_findings = _values_files(here, entry, directory)
    own = [*files, Layer((*here, "values"), entry.values)]
    stored, stored_findings = secrets.store_layers(name, entry.secrets_from, given, [*shared, *own], settings)
    secret, secret_findings = secrets.layers(name, given, [*shared, *own, *stored], settings, demanded=demand_tokens)
    cache, cache_findings = caches.layer(name, own, settings) if caches else ([], [])
    nodes, identity = common.nodes(here, entry.nodes, settings), common.identity(here, entry.identity, settings, own)
    layers = [*shared, *own, *nodes, *cache, *identity, *stored, *secret]
    exposed = list(secrets.in_the_open(name, own, settings))
    network = file.common.network if entry.network is None else entry.network
    findings += [*class_findings, *file_findings, *(finding for layer in own for finding in misshapen_sections(chart, layer))]
    findings += [
        *_check_entry(name, entry, chart),
        *_check_kind(name, entry, chart),
        *_check_identity(name, entry),
        *(() if network and network.egress else _check_metadata_service(name, entry, chart, own)),
        *exposed,
        *stored_findings,
        *secret_findings,
        *cache_findings,
    ]
    awaited = file.kubernetes.rollout_timeout_seconds if file.kubernetes.await_rollout else None
    agent = load(
        chart,
        combine(layers),
        release=entry.release or name,
        namespace=entry.namespace,
        agent_version=version,
        naming=entry.names,
        inputs=Inputs(
            spelling=in_stack_files,
            disk=True,
            pre_pull=entry.pre_pull,
            scaling=entry.scaling,
            secret_env={**given.env, **(entry.secrets_from.variables() if entry.secrets_from else {})},
            mirror_tokens=given.mirror_tokens,
            rollout_timeout_seconds=awaited,
            network=network,
            api_server=file.kubernetes.api_server or ClusterValue(f"{PREFIX}:kubernetes.apiServer"),
        ),
    )
    written = [layer.values for layer in layers if not layer.from_setting]
    located = [
        _explained(_locate(finding, name, entry, layers), name, entry) for finding in without_deprecated_defaults(agent.findings, *written)
    ]
    if not entry.release and not is_dns_label(name):  # the finding on the name has said it
        located = [finding for finding in located if finding.at != (*here, "release")]
    moving = {_spot(finding) for finding in exposed}  # other findings on them wait until they are in the right place
    findings += [finding for finding in located if _spot(finding) not in moving]
    return replace(agent, name=name), [*findings, *_seeming_secrets(name, own, findings)]


def without_version(file: StackFile) -> Iterator[Finding]:
    """A warning for each kind of which there are agents whose version nobody has named: the defaults are old, and stay."""
    unnamed: dict[str, list[str]] = {}
    for name, entry in file.agents.items() if not file.common.agent_version else ():
        if not entry.agent_version:
            unnamed.setdefault(entry.kind, []).append(name)
    for kind, names in unnamed.items():
        path = (*place(names[0]), "agentVersion") if len(names) == 1 else (f"{PREFIX}:common", "agentVersion")
        yield warning(path, f"not set: {listed(map(repr, names))} ({kind}) get {charts.find(kind).versions.default_version_notice()}")


def misplaced_keys(agents: Any) -> Iterator[Finding]:
    """Keys of an agent that belong elsewhere: secrets, and values of its chart."""
    for name, given in agents.items() if isinstance(agents, dict) else ():
        kind = given.get("kind") if isinstance(given, dict) else None
        if isinstance(kind, str) and kind in charts.CHARTS:
            for key in given.keys() - _OWN_KEYS:
                yield from _misplaced_key(kind, key, (*place(name), key))
            yield from secrets.misplaced_in_store(name, given.get(secrets.FROM_STORE))


def _misplaced_key(kind: str, key: str, here: KeyPath) -> Iterator[Finding]:
    if gone.of_key(here):
        return
    if key in secrets.MISPLACED:
        yield secrets.misplaced_at(here)
    elif key in _OF_NODES:
        yield error(here, f"unknown key {key!r}; write {_OF_NODES[key]}")
    elif key == _CONCURRENCY:
        yield error(here, _no_concurrency(kind))
    elif message := charts.find(kind).place_of(key):
        yield error(here, message)
    elif others := charts.having(key):
        yield error(here, f"unknown key {key!r}; {_of_others(kind, others)}")


def _no_concurrency(kind: str) -> str:
    return f"unknown key {_CONCURRENCY!r}, which only machines have; {charts.find(kind).runs_at_once}"


def _of_others(kind: str, others: list[str]) -> str:
    return f"it is a value of {' and '.join(others)}, not of {kind}"


def _explained(finding: Finding, name: str, entry: AgentEntry) -> Finding:
    """A finding on an unknown value, which may be one of another kind, or a setting that machines have."""
    key = str(finding.at[-1]) if finding.at else ""
    if finding.message.startswith(f"unknown key {key!r}; "):
        if key == _CONCURRENCY:
            return replace(finding, message=_no_concurrency(entry.kind))
        is_at_top = finding.at in {(key,), (*place(name), "values", key)}
        if is_at_top and "did you mean" not in finding.message and (others := charts.having(key)):
            return replace(finding, message=f"unknown key {key!r}; {_of_others(entry.kind, others)}")
    return finding


def _place_of_version(name: str, entry: AgentEntry) -> KeyPath:
    return (*place(name), "agentVersion") if entry.agent_version else (f"{PREFIX}:common", "agentVersion")


def _check_entry(name: str, entry: AgentEntry, chart: Chart) -> Iterator[Finding]:
    if not is_dns_label(name):
        longest = LONGEST_LABEL if entry.release else LONGEST_RELEASE
        message = f"not a valid agent name; use at most {longest} lower case letters, digits and '-'"
        yield error(place(name), f"{message}{too_long(name, longest)}")
    if entry.role == "vcs" and "serves-vcs" not in chart.traits:
        others = " or ".join(other for other in charts.CHARTS if "serves-vcs" in charts.find(other).traits)
        yield error((*place(name), "role"), f"{entry.kind} serves runs only; use kind {others} for a VCS provider")


def _check_kind(name: str, entry: AgentEntry, chart: Chart) -> Iterator[Finding]:
    """Errors for keys that agents of this kind have no use for."""
    if entry.scaling and "scales" not in chart.traits:
        yield error((*place(name), "scaling"), f"{entry.kind} starts what each run needs, so there is nothing to scale; remove the key")
    if entry.pre_pull and "pre-pulls" not in chart.traits:
        yield error(
            (*place(name), "prePull"),
            f"{entry.kind} has no images to pull before its runs: its own pods keep the agent's image on their nodes; remove the key",
        )


def _check_identity(name: str, entry: AgentEntry) -> Iterator[Finding]:
    """Warnings for annotations that give no identity: the agent is deployed, and its runs have no credentials."""
    for key, value in entry.identity.items():
        here = (*place(name), "identity", key)
        form = _IDENTITIES.get(key)
        if isinstance(value, str) and not value.strip():
            yield warning(here, "empty, so it gives no identity; set it, or remove it")
        elif isinstance(value, str) and form and not form.accepts(value):
            yield warning(here, f"gives no identity; expected {form.expected}")
        elif not form and key not in _OF_IDENTITIES and (meant := almost(key, list(_IDENTITIES))):
            yield warning(here, f"gives no identity; did you mean {meant!r}?")
        elif not form and key.partition("/")[0] not in _OF_OTHERS:
            yield warning(here, f"gives no identity, {_NO_CLOUD}")


def _check_metadata_service(name: str, entry: AgentEntry, chart: Chart, own: list[Layer]) -> Iterator[Finding]:
    """A warning for a chart that leaves the metadata service open by default, if the values do not set its switch."""
    switch = chart.metadata_switch
    if switch and entry.role == "runs" and lookup(combine(own), switch) is None:
        yield warning(
            (*place(name), "values", switch),
            "not set, so runs can read their node's credentials from the metadata service; set it to false, or to true if runs need them",
        )


def _values_files(here: KeyPath, entry: AgentEntry, directory: Path) -> tuple[list[Layer], list[Finding]]:
    layers, findings = [], []
    for index, file in enumerate(entry.values_files):
        try:
            layers.append(Layer((), yaml_io.load_values(read_text(directory / file)), file=file))
        except yaml_io.YamlError as problem:
            findings.append(broken(file, problem))
        except SourceError as problem:
            findings.append(error((*here, "valuesFiles", index), str(problem)))
    return layers, findings


def _seeming_secrets(name: str, layers: list[Layer], findings: list[Finding]) -> Iterator[Finding]:
    """Warnings for values that look like secrets, one for each place that has no other finding."""
    known = {_spot(finding) for finding in findings}
    for finding in secrets.seeming(name, layers) if any(layer.values for layer in layers) else ():
        if _spot(finding) not in known:
            known.add(_spot(finding))
            yield finding


def _spot(finding: Finding) -> tuple[object, KeyPath]:
    """The file and the path of a finding."""
    return finding.position, finding.at


def _locate(finding: Finding, name: str, entry: AgentEntry, layers: list[Layer]) -> Finding:
    here = place(name)
    if finding.at[:1] in {("release",), ("namespace",), ("scaling",)}:
        reason = " (the agent's name, because release is not set)" if finding.at == ("release",) and not entry.release else ""
        return replace(finding.under(here), message=f"{finding.message}{reason}")
    if finding.at == ("agent_version",):
        return replace(finding, at=_place_of_version(name, entry))
    if secret := secrets.located_in_store(name, entry.secrets_from, finding.at) or secrets.located(name, finding.at):
        return replace(finding, at=secret)
    if finding.at[:1] == ("network",):
        above = here if entry.network is not None else (f"{PREFIX}:common",)
        return finding.under(above)
    if finding.at == ("rollout_timeout_seconds",):
        return replace(finding, at=(f"{PREFIX}:kubernetes", "rolloutTimeoutSeconds"))
    return locate(finding, layers, (*here, "values"))
