"""A company's proxy, which asks for a password and signs every connection anew: what `common.proxy` and `common.ca` promise."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from scalr_agents import stack
from scalr_agents.model.findings import errors
from scalr_agents.model.lines import Line

from tests import samples
from tests.cluster.agents import apply, line_id
from tests.cluster.client import Client
from tests.node.agents import AGENTS, Agent, at_once, wait_until_ready
from tests.node.world import OPEN_HOST, PROXY_HOST, PROXY_PASSWORD, PROXY_USER, SCALR, World
from tests.validated import LINES

BEHIND = [line for line in LINES if line.chart == "agent-job" or (line.chart, line.generation) == ("agent-local", "current")]
"""Kinds that take both words. The bundle of agent-k8s is a matter of the agent alone, and the stub does not read it."""
PROXY = f"http://{PROXY_USER}:$(PROXY_PASSWORD)@{PROXY_HOST}:3128"


def behind(cluster: Client, world: World, line: Line, directory: Path, name: str, common: Mapping[str, Any]) -> Agent:
    """An agent of a stack file, with the password as a secret variable."""
    namespace = f"proxy-{line_id(line)}-{name}"
    token = f"token-of-{namespace}"
    world.admit(token)
    (directory / "corporate.pem").write_text(world.authorities()["corporate"])
    words = {"kind": line.chart, "agentVersion": line.default_version, "namespace": namespace, "values": AGENTS[line.chart]}
    config = {"namespaces": {namespace: {}}, "common": {"url": f"https://{SCALR}", **common}, "agents": {"runs": words}}
    secrets = {"runs": {"token": token, "env": {"PROXY_PASSWORD": PROXY_PASSWORD}}}
    loaded = stack.load({**config, "secrets": secrets}, directory=directory)
    assert errors(loaded.findings) == []
    objects = samples.objects(loaded)
    apply(cluster, objects)
    return Agent(line, cluster, world, namespace, token, objects)


@pytest.fixture(scope="module")
def agents(cluster: Client, world: World, tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Agent]:
    directory = tmp_path_factory.mktemp("stacks")

    def start(line: Line) -> Agent:
        agent = behind(cluster, world, line, directory, "all", {"proxy": {"https": PROXY}, "ca": {"file": "corporate.pem"}})
        wait_until_ready(agent)
        return agent

    return {line_id(agent.line): agent for agent in at_once(start, BEHIND)}


@pytest.mark.parametrize("name", [line_id(line) for line in BEHIND])
def test_agents_and_runs_connect_through_the_proxy_alone(name: str, agents: Mapping[str, Agent], world: World) -> None:
    agent = agents[name]
    run = agent.run({"do": "fetch", "to": [f"https://{OPEN_HOST}"], "seconds": 10})
    addresses = {each["ip"] for pod in (agent.pod(), run.pod()) for each in pod["status"].get("podIPs", ())}
    assert run.results()["fetch"] == {f"https://{OPEN_HOST}": "200 OK"}
    assert [to for address, to in world.connections() if address in addresses] == []


@pytest.mark.parametrize("name", [line_id(line) for line in BEHIND])
def test_the_password_is_in_no_pod(name: str, agents: Mapping[str, Agent]) -> None:
    agent = agents[name]
    assert PROXY_PASSWORD not in json.dumps([agent.workload, *agent.pods()])


@pytest.mark.parametrize(
    ("what", "common", "complaint"),
    [
        ("ca", {"proxy": {"https": PROXY}}, "certificate signed by unknown authority"),
        ("password", {"proxy": {"https": f"http://{PROXY_HOST}:3128"}, "ca": {"file": "corporate.pem"}}, "Proxy Authentication Required"),
        ("proxy", {"ca": {"file": "corporate.pem"}}, "certificate signed by unknown authority"),
    ],
)
def test_without_one_of_the_words_nothing_connects(
    what: str, common: Mapping[str, Any], complaint: str, cluster: Client, world: World, tmp_path: Path
) -> None:
    [line] = [line for line in BEHIND if line.chart == "agent-local"]
    agent = behind(cluster, world, line, tmp_path, f"no-{what}", common)
    agent.wait(lambda: agent.pods() and complaint in agent.log(agent.pod()), complaint)
    assert agent.events(event="started") == []
