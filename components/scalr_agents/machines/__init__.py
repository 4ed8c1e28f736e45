"""Agents on virtual machines and on Docker hosts: settings, checks, and the files of a machine. Plain data in, text out.

`settings` declares the settings of all machines, `aws` and `gcp` those of a cloud and what else is particular to it. `checks` checks what
no declaration says, `versions` has what differs between versions of the agent, `environment` makes the agent's variables, `units` and
`files` make the files on the machine, and `documents` the formats in which they are printed. `on_machine` is a program that runs there.
"""

from dataclasses import dataclass
from typing import Literal

from scalr_agents.machines.settings import AgentSettings, SharedSettings

Platform = Literal["aws", "gcp", "own"]
"""The cloud that runs the machine, or `own` for a host of the user."""


@dataclass(frozen=True)
class Machine:
    """The agent of one machine, or of a group of identical machines."""

    name: str
    platform: Platform
    agent: AgentSettings
    shared: SharedSettings
    fetches_certificates: bool = False
    """Whether the certificates of `shared` are in the machine's secret, because its user data would exceed the limit with them."""

    @property
    def in_docker(self) -> bool:
        """Whether the agent runs as a container. Otherwise it runs from the package that Scalr has deprecated."""
        return self.agent.runtime == "docker"

    @property
    def serves_runs(self) -> bool:
        return self.agent.role == "runs"

    @property
    def can_drain(self) -> bool:
        """Whether the platform notifies a machine before it is removed, and waits for it.

        A lifecycle hook of AWS applies to all machines of a group, including those that still have the previous role after a change.
        """
        return self.platform == "aws" or (self.platform == "gcp" and self.serves_runs)


@dataclass(frozen=True)
class CloudNames:
    """Names of cloud resources that a machine uses. Empty on the user's own host."""

    secret: str = ""
    """ARN of the secret in AWS Secrets Manager, or `projects/<project>/secrets/<name>` in Google Secret Manager."""
    group: str = ""
    """Name of the Auto Scaling group."""
    log_group: str = ""
    """CloudWatch log group of the agent. Empty if there is none."""
