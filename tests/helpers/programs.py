"""The smallest program that deploys an agent, for tests to vary."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, cast

import pulumi
import scalr_agents
from scalr_agents.model.maps import merge
from scalr_agents.resources.arguments.agents import AgentJobArgs
from scalr_agents.resources.deploy import deploy

from tests.helpers.agent_job import DEADLINE
from tests.helpers.recording import Recording, run

REPOSITORY = Path(__file__).parents[2]

TOKEN = "s3cr3t-token"
ARGS = {"namespace": "scalr", "url": "https://acme.scalr.io"}


def agent_job(name: str = "runs", opts: pulumi.ResourceOptions | None = None, **args: Any) -> Callable[[], None]:
    values = merge(DEADLINE, args.pop("values", {}))

    def program() -> None:
        scalr_agents.AgentJob(name, cast(AgentJobArgs, {**ARGS, "token": TOKEN, **args, "values": values}), opts)

    return program


def stack_with(caches: Mapping[str, Any], agents: Mapping[str, Any] | None = None, **words: Any) -> Recording:
    """Deploy a stack of agents in one namespace with these caches. Default: one agent that uses the first cache."""
    plain = {"kind": "agent-job", "namespace": "scalr", "agentVersion": "0.57.0"}
    given = {"runs": {"cache": next(iter(caches), "")}} if agents is None else agents
    content = {
        "common": {"url": ARGS["url"]},
        "caches": caches,
        "agents": {name: merge(plain | ({} if "kind" in agent else {"values": DEADLINE}), agent) for name, agent in given.items()},
        "secrets": {name: {"token": TOKEN} for name in given},
        **words,
    }
    return deployed(content)


def deployed(
    words: Mapping[str, Any], project: Path = REPOSITORY, *, secret_keys: tuple[str, ...] = ("scalr-agents:secrets",)
) -> Recording:
    """Deploy a stack with these keys of its configuration, beside one of a provider."""
    configuration = {f"scalr-agents:{word}": json.dumps(content) for word, content in words.items()}
    return run(lambda: deploy(project), configuration=configuration | {"aws:region": "eu-west-1"}, secret_keys=secret_keys)
