"""Registers a whole stack: the cluster's provider, definitions, namespaces, caches and agents."""

import asyncio
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import pulumi
from pulumi.runtime import config as pulumi_config

from scalr_agents import observability, stack
from scalr_agents.caches.kind import CacheKind
from scalr_agents.charts.shared.agent import AnyAgent
from scalr_agents.model.findings import Finding, FindingsError, errors
from scalr_agents.model.section import in_stack_files
from scalr_agents.resources import deploy_machines
from scalr_agents.resources.arguments.agents import AgentCrdsArgs
from scalr_agents.resources.kubernetes import objects
from scalr_agents.resources.kubernetes.agent_job import AgentJob
from scalr_agents.resources.kubernetes.agent_k8s import AgentK8s
from scalr_agents.resources.kubernetes.agent_local import AgentLocal
from scalr_agents.resources.kubernetes.agents import AgentComponent, AgentRequest
from scalr_agents.resources.kubernetes.crds import AgentCrds
from scalr_agents.resources.kubernetes.rollouts import until_runs_end
from scalr_agents.resources.validation import ArgsError
from scalr_agents.stack import Stack, positions, secrets, source
from scalr_agents.stack.caches import CacheEntry, users_of_claims
from scalr_agents.stack.model import PREFIX, Kubernetes

_COMPONENTS: Mapping[str, type[AgentComponent[Any]]] = {"agent-job": AgentJob, "agent-local": AgentLocal, "agent-k8s": AgentK8s}
"""The component that deploys the agents of a chart."""


def deploy(project: Path) -> None:
    """Register everything that the selected stack's configuration describes, and export the outputs of its components.

    `project` is the directory of `Pulumi.yaml`. Raises `ArgsError` with all findings before anything is registered.
    """
    loaded = _load(project)
    if loaded.machines:
        pulumi.export("machines", deploy_machines.deploy(loaded.machines))
    if loaded.on_kubernetes:
        _deploy_on_kubernetes(loaded)


def _deploy_on_kubernetes(loaded: Stack) -> None:
    settings = loaded.kubernetes
    systems = _file_systems(loaded.caches)
    cluster = _provider("cluster", settings, take_over=settings.upsert_existing)
    adopting_provider = _adopting_provider(loaded)
    shared = _shared(loaded, cluster, adopting_provider)
    agents: dict[str, AgentComponent[Any]] = {}
    with _all_registered() as registered:

        def before_claim(users: Sequence[AnyAgent]) -> pulumi.Output[list[pulumi.Resource]]:
            """What must stay while runs mount a claim. An agent is missing if the program fails; then that error is shown."""
            return registered.apply(
                lambda _: [*shared, *(each for user in users if user.name in agents for each in agents[user.name].needed_by_runs)]
            )

        mounted = _claims(loaded, systems, cluster, adopting_provider, before_claim)
        opts = pulumi.ResourceOptions(provider=cluster, depends_on=shared)
        for agent in loaded.agents:
            request = AgentRequest(agent, settings.await_rollout, settings.rollout_timeout_seconds, mounted.get(agent.name, []))
            agents[agent.name] = _COMPONENTS[agent.kind].of(agent.name, request, opts)
    for name, group in observability.groups(loaded).items():
        objects.register(group, None, name, opts)
    pulumi.export("agents", {name: agent.summary() for name, agent in agents.items()})
    if systems:
        pulumi.export("caches", {name: system.summary() for name, system in systems.items()})


def _load(project: Path) -> Stack:
    read = _stack_file(project)
    loaded = stack.load(_configuration(), directory=read.directory if read else source.stack_directory(project))
    findings = [*_misplaced_secrets(read), *loaded.findings]
    if read:
        findings = positions.locate(findings, read)
    if errors(findings):
        raise ArgsError(f"stack {pulumi.get_stack()!r}", findings)
    for finding in findings:
        pulumi.log.warn(finding.text)
    return loaded


def _stack_file(project: Path) -> source.Source | None:
    """The stack file, if it can be read. The engine passes only the content, without positions."""
    try:
        return source.read(project, pulumi.get_stack())
    except (source.SourceError, FindingsError):
        return None


def _configuration() -> dict[str, Any]:
    """Everything that the engine passes under our namespace. It has secrets in plain text."""
    given = {**pulumi_config.get_config_env(), **pulumi_config.CONFIG.get()}
    prefix = f"{PREFIX}:"
    return {key.removeprefix(prefix): value for key, value in given.items() if key.startswith(prefix)}


def _misplaced_secrets(read: source.Source | None) -> Iterator[Finding]:
    """Findings on secrets in the wrong place. The engine tells only which keys contain one; the stack file tells where."""
    found = list(secrets.misplaced(read.config)) if read else []
    yield from found
    marked = {key for key in pulumi_config.get_config_secret_keys_env() if key.startswith(f"{PREFIX}:")}
    marked |= {f"{PREFIX}:{key}" for key in _configuration() if pulumi_config.is_config_secret(f"{PREFIX}:{key}")}
    for key in sorted(marked - {f"{PREFIX}:secrets"}):
        if not any(finding.at[:1] == (key,) for finding in found):
            yield secrets.misplaced_at((key,))


def _provider(name: str, settings: Kubernetes, *, take_over: bool) -> pulumi.ProviderResource:
    """A provider for the cluster.

    Secrets are updated in place, so that a new token never deletes the Secret of running pods. With `take_over`, existing objects are
    taken over with server-side apply.
    """
    properties = {
        "context": settings.context or None,
        "kubeconfig": str(Path(settings.kubeconfig).expanduser()) if settings.kubeconfig else None,
        "clusterIdentifier": settings.cluster_identifier or None,
        "enableSecretMutable": True,
        "kubeClientSettings": {"qps": settings.qps, "burst": settings.burst},
        **({"upsertExistingObjects": True, "enablePatchForce": True} if take_over else {}),
    }
    return objects.provider(name, properties)


def _adopting_provider(loaded: Stack) -> pulumi.ProviderResource | None:
    """A provider for objects that outlive the stack, and that another stack may have created: it takes over existing ones."""
    kept = any(entry.content and entry.content.outlives_stack and entry.on_delete == "keep" for entry in loaded.caches.values())
    needed = loaded.created_namespaces() or kept
    return _provider("cluster-shared", loaded.kubernetes, take_over=True) if needed else None


def _shared(loaded: Stack, cluster: pulumi.ProviderResource, adopting_provider: pulumi.ProviderResource | None) -> list[pulumi.Resource]:
    """Definitions, namespaces and their quotas. Definitions of others are taken over only if the stack takes over everything."""
    used = loaded.lines()
    version: AgentCrdsArgs = {"agent_version": used[0].default_version} if len(used) == 1 else {}
    definitions = [AgentCrds("agent-crds", version, pulumi.ResourceOptions(provider=cluster))] if used else []
    opts = pulumi.ResourceOptions(provider=adopting_provider)
    namespaces = objects.register(loaded.created_namespaces(), None, "namespace", opts, retain=True)
    limited = pulumi.ResourceOptions(provider=cluster, depends_on=[*namespaces.values()])
    quotas = objects.register(loaded.quotas(), None, "namespace", limited)
    return [*definitions, *namespaces.values(), *quotas.values()]


def _file_systems(caches: Mapping[str, CacheEntry]) -> dict[str, Any]:
    """The cloud file systems of caches, components, by the cache's name."""
    found = _look_up(caches)
    return {
        name: system
        for name, entry in caches.items()
        if (kind := entry.content)
        and (system := _resources_of(kind).file_system(name, kind, found.get(name), keep=entry.on_delete == "keep"))
    }


def _look_up(caches: Mapping[str, CacheEntry]) -> Mapping[str, Any]:
    """Look up all existing resources that caches name, by the cache's name, before anything is created.

    Raises `ArgsError` with every failed lookup.
    """
    known: dict[str, Any] = {}
    found: dict[str, Any] = {}
    missing: list[Finding] = []
    for name, entry in caches.items():
        for key, kind in entry.given.items():
            resources = _resources_of(kind)
            subject = resources.subject(kind)
            if not subject:
                continue
            try:
                found[name] = known[subject] = known[subject] if subject in known else resources.look_up(subject, name)
            except ArgsError as problem:
                place = (f"{PREFIX}:caches", name, key)
                missing += [replace(finding, at=(*place, in_stack_files(finding.path))) for finding in problem.findings]
    if missing:
        raise ArgsError(f"stack {pulumi.get_stack()!r}", missing)
    return found


def _resources_of(kind: CacheKind) -> Any:
    """The module that registers a kind of cache, found by name: the SDK of a cloud is imported only if the stack has a cache on it."""
    return import_module(f"scalr_agents.resources.{kind.resources}")


@contextmanager
def _all_registered() -> Iterator[pulumi.Output[None]]:
    """An output that resolves when the context ends, so that resources registered in it can depend on later ones.

    Resolved even when the program fails, to avoid a hang; the next `pulumi up` restores missing dependencies.
    """
    end = asyncio.get_running_loop().create_future()
    try:
        yield pulumi.Output.from_input(end)
    finally:
        end.set_result(None)


def _claims(
    loaded: Stack,
    systems: Mapping[str, Any],
    cluster: pulumi.ProviderResource,
    adopting_provider: pulumi.ProviderResource | None,
    before: Callable[[Sequence[AnyAgent]], pulumi.Output[list[pulumi.Resource]]],
) -> Mapping[str, list[pulumi.Resource]]:
    """Claims and volumes that agents mount, by the agent's name. `before` returns what the claim of some agents depends on."""
    users = users_of_claims(loaded.agents) if loaded.claims else {}
    mounted = defaultdict[str, list[pulumi.Resource]](list)
    for request in loaded.claims:
        entry, agents = loaded.caches[request.cache], users[request.key]
        keep = entry.on_delete == "keep"
        longest = until_runs_end(agents)
        provider = adopting_provider if keep and request.content.outlives_stack else cluster
        opts = pulumi.ResourceOptions(provider=provider, depends_on=before(agents), custom_timeouts=longest)
        claim = _resources_of(request.content).claim(
            f"{request.name}-cache", request, request.content, systems.get(request.cache), opts, keep=keep
        )
        for agent in agents:
            mounted[agent.name] += claim.mounts
    return mounted
