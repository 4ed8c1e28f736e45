"""`common.proxy` and `common.ca` with a company's proxy, which requires a password and re-signs every connection."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.cluster.agents import line_id
from tests.cluster.client import Client
from tests.node.agents import Agent
from tests.node.stacks import BEHIND, CA, PROXY, deploy, deploy_all
from tests.node.world import OPEN_HOST, PROXY_HOST, World


@pytest.fixture(scope="module")
def agents(cluster: Client, world: World, tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Agent]:
    return deploy_all(cluster, world, tmp_path_factory.mktemp("stacks"), "proxy", {"proxy": PROXY, "ca": CA})


@pytest.mark.parametrize("name", [line_id(line) for line in BEHIND])
def test_agents_and_runs_connect_only_through_the_proxy(name: str, agents: Mapping[str, Agent], world: World) -> None:
    agent = agents[name]
    run = agent.run({"do": "fetch", "to": [f"https://{OPEN_HOST}"], "seconds": 10})
    addresses = {each["ip"] for pod in (agent.pod(), run.pod()) for each in pod["status"].get("podIPs", ())}
    assert run.results()["fetch"] == {f"https://{OPEN_HOST}": "200 OK"}
    assert [to for address, to in world.connections() if address in addresses] == []


@pytest.mark.parametrize(
    ("what", "common", "complaint"),
    [
        ("ca", {"proxy": PROXY}, "certificate signed by unknown authority"),
        ("password", {"proxy": {"https": f"http://{PROXY_HOST}:3128"}, "ca": CA}, "Proxy Authentication Required"),
        ("proxy", {"ca": CA}, "certificate signed by unknown authority"),
    ],
)
def test_each_proxy_setting_is_required(
    what: str, common: Mapping[str, Any], complaint: str, cluster: Client, world: World, tmp_path: Path
) -> None:
    [line] = [line for line in BEHIND if line.chart == "agent-local"]
    agent = deploy(cluster, world, line, tmp_path, f"no-{what}", common)
    agent.wait(lambda: agent.pods() and complaint in agent.log(agent.pod()), complaint)
    assert agent.events(event="started") == []
