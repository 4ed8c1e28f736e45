"""Stacks that keep all promises or break one, as the components register them."""

import json
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any

from scalr_agents.model.merge import merge
from scalr_agents.promises import PROMISES, violations_of
from scalr_agents.promises.resources import Resource
from scalr_agents.resources.deploy import deploy

from tests.helpers.agent_job import DEADLINE
from tests.helpers.programs import REPOSITORY, TOKEN
from tests.helpers.recording import Recording, opened, run

NAMESPACE = "scalr"
SECRET = "ghp_0123456789abcdefghij"
EC2 = {"ec2": {"subnets": ["subnet-0a"], "instanceType": "t3.large"}}
GCE = {"gce": {"region": "europe-west1", "subnetwork": "agents", "machineType": "e2-standard-2"}}
EFS = {"web": {"efs": {"eksCluster": "prod"}}}
Change = Callable[[Resource], Mapping[str, Any]]


def agent(kind: str = "agent-job", **words: Any) -> dict[str, Any]:
    values = DEADLINE if kind == "agent-job" else {}
    return merge({"kind": kind, "namespace": NAMESPACE, "agentVersion": "1.4.0", "values": values}, words)


def resources(**words: Any) -> list[Resource]:
    """What a stack registers. `agents` and `machines` get tokens."""
    named = {**words.get("agents", {}), **words.get("machines", {})}
    content = {"common": {"url": "https://acme.scalr.io"}, "secrets": {name: {"token": TOKEN} for name in named}, **words}
    return list(_registered(json.dumps(content)))


@cache
def _registered(content: str) -> tuple[Resource, ...]:
    configuration = {f"scalr-agents:{key}": json.dumps(entry) for key, entry in json.loads(content).items()}
    recording = run(lambda: deploy(REPOSITORY), configuration=configuration, secret_keys=("scalr-agents:secrets",))
    assert recording.error is None, recording.error
    return tuple(seen(recording))


def runs(**words: Any) -> list[Resource]:
    """What a stack with one agent registers."""
    return resources(agents={"runs": agent(**words)})


def seen(recording: Recording) -> Iterator[Resource]:
    """Registered resources as the engine shows them to policies, which see secrets in plain text. A URN has the types of all parents."""
    types = {"": "", recording.resources[0].parent: ""}
    for resource in recording.resources:
        above = types.get(resource.parent, "")
        types[resource.name] = f"{above}${resource.type}".removeprefix("$")
        yield Resource(f"urn:pulumi:dev::program::{types[resource.name]}::{resource.name}", resource.type, opened(resource.inputs))


def changed(stack: list[Resource], what: str, **fields: Any) -> list[Resource]:
    """The stack, with other inputs of the resources of a kind, as a transformation in a program changes them."""
    return [each._replace(inputs=merge(each.inputs, fields)) if each.what == what else each for each in stack]


def broken(stack: list[Resource], config: Mapping[str, Any] | None = None) -> dict[str, list[str]]:
    """The messages of each promise that a stack breaks."""
    found = {promise.name: violations_of(promise, stack, config or {}) for promise in PROMISES}
    return {name: [each.message for each in violations] for name, violations in found.items() if violations}
