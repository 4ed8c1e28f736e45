"""The smallest program that deploys an agent, for tests to vary."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pulumi
import scalr_agents
from scalr_agents.arguments import AgentJobArgs
from scalr_agents.deploy import deploy
from scalr_agents.values.merge import merge

from tests.manifests.changes import DEADLINE
from tests.recording import Recording, run

REPOSITORY = Path(__file__).parents[1]

TOKEN = "s3cr3t-token"
ARGS = {"namespace": "scalr", "url": "https://acme.scalr.io"}


def agent_job(name: str = "runs", opts: pulumi.ResourceOptions | None = None, **args: Any) -> Callable[[], None]:
    values = merge(DEADLINE, args.pop("values", {}))

    def program() -> None:
        scalr_agents.AgentJob(name, cast(AgentJobArgs, {**ARGS, "token": TOKEN, **args, "values": values}), opts)

    return program


def stack_with(caches: dict[str, Any]) -> Recording:
    """Deploy a stack of one agent with these caches, and the agent uses the first of them."""
    agent = {"kind": "agent-job", "namespace": "scalr", "cache": next(iter(caches), ""), "values": DEADLINE}
    words = {"common": {"url": ARGS["url"]}, "caches": caches, "agents": {"runs": agent}, "secrets": {"runs": {"token": TOKEN}}}
    configuration = {f"scalr-agents:{word}": json.dumps(content) for word, content in words.items()}
    return run(lambda: deploy(REPOSITORY), configuration=configuration, secret_keys=("scalr-agents:secrets",))
