"""The smallest program that deploys an agent, for tests to vary."""

from collections.abc import Callable
from typing import Any, cast

import pulumi
import scalr_agents
from scalr_agents.arguments import AgentJobArgs

TOKEN = "s3cr3t-token"
ARGS = {"namespace": "scalr", "url": "https://acme.scalr.io"}


def agent_job(name: str = "runs", opts: pulumi.ResourceOptions | None = None, **args: Any) -> Callable[[], None]:
    def program() -> None:
        scalr_agents.AgentJob(name, cast(AgentJobArgs, {**ARGS, "token": TOKEN, **args}), opts)

    return program
