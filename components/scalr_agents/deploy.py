"""Registers a whole stack: the cluster's provider, definitions, namespaces and agents."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pulumi
from pulumi.runtime import config as pulumi_config

from scalr_agents import kubernetes, stack
from scalr_agents import values as chart_values
from scalr_agents.agent_job import AgentJob
from scalr_agents.arguments import Agent
from scalr_agents.crds import AgentCrds
from scalr_agents.errors import ArgsError
from scalr_agents.stack import Stack, StackAgent, secrets, source
from scalr_agents.stack.model import PREFIX, Kubernetes
from scalr_agents.values import Finding


def deploy(project: Path) -> None:
    """Register everything that the selected stack's configuration asks for, and export what came of it.

    `project` is the directory of `Pulumi.yaml`. Raises `ArgsError` with all findings before anything is registered.
    """
    loaded = _load(project)
    cluster = _provider("cluster", loaded.kubernetes, take_over=loaded.kubernetes.upsert_existing)
    shared = _shared(loaded)
    agents = {agent.name: _agent(agent, loaded.kubernetes, cluster, shared) for agent in loaded.agents}
    pulumi.export("agents", {name: agent.summary() for name, agent in agents.items()})


def _load(project: Path) -> Stack:
    loaded = stack.load(_configuration(), directory=source.stack_directory(project))
    findings = [*_file_findings(project), *loaded.findings]
    if chart_values.errors(findings):
        raise ArgsError(f"stack {pulumi.get_stack()!r}", findings)
    for finding in findings:
        pulumi.log.warn(f"{finding.path}: {finding.message}")
    return loaded


def _configuration() -> dict[str, Any]:
    """Everything that the engine hands over under our namespace. Secrets are in plain text in it."""
    given = {**pulumi_config.get_config_env(), **pulumi_config.CONFIG.get()}
    prefix = f"{PREFIX}:"
    return {key.removeprefix(prefix): value for key, value in given.items() if key.startswith(prefix)}


def _file_findings(project: Path) -> Iterator[Finding]:
    """Secrets in the wrong place. The engine tells only which keys hold one; the stack file, where it is at hand, tells where."""
    try:
        in_file = source.read(project, pulumi.get_stack()).config
    except source.SourceError:
        in_file = {}
    found = list(secrets.misplaced(in_file))
    yield from found
    marked = {key for key in pulumi_config.get_config_secret_keys_env() if key.startswith(f"{PREFIX}:")}
    marked |= {f"{PREFIX}:{word}" for word in _configuration() if pulumi_config.is_config_secret(f"{PREFIX}:{word}")}
    for key in sorted(marked - {f"{PREFIX}:secrets"}):
        if not any(finding.path.startswith(key) for finding in found):
            yield secrets.misplaced_at(key)


def _provider(name: str, settings: Kubernetes, *, take_over: bool) -> pulumi.ProviderResource:
    """A provider for the cluster.

    Secrets are updated in place, so that a new token never deletes the Secret of running pods. With `take_over`, objects that exist
    already become ours by server-side apply.
    """
    properties = {
        "context": settings.context or None,
        "kubeconfig": str(Path(settings.kubeconfig).expanduser()) if settings.kubeconfig else None,
        "clusterIdentifier": settings.cluster_identifier or None,
        "enableSecretMutable": True,
        "kubeClientSettings": {"qps": settings.qps, "burst": settings.burst},
        **({"upsertExistingObjects": True, "enablePatchForce": True} if take_over else {}),
    }
    return kubernetes.provider(name, properties)


def _shared(loaded: Stack) -> list[pulumi.Resource]:
    """Definitions and namespaces. They stay when the stack goes, and another stack may have made them: a provider of their own
    takes over what exists.
    """
    namespaces = loaded.created_namespaces()
    if not namespaces and not loaded.lines():
        return []
    opts = pulumi.ResourceOptions(provider=_provider("cluster-shared", loaded.kubernetes, take_over=True))
    definitions = [AgentCrds("agent-crds", {"agent_version": line.default_version}, opts) for line in loaded.lines()]
    return [*definitions, *kubernetes.register(namespaces, None, "namespace", opts, retain=True).values()]


def _agent(agent: StackAgent, settings: Kubernetes, cluster: pulumi.ProviderResource, shared: list[pulumi.Resource]) -> AgentJob:
    validated = Agent(agent.checked, agent.inputs, settings.await_rollout, settings.rollout_timeout_seconds)
    return AgentJob(agent.name, validated.as_args(), pulumi.ResourceOptions(provider=cluster, depends_on=shared))
