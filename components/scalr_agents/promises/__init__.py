"""What SECURITY.md promises, as rules for the resources of a Pulumi stack: the policies of the policy pack in `policy/`."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from scalr_agents.promises import caches, metadata, namespaces, pods, tokens
from scalr_agents.promises.resources import Resource, Violation


class Promise(NamedTuple):
    """A policy."""

    name: str
    description: str
    violations: Callable[[Sequence[Resource], Sequence[str]], Iterator[Violation]]
    """All violations among resources, without the exceptions that follow."""
    whole_stack: bool = False
    """Whether resources must be judged together. Otherwise each is judged alone, before it is created."""
    mandatory: bool = True
    exceptions: str = "exceptNamespaces"
    """What a configuration of the policy calls its exceptions. Empty if it has none."""


PROMISES = (
    Promise(
        "closed-metadata-service",
        "Runs of agent-job must not reach the metadata services of clouds.",
        metadata.of_agent_job,
        whole_stack=True,
    ),
    Promise(
        "closed-metadata-service-of-other-kinds",
        "Agents of the kinds agent-local and agent-k8s should not reach the metadata services of clouds, which they do by default.",
        metadata.of_others,
        whole_stack=True,
        mandatory=False,  # SECURITY.md promises it of agent-job only
    ),
    Promise(
        "closed-metadata-service-of-machines",
        "Runs on machines must not reach the metadata service.",
        metadata.of_machines,
        exceptions="",
    ),
    Promise(
        "no-plain-tokens",
        "Secrets must be in no variable, ConfigMap, annotation or user data.",
        tokens.violations,
        exceptions="exceptVariables",
    ),
    Promise("restricted-pods", "Pods of agent-job and agent-local must pass PodSecurity restricted.", pods.violations),
    Promise(
        "caches-with-access-points",
        "Caches on Amazon EFS must be encrypted, and mounted through access points only.",
        caches.violations,
        exceptions="",
    ),
    Promise(
        "namespace-per-agent",
        "Agents of different trust domains must not share a namespace, in which each can act as the other.",
        namespaces.violations,
        whole_stack=True,
        mandatory=False,  # trust domains are in no resource, so that those of the same one are reported, too
    ),
)


EXCEPTIONS = {
    "exceptNamespaces": "Kubernetes namespaces to which the policy does not apply.",
    "exceptVariables": "Names of variables and keys that contain no secret. Recognizable tokens and keys in them are still violations.",
}
"""What the exceptions of policies mean."""


def violations_of(promise: Promise, resources: Sequence[Resource], config: Mapping[str, Any]) -> list[Violation]:
    """The violations of a promise by the components' resources, as far as their fields are known."""
    return list(promise.violations(resources, config.get(promise.exceptions, ())))
