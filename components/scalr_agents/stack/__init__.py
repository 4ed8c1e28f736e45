"""A stack: its agents, validated and ready to be rendered or deployed.

`load` takes a stack's configuration, read by Pulumi's engine or by `source.read`, and reports every problem in it.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from scalr_agents.charts.shared import crds, pods
from scalr_agents.charts.shared.agent import AnyAgent
from scalr_agents.model import gone, parse as shapes
from scalr_agents.model.fields import Cloud
from scalr_agents.model.findings import Finding, Path as KeyPath, by_severity, error, errors, starts, unknown_key, warning
from scalr_agents.model.manifests import Manifest
from scalr_agents.model.release import Line
from scalr_agents.model.texts import shown
from scalr_agents.stack import agents, common, namespaces, neighbours, secrets
from scalr_agents.stack.model import PREFIX, Kubernetes, Namespace, Observability, StackFile, in_file

if TYPE_CHECKING:
    from scalr_agents.stack.caches import CacheEntry, Caches, Claim
    from scalr_agents.stack.machines import StackMachine

__all__ = ["Stack", "load"]

_KEYS = list(StackFile.model_fields)
_CONTEXTS: Mapping[str, Cloud] = {"arn:aws": "aws", "gke_": "gcp"}
"""How contexts begin that the tools of a cloud name."""
_IDENTITIES: Mapping[str, Cloud] = {"eks.amazonaws.com": "aws", "azure.workload.identity": "azure", "iam.gke.io": "gcp"}
"""Domains of the annotations that give a service account an identity."""


class Stack(NamedTuple):
    """The parts of a stack. Incomplete if there are errors among the findings."""

    kubernetes: Kubernetes
    namespaces: Mapping[str, Namespace]
    caches: "Mapping[str, CacheEntry]"
    claims: "list[Claim]"
    agents: list[AnyAgent]
    machines: "list[StackMachine]"
    findings: list[Finding]
    observability: Observability
    """The alerts and the dashboard that it gets."""

    @property
    def on_kubernetes(self) -> bool:
        """Whether the stack has anything for a cluster. It may have only machines."""
        return bool(self.agents or self.namespaces or self.caches or not self.machines)

    def lines(self) -> list[Line]:
        """The contract lines whose custom resource definitions this stack installs, each once."""
        used = {line.task_resource: line for line in (agent.release.line for agent in self.agents) if line.task_resource}
        return list(used.values()) if self.kubernetes.crds == "install" else []

    def created_namespaces(self) -> dict[str, Manifest]:
        return {name: namespaces.manifest(name, entry) for name, entry in self.namespaces.items() if entry.create}

    def quotas(self) -> dict[str, Manifest]:
        """The objects that limit what the pods of namespaces take together, by namespace and role."""
        given = {name: namespaces.quota_objects(name, entry.quota) for name, entry in self.namespaces.items() if entry.quota}
        return {f"{name}-{role}": manifest for name, made in given.items() for role, manifest in made.items()}

    def images(self) -> list[str]:
        """All images that the stack pulls, each once."""
        of_agents = {image for agent in self.agents for image in pods.images(agent.objects)}
        return sorted(of_agents | {image for machine in self.machines for image in machine.images()})

    def objects(self) -> list[Manifest]:
        """All objects of the stack in the order in which they must be applied: shared objects first, then agent by agent.

        Without alerts and dashboards: `observability.complete` adds them.
        """
        definitions = [manifest for line in self.lines() for manifest in crds.objects(line).values()]
        return [
            *definitions,
            *self.created_namespaces().values(),
            *self.quotas().values(),
            *(manifest for claim in self.claims for manifest in claim.objects),
            *(manifest for agent in self.agents for manifest in agent.objects),
        ]


def load(config: Mapping[str, Any], *, directory: Path, demand_tokens: bool = True) -> Stack:
    """A stack from its configuration: the keys of our namespace, each with its content (a map, or JSON text).

    `directory` is the directory of the stack files; paths in them are relative to it. Without `demand_tokens`, a token that is not
    set counts as one that is still encrypted.
    """
    findings = list(_unknown_keys(config))
    content = {key: _decoded(value) for key, value in config.items() if key in _KEYS and value is not None}
    owners = _owners(content)
    if "secrets" in content:
        content["secrets"] = secrets.opened(content["secrets"], owners)
    file, shape_findings, left_out = shapes.parse(StackFile, content)
    shape_findings = [in_file(finding) for finding in shape_findings]
    findings += _in_the_right_place(shape_findings, content.get("agents"))
    if owners is not None and ("agents" in content or all(key in _KEYS for key in config)):  # otherwise they may be under a misspelled key
        findings += secrets.of_nobody(file.secrets, owners)
    bundle, common_findings = common.bundle(file.common.ca, directory)
    only_machines = bool(content.get("machines")) and not content.get("agents")
    findings += [*common_findings, *common.without_effect(file.common, only_machines=only_machines)]
    findings += [*common.unused_classes(file.classes, file.agents), *namespaces.check_quotas(file.namespaces)]
    caches, cache_findings, left_out_of_caches = _caches(file)
    findings += cache_findings

    built = []
    for name in file.agents:
        agent, agent_findings = agents.build(name, file, bundle, directory, caches, demand_tokens=demand_tokens)
        findings += agent_findings
        built += [agent] if agent else []
    cloud = _cloud(file.kubernetes.context, caches.entries if caches else {}, built)
    built = [replace(agent, inputs=replace(agent.inputs, cloud=cloud)) for agent in built]
    machines, machine_findings, left_out_of_machines = _machines(file, bundle, demand_tokens=demand_tokens)
    findings += machine_findings
    claims = caches.claims() if caches else []
    if all(finding.at[:1] == (f"{PREFIX}:secrets",) for finding in errors(findings)):
        findings += [
            *neighbours.collisions([*((agent, agent.objects) for agent in built), *((claim, claim.objects) for claim in claims)]),
            *namespaces.check_admission(file.namespaces, built),
            *namespaces.check_room(file.namespaces, built),
            *_check_mounts(built, claims),
            *neighbours.shared_nodes(file.agents, built),
            *neighbours.shared_directories(built),
            *neighbours.shared_identities(file.agents, built),
        ]
    if "context" in file.kubernetes.model_fields_set and not file.kubernetes.context:
        findings.append(warning((f"{PREFIX}:kubernetes", "context"), "empty, so each user deploys to their current context; set a context"))
    findings += [*namespaces.check(file.namespaces), *namespaces.unlisted(file.namespaces, file.agents)]
    findings += agents.without_version(file)
    findings = list(_without_followers(findings, [*left_out, *left_out_of_caches, *left_out_of_machines]))
    if not file.agents and not machines and not findings:
        findings.append(warning((f"{PREFIX}:agents",), "empty; define at least one agent"))
    return Stack(
        kubernetes=file.kubernetes,
        namespaces=file.namespaces,
        caches=caches.entries if caches else {},
        claims=claims,
        agents=built,
        machines=machines,
        findings=by_severity(findings),
        observability=file.common.observability or Observability.model_construct(),
    )


def _without_followers(findings: Sequence[Finding], left_out: Sequence[KeyPath]) -> Iterator[Finding]:
    """The findings, without those that presume a value that was left out: they would concern a default that nobody chose."""
    cuts = [in_file(error(path, "")).at for path in left_out if path]
    for finding in findings:
        if not any(starts(cut, path) or starts(path, cut) for cut in cuts for path in finding.presumes):
            yield finding


def _owners(content: Mapping[str, Any]) -> dict[str, Any] | None:
    """Everything that may have secrets: agents and machines as given, by name. `None` if they are not maps."""
    agents, machines = content.get("agents", {}), content.get("machines", {})
    if not isinstance(agents, dict) or not isinstance(machines, dict):
        return None
    return {str(name): given for owners in (agents, machines) for name, given in owners.items()}  # a name may be a number by mistake


def _machines(file: StackFile, bundle: str, *, demand_tokens: bool) -> "tuple[list[StackMachine], list[Finding], list[KeyPath]]":
    """The machines, if the stack has any, the findings on them, and the paths that were left out."""
    if not file.machines:
        return [], [], []
    from scalr_agents.stack.machines import build

    return build(file.machines, file, bundle, demand_tokens=demand_tokens)


def _in_the_right_place(findings: Sequence[Finding], agents_given: Any) -> Iterator[Finding]:
    """Findings on shapes. For keys that belong elsewhere, the findings that say where."""
    better = {finding.at: finding for finding in agents.misplaced_keys(agents_given)} if findings else {}
    yield from (better.get(finding.at, finding) for finding in findings)


def _caches(file: StackFile) -> "tuple[Caches | None, list[Finding], list[KeyPath]]":
    """The caches, if the stack defines or uses any, the findings on them, and the paths that were left out."""
    if not file.caches and not any(agent.cache for agent in file.agents.values()):
        return None, [], []
    from scalr_agents.stack.caches import Caches, parse

    entries, findings, left_out = parse(file.caches)
    caches = Caches(entries, file.agents)
    return caches, [*findings, *caches.check()], left_out


def _check_mounts(built: list[AnyAgent], claims: "list[Claim]") -> Iterator[Finding]:
    if claims:
        from scalr_agents.stack.caches import check_mounts

        yield from check_mounts(built, claims)


def _cloud(context: str, caches: "Mapping[str, CacheEntry]", agents: Sequence[AnyAgent]) -> Cloud | None:
    """The cloud of the context, of the caches, and of the agents' identities and policies. `None` if there is no sign, or they disagree.

    The region or project of a provider is no sign: it may be that of machines.
    """
    found = {*_of_stack(context, caches), *(cloud for agent in agents for cloud in _of_agent(agent))}
    return found.pop() if len(found) == 1 else None


def _of_stack(context: str, caches: "Mapping[str, CacheEntry]") -> Iterator[Cloud]:
    yield from (cloud for beginning, cloud in _CONTEXTS.items() if context.startswith(beginning))
    yield from (kind.cloud for cache in caches.values() if (kind := cache.content) and kind.cloud)


def _of_agent(agent: AnyAgent) -> Iterator[Cloud]:
    domains = {key.partition("/")[0] for key in agent.values.service_account.annotations}
    yield from (cloud for domain, cloud in _IDENTITIES.items() if domain in domains)
    if agent.inputs.egress and agent.inputs.egress.enforced_by == "gke":
        yield "gcp"


def _unknown_keys(config: Mapping[str, Any]) -> Iterator[Finding]:
    for key in config:
        head = key.partition(".")[0]
        if key in _KEYS:
            continue
        if head in _KEYS:
            message = f"a flat key, set without --path; remove it with: pulumi config rm '{PREFIX}:{key}', and set it with --path"
            yield error((f"{PREFIX}:{key}",), message)
        elif key in secrets.MISPLACED:
            message = f"secrets belong to an agent; run: pulumi config rm '{PREFIX}:{key}', and: {secrets.command('<agent>', key)}"
            yield error((f"{PREFIX}:{key}",), message)
        else:
            name = shown(key)
            yield error((f"{PREFIX}:{name}",), gone.of_key((key,)) or unknown_key(name, _KEYS))


def _decoded(value: Any) -> Any:
    """The engine passes maps as JSON text."""
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value
