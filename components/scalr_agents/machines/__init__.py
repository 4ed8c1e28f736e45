"""Agents on virtual machines and on Docker hosts: settings, checks, and the files of a machine. Plain data in, text out.

`settings` has the words, `checks` and `forms` what is wrong with them, `environment` the agent's variables, `units` and `files` what lies
on the machine, `documents` the forms in which it is printed. `on_machine` is a program for the machine itself.
"""

from dataclasses import dataclass
from typing import Literal

from scalr_agents.machines.settings import AgentSettings, SharedSettings

Platform = Literal["aws", "gcp", "own"]
"""Who runs the machine: a cloud, or its owner."""


@dataclass(frozen=True)
class Machine:
    """The agent of one machine, or of a group of machines that are all alike."""

    name: str
    platform: Platform
    agent: AgentSettings
    shared: SharedSettings

    @property
    def in_docker(self) -> bool:
        """Whether the agent itself is a container. Otherwise it is the package that Scalr has deprecated."""
        return self.agent.runtime == "docker"

    @property
    def serves_runs(self) -> bool:
        return self.agent.role == "runs"

    @property
    def can_drain(self) -> bool:
        """Whether the platform tells a machine that it has to go, and waits.

        A lifecycle hook of AWS is for all machines of a group, also for those of another role that are still there after a change.
        """
        return self.platform == "aws" or (self.platform == "gcp" and self.serves_runs)


@dataclass(frozen=True)
class CloudNames:
    """What a machine has to know of the cloud. Empty on a host of one's own."""

    secret: str = ""
    """ARN of the secret in AWS Secrets Manager, or `projects/<project>/secrets/<name>` in Google Secret Manager."""
    group: str = ""
    """Name of the Auto Scaling group."""
    log_group: str = ""
    """CloudWatch log group of the agent. Empty without one."""
