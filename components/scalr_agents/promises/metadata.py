"""Metadata services of clouds, which give runs the credentials of their node.

A policy sees the NetworkPolicies and CiliumNetworkPolicies of a stack, not others of the cluster, nor whether the cluster enforces them.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from scalr_agents.charts.shared.contract import METADATA_SERVICES
from scalr_agents.machines.units import CLOSED_METADATA
from scalr_agents.model.forms import is_deferred
from scalr_agents.model.merge import lookup
from scalr_agents.promises import network_policies
from scalr_agents.promises.resources import Resource, Violation, violation

_CLOSED_ON_AWS: Mapping[str, Any] = {"httpTokens": "required", "httpPutResponseHopLimit": 1}
_OR_EXCEPT = "or list the namespace in exceptNamespaces"


def of_agent_job(resources: Sequence[Resource], excepted: Sequence[str]) -> Iterator[Violation]:
    """Pods of runs. Controllers execute no code of runs."""
    yield from _open(resources, excepted, with_tasks=True)


def of_others(resources: Sequence[Resource], excepted: Sequence[str]) -> Iterator[Violation]:
    yield from _open(resources, excepted, with_tasks=False)


def of_machines(resources: Sequence[Resource], _excepted: Sequence[str]) -> Iterator[Violation]:
    """Machines whose containers reach the metadata service: on AWS by the number of hops, on Google Cloud by a rule of Docker's chain."""
    for resource in resources:
        if not resource.component:
            continue
        if resource.type == "aws:ec2/launchTemplate:LaunchTemplate":
            given = resource.inputs.get("metadataOptions")
            found = {field: lookup(given, field) for field in _CLOSED_ON_AWS}
            if not is_deferred(given) and any(
                not is_deferred(found[field]) and found[field] != value for field, value in _CLOSED_ON_AWS.items()
            ):
                problem = "containers reach the metadata service: it must require tokens and answer over one hop only"
                yield violation(resource, problem, "Remove allowMetadataService: true, and transformations of metadataOptions")
        elif resource.type == "gcp:compute/instanceTemplate:InstanceTemplate":
            text = lookup(resource.inputs, "metadata", "user-data")
            if isinstance(text, str) and CLOSED_METADATA not in text:
                problem = "containers reach the metadata service: the user data has no rule that blocks it"
                yield violation(resource, problem, "Remove allowMetadataService: true, and transformations of the user data")


def _open(resources: Sequence[Resource], excepted: Sequence[str], *, with_tasks: bool) -> Iterator[Violation]:
    """Violations by pods of charts with or without objects that have the template of runs: of the former, only these objects count."""
    policies = network_policies.of_stack(resources)
    for resource in resources:
        chart = resource.chart
        if not chart or not resource.is_placed or resource.namespace in excepted:
            continue
        tasks = {line.task_resource.kind for line in chart.versions.lines if line.task_resource}
        if bool(tasks) != with_tasks or (tasks and resource.what not in tasks):
            continue
        for pod in resource.pods():
            given = {service: network_policies.opened(service, policies, resource, pod) for service in METADATA_SERVICES}
            found = {service: names for service, names in sorted(given.items()) if names is not None}
            names = sorted({name for each in found.values() for name in each})
            if names:
                problem = f"{' and '.join(names)} {'open' if names[1:] else 'opens'} {_listed(found)} to its pods"
                yield violation(resource, problem, f"Remove the rules that allow it, {_OR_EXCEPT}")
            elif found:
                problem = f"no NetworkPolicy closes {_listed(found)} to its pods"
                yield violation(resource, problem, f"{chart.closing_metadata}, {_OR_EXCEPT}")


def _listed(services: Collection[str]) -> str:
    return "the metadata services" if len(services) == len(METADATA_SERVICES) else f"the metadata services {', '.join(services)}"
