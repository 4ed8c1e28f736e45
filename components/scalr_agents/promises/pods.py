"""Pods that pass PodSecurity `restricted`. Those of agent-k8s do not, by design: their containers run as root."""

from collections.abc import Iterator, Sequence

from scalr_agents.promises.resources import Resource, Violation, violation
from scalr_agents.stack import pod_security

_RESTRICTED = ("agent-job", "agent-local")


def violations(resources: Sequence[Resource], excepted: Sequence[str]) -> Iterator[Violation]:
    for resource in resources:
        if resource.kind in _RESTRICTED and resource.namespace not in excepted:
            for pod in resource.pods():
                for problem in pod_security.violations(pod.spec, "restricted"):
                    yield violation(resource, problem, "Remove the value or the transformation that changes the security of these pods")
