"""The differences between agent versions on machines. No other module of machines compares versions."""

from typing import NamedTuple

from scalr_agents.model.release import NEWEST, numbers


class Since(NamedTuple):
    """Something that agents have from a version on."""

    first: str

    def has(self, version: str) -> bool:
        """Whether agents of a valid version have it. Default: the newest."""
        return numbers(version or NEWEST) >= numbers(self.first)


NEW_NAMES = Since("0.53.0")
"""Variables with the names `SCALR_AGENT_*`, and those in `ONLY_NEW`."""
TOKEN_NAMES = ("SCALR_AGENT_TOKEN", "SCALR_TOKEN")
"""Name of the variable with the token: for agents with new names, and for older ones."""
TASK_IMAGE = Since("0.61.3")
"""A variable for the image of tasks. Older agents use an image with a fixed name."""
OLD_NAMES = {
    "SCALR_AGENT_DATA_DIR": "SCALR_DATA_HOME",
    "SCALR_AGENT_CA_CERT": "SCALR_CA_CERT",
    "SCALR_AGENT_CONTAINER_TASK_CA_CERT": "SCALR_CONTAINER_TASK_CA_CERT",
    "SCALR_AGENT_CONTAINER_TASK_MEM_LIMIT": "SCALR_CONTAINER_TASK_MEM_LIMIT",
    "SCALR_AGENT_WORKER_ON_STOP_ACTION": "SCALR_WORKER_ON_STOP_ACTION",
    "SCALR_AGENT_WORKER_DRAIN_TIMEOUT": "SCALR_WORKER_DRAIN_TIMEOUT",
    "SCALR_AGENT_WORKER_GRACE_SHUTDOWN_TIMEOUT": "SCALR_WORKER_GRACE_SHUTDOWN_TIMEOUT",
}
"""Names of variables in agents before `NEW_NAMES`. Other variables have the same name, or do not exist there."""
ONLY_NEW = {"SCALR_AGENT_CONCURRENCY", "SCALR_AGENT_OTLP_ENDPOINT", "SCALR_AGENT_OTLP_METRICS_ENABLED", "SCALR_AGENT_OTLP_TRACES_ENABLED"}
