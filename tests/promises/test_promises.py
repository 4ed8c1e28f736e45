"""Each promise is kept by the stacks that the components make, and broken by the change that it is about."""

import copy
import functools
import json
import re
from collections.abc import Callable, Iterator
from typing import Any, cast

import pytest
import scalr_agents
from hypothesis import given, settings
from hypothesis import strategies as st
from scalr_agents.promises import EXCEPTIONS, PROMISES
from scalr_agents.promises.resources import KINDS, Resource
from scalr_agents.resources.arguments.agents import AgentJobArgs

from tests.helpers.programs import REPOSITORY, TOKEN
from tests.helpers.recording import run
from tests.promises.stacks import EC2, EFS, GCE, SECRET, agent, broken, resources, runs, seen

CLOSED_LOCAL = agent(
    "agent-local", namespace="vcs", role="vcs", values={"allowMetadataService": False}, nodes={"selector": {"pool": "vcs"}}
)
WHOLE = "Remove the value or the transformation that changes the security of these pods."


@pytest.mark.parametrize("version", ["0.57.0", "1.4.0"])
def test_agents_and_caches_keep_all_promises(version: str) -> None:
    stack = resources(
        caches=EFS,
        agents={"runs": agent(cache="web", agentVersion=version, nodes={"selector": {"pool": "runs"}}), "vcs": CLOSED_LOCAL},
    )
    assert broken(stack) == {}


@pytest.mark.parametrize(
    "egress", [{"enforcedBy": "cilium"}, {"enforcedBy": "gke"}, {"enforcedBy": "kubernetes", "only": [{"cidr": "10.0.0.0/8"}]}]
)
def test_closed_networks_keep_all_promises(egress: dict[str, Any]) -> None:
    common = {"url": "https://acme.scalr.io", "network": {"egress": egress}, "proxy": {"https": "http://10.0.0.1:3128"}}
    assert broken(resources(common=common, agents={"runs": agent()})) == {}


@pytest.mark.parametrize("role", ["runs", "vcs"])
def test_machines_keep_all_promises(role: str) -> None:
    assert broken(resources(machines={"aws": {**EC2, "role": role}, "gcp": {**GCE, "role": role}})) == {}


def test_resources_of_others_are_not_judged() -> None:
    """A policy of a program's own resources is for the program's owner to write."""
    stack = [
        each._replace(urn=each.urn.replace("scalr-agents:index:", "acme:index:"))
        for each in resources(agents={"runs": agent(values={"task": {"allowMetadataService": True}})}, machines={"m": EC2})
    ]
    assert broken(stack) == {}


@pytest.mark.parametrize(
    ("make", "name", "message"),
    [
        (
            lambda: runs(values={"task": {"allowMetadataService": True}}),
            "closed-metadata-service",
            (
                "AgentTaskTemplate scalr/runs-scalr-agent-task-template: no NetworkPolicy closes the metadata services to its pods. "
                "Remove task.allowMetadataService: true, or list the namespace in exceptNamespaces."
            ),
        ),
        (
            lambda: resources(agents={"vcs": agent("agent-local")}),
            "closed-metadata-service-of-other-kinds",
            (
                "Deployment scalr/vcs-agent-local: no NetworkPolicy closes the metadata services to its pods. "
                "Set allowMetadataService: false, or list the namespace in exceptNamespaces."
            ),
        ),
        (
            lambda: resources(machines={"m": {**EC2, "allowMetadataService": True}}),
            "closed-metadata-service-of-machines",
            (
                "LaunchTemplate m-launch-template: containers reach the metadata service: it must require tokens and answer over one hop "
                "only. Remove allowMetadataService: true, and transformations of metadataOptions."
            ),
        ),
        (
            lambda: resources(machines={"m": {**GCE, "allowMetadataService": True}}),
            "closed-metadata-service-of-machines",
            (
                "InstanceTemplate m-template: containers reach the metadata service: the user data has no rule that blocks it. "
                "Remove allowMetadataService: true, and transformations of the user data."
            ),
        ),
        (
            lambda: runs(values={"agent": {"controller": {"securityContext": {"allowPrivilegeEscalation": True}}}}),
            "restricted-pods",
            f"Deployment scalr/runs-scalr-agent: container 'controller' does not set allowPrivilegeEscalation to false. {WHOLE}",
        ),
        (
            lambda: runs(values={"agent": {"extraEnv": {"SCALR_AGENT_TOKEN": SECRET}}}),
            "no-plain-tokens",
            (
                "Deployment scalr/runs-scalr-agent: variable SCALR_AGENT_TOKEN of container 'controller' is in plain text. "
                "Set it as a secret, so that the pod reads it from a Secret."
            ),
        ),
        (
            lambda: resources(agents={"one": agent(), "two": agent()}),
            "namespace-per-agent",
            (
                "Deployment scalr/two-scalr-agent: agent 'two' shares namespace 'scalr' with agent 'one', so that each can act "
                "as the other. Give each agent a namespace of its own, or list this one in exceptNamespaces."
            ),
        ),
    ],
)
def test_values_that_break_a_promise(make: Callable[[], list[Resource]], name: str, message: str) -> None:
    found = broken(make())
    assert message in found[name]
    assert found.keys() == {name}
    assert SECRET not in json.dumps(found)
    assert TOKEN not in json.dumps(found)


def test_a_controller_alone_is_judged() -> None:
    """In programs that use the parts of `AgentJob`."""
    controller = {"securityContext": {"allowPrivilegeEscalation": True}}
    values = {"task": {"allowMetadataService": True}, "agent": {"extraEnv": {"SCALR_AGENT_TOKEN": SECRET}, "controller": controller}}
    args = {"namespace": "scalr", "url": "https://acme.scalr.io", "token": TOKEN, "values": values}

    def program() -> None:
        for name in ("one", "two"):
            scalr_agents.AgentController(name, cast(AgentJobArgs, args))

    mandatory = {"closed-metadata-service", "restricted-pods", "no-plain-tokens"}
    assert broken(list(seen(run(program)))).keys() == mandatory | {"namespace-per-agent"}


def test_every_component_with_pods_has_a_kind() -> None:
    classes = {name for name in scalr_agents.__all__ if name.startswith("Agent") and not name.endswith(("Args", "Values"))}
    assert classes == KINDS.keys() | {"AgentCrds", "AgentNetworkPolicy", "AgentRbac"}


def test_agent_k8s_is_reported_where_it_can_be_closed() -> None:
    """Its pods are not restricted, by design; SECURITY.md says so, and no policy asks for it."""
    stack = {"closed": resources(agents={"old": agent("agent-k8s", values={"restrictMetadataService": True})})}
    stack["open"] = resources(agents={"old": agent("agent-k8s")})
    found = {name: broken(each) for name, each in stack.items()}
    assert found["closed"] == {}
    assert found["open"].keys() == {"closed-metadata-service-of-other-kinds"}
    assert "DaemonSet scalr/old-agent-k8s-worker" in str(found["open"])
    assert "restrictMetadataService: true" in str(found["open"])


def test_clusters_are_apart() -> None:
    """Agents of the same namespace in two clusters do not meet, and a policy closes nothing in the other cluster."""
    stack = resources(agents={"one": agent(), "two": agent()})
    assert broken(stack).keys() == {"namespace-per-agent"}
    apart = [each._replace(provider="urn:two" if "two-" in each.urn else "urn:one") for each in stack]
    assert broken(apart) == {}
    moved = [each._replace(provider="urn:three") if each.what == "NetworkPolicy" else each for each in apart]
    assert broken(moved).keys() == {"closed-metadata-service"}


def test_excepted_namespaces_are_not_judged() -> None:
    """Only where a promise has such exceptions: a secret in plain text is one in every namespace."""
    values = {
        "task": {"allowMetadataService": True},
        "agent": {"extraEnv": {"SCALR_AGENT_TOKEN": SECRET}, "controller": {"securityContext": {"allowPrivilegeEscalation": True}}},
    }
    stack = resources(agents={"one": agent(values=values), "two": agent(), "vcs": agent("agent-local")})
    excepted = {"exceptNamespaces": ["scalr"]}
    known = {promise.name for promise in PROMISES if promise.exceptions == "exceptNamespaces"}
    assert broken(stack).keys() == known | {"no-plain-tokens"}
    assert broken(stack, excepted).keys() == {"no-plain-tokens"}
    assert broken(stack, {"exceptNamespaces": ["other"]}) == broken(stack)


def test_only_what_security_promises_is_mandatory() -> None:
    """It promises closed metadata services of agent-job only, and a namespace for each trust domain, which no resource names."""
    advice = [promise.name for promise in PROMISES if not promise.mandatory]
    assert advice == ["closed-metadata-service-of-other-kinds", "namespace-per-agent"]


def test_the_page_lists_all_policies() -> None:
    page = (REPOSITORY / "docs" / "policy-pack.md").read_text(encoding="utf-8")
    levels = dict(re.findall(r"^\| `([\w-]+)` \| (\w+) \|", page, re.MULTILINE))
    assert levels == {promise.name: "mandatory" if promise.mandatory else "advisory" for promise in PROMISES}
    for exceptions, meaning in EXCEPTIONS.items():
        [row] = re.findall(rf"^\| `{exceptions}` \| (.*) \| (.*) \|$", page, re.MULTILINE)
        assert set(re.findall(r"`([\w-]+)`", row[0])) == {promise.name for promise in PROMISES if promise.exceptions == exceptions}
        assert row[1] == meaning
    [together] = re.findall(r"^- Policies that judge several resources together \((.*)\)", page, re.MULTILINE)
    assert set(re.findall(r"`([\w-]+)`", together)) == {promise.name for promise in PROMISES if promise.whole_stack}


UNKNOWN = object()
SHAPES: list[Any] = [UNKNOWN, [], [UNKNOWN], {}, {"a": UNKNOWN}, "text", "nötig", 1.5, True, None]


@functools.cache
def real() -> list[Resource]:
    cilium = {"egress": {"enforcedBy": "cilium"}}
    common = {"url": "https://acme.scalr.io"}
    agents = {"runs": agent(cache="web"), "vcs": agent("agent-local", values={"allowMetadataService": False}, namespace="vcs")}
    stack = resources(common=common, caches=EFS, agents=agents, machines={"a": EC2, "g": GCE})
    closed = resources(common={**common, "network": cilium}, agents={"closed": agent(namespace="closed")})
    return [*stack, *(each for each in closed if each.component)]


def paths(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """The paths of all that a value contains."""
    for key, item in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield (*path, key)
        yield from paths(item, (*path, key))


def replaced(value: Any, path: tuple[str | int, ...], other: Any) -> Any:
    """A copy with something else at a path."""
    if not path:
        return other
    copied = copy.copy(value)
    copied[path[0]] = replaced(value[path[0]], path[1:], other)
    return copied


@functools.cache
def places() -> list[tuple[int, tuple[str | int, ...]]]:
    return [(index, path) for index, each in enumerate(real()) if each.component for path in paths(each.inputs)]


@given(place=st.deferred(lambda: st.sampled_from(places())), value=st.sampled_from(SHAPES))
@settings(max_examples=100)
def test_any_inputs_are_judged(place: tuple[int, tuple[str | int, ...]], value: Any) -> None:
    """Policies see whatever a program registers, also what is no valid object, or is not known yet."""
    index, path = place
    stack = list(real())
    stack[index] = stack[index]._replace(inputs=replaced(stack[index].inputs, path, value))
    found = broken(stack)
    assert "object at 0x" not in str(found)
    if value is UNKNOWN:
        assert found == {}
