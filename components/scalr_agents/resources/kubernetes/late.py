"""What only a deployment knows of an agent: images, the list of its mirrors, addresses of the API server, the digest of its secrets.

`owner` is the component that they are for, called `name`.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from secrets import token_hex
from typing import Any

import pulumi

from scalr_agents.charts.shared import secrets
from scalr_agents.charts.shared.agent import A, AnyAgent
from scalr_agents.charts.shared.environment import filled, mirror_list
from scalr_agents.charts.shared.mirrors import TOKENS
from scalr_agents.charts.shared.network import policies
from scalr_agents.model.findings import entry
from scalr_agents.model.maps import Deferred, is_deferred
from scalr_agents.resources import validation
from scalr_agents.resources.kubernetes import objects
from scalr_agents.resources.outputs import deferred, parsed, when_registered

_IMAGES = ("agent_image", "runner_image")
_API_SERVER = "default/kubernetes"
"""Namespace and name of the Service of the API server, and of its endpoints. Every cluster has both."""


def with_images(agent: A, owner: pulumi.ComponentResource, name: str) -> A:
    """The agent with images that end the program if they turn out to be empty: Kubernetes would accept a template of Jobs without them.

    Without such images it is the same agent, because another one would make all objects again.
    """
    images = validation.later_text(owner, name, agent.inputs, _IMAGES)
    return replace(agent, inputs=replace(agent.inputs, **images)) if images else agent


def with_mirrors(agent: A) -> A:
    """The agent with its list of mirrors, if only the deployment knows their tokens. The list is one string, so all of it is a secret."""
    tokens: dict[str, Any] = dict(agent.inputs.mirror_tokens)
    if not any(map(is_deferred, tokens.values())):
        return agent
    listed = agent.values.agent.provider_network_mirrors

    def as_json(known: Mapping[str, Any]) -> str | Deferred:
        return mirror_list(filled(listed, {host: str(token) for host, token in known.items()}))

    network_mirrors = deferred(pulumi.Output.secret(tokens).apply(as_json))
    return replace(agent, inputs=replace(agent.inputs, network_mirrors=network_mirrors))


def with_api_server(agent: A, owner: pulumi.ComponentResource, name: str, opts: pulumi.ResourceOptions | None) -> A:
    """The agent with the addresses of the API server, looked up in the cluster if its policies need them.

    Network plugins match the address of the Service or those behind it: both are allowed.
    """
    if agent.inputs.egress is None or not policies.wants_api_server(agent):
        return agent
    service = objects.read("kubernetes:core/v1:Service", f"{name}-api-service", _API_SERVER, ["spec"], owner, opts)
    behind = objects.read(
        "kubernetes:discovery.k8s.io/v1:EndpointSlice", f"{name}-api-endpoints", _API_SERVER, ["endpoints", "ports"], owner, opts
    )
    rule = parsed(pulumi.Output.all(**service, **behind), _rule)
    return replace(agent, inputs=replace(agent.inputs, api_server=deferred(rule)))


def _rule(known: Mapping[str, Any]) -> Any:
    """The rule for the API server. Without an address, it would allow everything."""
    spec, endpoints, ports = known["spec"], known["endpoints"], known["ports"]
    if not (spec and endpoints and ports):
        raise ValueError(
            f"Service and EndpointSlice {_API_SERVER} have no addresses of the API server; set kubernetes.apiServer in the stack"
        )
    addresses = [*spec["clusterIPs"], *(address for endpoint in endpoints for address in endpoint["addresses"])]
    return policies.api_server_rule(addresses, [int(port["port"]) for port in (*spec["ports"], *ports)])


def digest(agent: AnyAgent, owner: pulumi.ComponentResource, name: str) -> str | Deferred | None:
    """The digest of all secrets of an agent. When a secret changes, the digest changes, and the pods are replaced.

    Diffs may show a digest, because it reveals no secret.
    """
    secret_data, tokens = agent.secret_data, dict(agent.inputs.mirror_tokens)
    key = _key(owner, name) if secrets.needs_key(secret_data) else None
    if key is None and not any(map(is_deferred, secrets.contents(secret_data))):
        return secrets.known_digest(secret_data)

    def made(known: list[Any]) -> str:
        content, known_tokens, random_key = known
        unfit = [*_unfit(content), *(entry(TOKENS, host) for host, token in known_tokens.items() if not _is_text(token))]
        if unfit:  # fails before a pod is created with such a secret; the content is not repeated
            what = ", ".join(unfit)
            raise ValueError(f"agent {agent.release.name!r} cannot be deployed: these outputs are empty or not a string: {what}")
        return secrets.digest(content, random_key)

    given = when_registered(owner, pulumi.Output.all(secret_data, tokens, key or ""))
    return deferred(pulumi.Output.unsecret(parsed(given, made)))


def _key(owner: pulumi.ComponentResource, name: str) -> pulumi.Output[str]:
    """A random key for the digest. The first one stays in the state, encrypted.

    The value comes from `input`, which keeps the first key too: with the mocks of tests of programs there is no other output.
    """
    opts = pulumi.ResourceOptions(parent=owner, ignore_changes=["input"])
    key: pulumi.Output[str] = pulumi.Stash(f"{name}-digest-key", opts, pulumi.Output.secret(token_hex(32))).input
    return key


def _unfit(secret_data: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """The secrets that have no content. A variable may be an empty string."""
    for role, data in secret_data.items():
        if role == "env":
            yield from (f"variable {name}" for name, value in data.items() if not isinstance(value, str))
        elif not all(map(_is_text, data.values())):
            yield role


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value)
