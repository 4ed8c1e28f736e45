"""The argument `network` of the components, and the addresses of the API server that its policies need."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NotRequired, TypedDict

import pulumi

from scalr_agents.charts.shared.agent import A
from scalr_agents.charts.shared.network import policies
from scalr_agents.resources import literals
from scalr_agents.resources.kubernetes import objects
from scalr_agents.resources.outputs import deferred, parsed

_PLACE = "default/kubernetes"
"""Namespace and name of the Service of the API server, and of its endpoints. Every cluster has both."""


class EgressEntryArgs(TypedDict):
    """A destination that an agent may connect to. Set exactly one of `host`, `cidr` and `namespace`."""

    host: NotRequired[str]
    """A host name. A leading `*.` matches exactly one label. `enforced_by: kubernetes` supports names only behind a proxy."""
    cidr: NotRequired[str]
    """A network outside of the cluster, IPv4 or IPv6."""
    namespace: NotRequired[str]
    """A namespace of the cluster: all of its pods."""
    ports: NotRequired[Sequence[int]]
    """TCP ports; for a namespace, those of its pods, not of its Services. Default: 443."""


class EgressArgs(TypedDict):
    """The connections that agents and runs may open. What the agent's settings imply is always allowed."""

    only: NotRequired[Sequence[EgressEntryArgs]]
    """Further destinations. Everything else is refused."""
    enforced_by: NotRequired[literals.EnforcedBy]
    """`kubernetes` (default: NetworkPolicy, without names), `cilium` (CiliumNetworkPolicy) or `gke` (FQDNNetworkPolicy)."""


class NetworkArgs(TypedDict):
    """What connects to an agent's pods, and what these connect to."""

    ingress: NotRequired[literals.Ingress]
    """`deny` refuses all connections to the agent's pods. Agents accept none. Default: this is left to other policies."""
    egress: NotRequired[EgressArgs]
    """Restricts the connections that the agent's pods open. Default: only the metadata service is closed, as the agent's values say."""


def with_api_server(agent: A, owner: pulumi.ComponentResource, name: str, opts: pulumi.ResourceOptions | None) -> A:
    """The agent with the addresses of the API server, looked up in the cluster if its policies need them.

    Network plugins match the address of the Service or those behind it: both are allowed. `owner` is the component, called `name`.
    """
    if agent.inputs.egress is None or not policies.wants_api_server(agent.pods, agent.inputs):
        return agent
    service = objects.read("kubernetes:core/v1:Service", f"{name}-api-service", _PLACE, ["spec"], owner, opts)
    behind = objects.read(
        "kubernetes:discovery.k8s.io/v1:EndpointSlice", f"{name}-api-endpoints", _PLACE, ["endpoints", "ports"], owner, opts
    )
    rule = parsed(pulumi.Output.all(**service, **behind), _rule)
    return replace(agent, inputs=replace(agent.inputs, api_server=deferred(rule)))


def _rule(known: Mapping[str, Any]) -> Any:
    """The rule for the API server. Without an address, it would allow everything."""
    spec, endpoints, ports = known["spec"], known["endpoints"], known["ports"]
    if not (spec and endpoints and ports):
        raise ValueError(f"Service and EndpointSlice {_PLACE} have no addresses of the API server; set kubernetes.apiServer in the stack")
    addresses = [*spec["clusterIPs"], *(address for endpoint in endpoints for address in endpoint["addresses"])]
    return policies.api_server_rule(addresses, [int(port["port"]) for port in (*spec["ports"], *ports)])
