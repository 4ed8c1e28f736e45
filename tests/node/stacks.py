"""Agents of stack files behind a company's proxy, which requires a password and re-signs every connection."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from scalr_agents import stack
from scalr_agents.model.findings import errors
from scalr_agents.model.release import Line

from tests.cluster.agents import apply, line_id
from tests.cluster.client import Client
from tests.helpers import samples
from tests.helpers.validated import LINES
from tests.node import network
from tests.node.agents import AGENTS, Agent, at_once, wait_until_ready
from tests.node.world import PROXY_HOST, PROXY_PASSWORD, PROXY_USER, SCALR, World

BEHIND = [line for line in LINES if line.chart == "agent-job" or (line.chart, line.generation) == ("agent-local", "current")]
"""Kinds with a proxy and a CA. The bundle of agent-k8s is only for the agent, and the stub does not read it."""
PROXY: Mapping[str, Any] = {"https": f"http://{PROXY_USER}:$(PROXY_PASSWORD)@{PROXY_HOST}:3128"}
CA: Mapping[str, Any] = {"file": "corporate.pem"}


def deploy(cluster: Client, world: World, line: Line, directory: Path, name: str, common: Mapping[str, Any]) -> Agent:
    """An agent of a stack file, with the password as a secret variable."""
    namespace = f"{name}-{line_id(line)}"
    token = f"token-of-{namespace}"
    world.admit(token)
    own = directory / namespace  # agents start at the same time, and one would read what another is writing
    own.mkdir()
    (own / CA["file"]).write_text(world.authorities()["corporate"])
    words = {"kind": line.chart, "agentVersion": line.default_version, "namespace": namespace, "values": AGENTS[line.chart]}
    config = {
        "kubernetes": {"apiServer": [f"{network.API_SERVICE}/32", f"{network.WORLD}/32"]},
        "namespaces": {namespace: {}},
        "common": {"url": f"https://{SCALR}", **common},
        "agents": {"runs": words},
        "secrets": {"runs": {"token": token, "env": {"PROXY_PASSWORD": PROXY_PASSWORD}}},
    }
    loaded = stack.load(config, directory=own)
    assert errors(loaded.findings) == []
    objects = samples.objects(loaded)
    apply(cluster, objects)
    return Agent(line, cluster, world, namespace, token, objects)


def deploy_all(cluster: Client, world: World, directory: Path, name: str, common: Mapping[str, Any]) -> Mapping[str, Agent]:
    """An agent of each kind behind the proxy, by its id. They start at the same time."""

    def start(line: Line) -> Agent:
        agent = deploy(cluster, world, line, directory, name, common)
        wait_until_ready(agent)
        return agent

    return {line_id(agent.line): agent for agent in at_once(start, BEHIND)}
