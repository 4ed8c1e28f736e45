"""What the lines of the agent expect of their pods: commands, paths, variables. The rest of the package asks a dialect."""

from collections.abc import Callable
from typing import NamedTuple

from scalr_agents import contract
from scalr_agents.manifests.env import Setting
from scalr_agents.manifests.objects import Manifest
from scalr_agents.release import Release
from scalr_agents.values.agent_job import AgentJobValues
from scalr_agents.values.quantities import megabytes

Settings = dict[str, Setting]

_SCHEDULING_SECONDS = 120
_BACKOFF_LIMIT = 1


class Dialect(NamedTuple):
    """One line's side of the contract between chart, agent and runner."""

    agent_command: list[str]
    """Command of controller and worker; empty for that of the image."""
    runner_command: list[str]
    """What the runner runs: it waits for the worker to tell it what to do."""
    binaries_mount: str
    """Where the runner expects OpenTofu and Terraform."""
    binaries_directory: str
    """Where the worker puts them, in the cache."""
    agent_in_runner: str
    """Where the runner finds the agent's own files, as a volume out of the agent's image; empty where its image has them."""
    pod_info: str
    """Where controller and worker find labels and annotations of their pod; empty where they do not look."""
    controller: Callable[[AgentJobValues], Settings]
    """Variables of the controller beside those that all lines have."""
    worker: Callable[[AgentJobValues], Settings]
    """Variables of the worker beside those that all lines have."""
    job: Callable[[AgentJobValues], Manifest]
    """What becomes of a Job whose pod ends badly."""


def _legacy_controller(_: AgentJobValues) -> Settings:
    return {"SCALR_AGENT_CONTAINER_TASK_SCHEDULING_TIMEOUT": _SCHEDULING_SECONDS, "SCALR_AGENT_DISCONNECT_ON_STOP": 1}


def _legacy_worker(_: AgentJobValues) -> Settings:
    return {"SCALR_AGENT_DISCONNECT_ON_STOP": 1}


def _legacy_job(_: AgentJobValues) -> Manifest:
    return {"backoffLimit": 0}


def _process(values: AgentJobValues) -> Settings:
    """Variables of controller and worker."""
    agent, runner, cache = values.agent, values.task.runner, values.agent.binary_cache
    given = {
        "SCALR_AGENT_KUBERNETES_TASK_STARTUP_TIMEOUT_SECONDS": values.task.startup_timeout_seconds,
        "SCALR_AGENT_MEMORY_MONITOR_WARN_PERCENT": runner.memory_warn_percent,
        "SCALR_AGENT_MEMORY_MONITOR_SOFT_LIMIT_PERCENT": runner.memory_soft_limit_percent,
        "SCALR_AGENT_BINARY_CACHE_THRESHOLD_DAYS": cache.threshold_days,
    }
    return {
        "SCALR_AGENT_STATE_PERSISTENCE_ENABLED": False,
        "SCALR_AGENT_MEMORY_MONITOR_ENABLED": 1,
        "SCALR_AGENT_SENTRY_DSN": agent.sentry_dsn,
        "SCALR_AGENT_BINARY_CACHE_SIZE_LIMIT_MB": megabytes(cache.size_limit),
        **{name: value for name, value in given.items() if value is not None},
    }


def _worker(values: AgentJobValues) -> Settings:
    providers, modules = values.agent.provider_cache, values.agent.module_cache
    concurrency = {
        "SCALR_AGENT_PROVIDER_CACHE_CONCURRENCY": providers.concurrency if providers.enabled else None,
        "SCALR_AGENT_MODULE_CACHE_CONCURRENCY": modules.concurrency if modules.enabled else None,
    }
    return {
        **_process(values),
        "SCALR_AGENT_PROVIDER_CACHE_DROP_KERNEL_PAGES": providers.drop_kernel_pages,
        **{name: number for name, number in concurrency.items() if number is not None},
    }


def _job(values: AgentJobValues) -> Manifest:
    """A run that failed is never started again; one whose pod a node took away is, within the limit."""
    limit = values.task.job.backoff_limit
    return {
        "backoffLimit": _BACKOFF_LIMIT if limit is None else limit,
        "podFailurePolicy": {
            "rules": [
                {"action": "FailJob", "onExitCodes": {"operator": "NotIn", "values": [0]}},
                {"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget"}]},
            ]
        },
    }


_DIALECTS = {
    "legacy": Dialect(
        agent_command=["python", "-m", "tacoagent.cmd"],
        runner_command=["/bin/sh", "/opt/scalr-agent/tacoagent/driver/exec_loop.sh"],
        binaries_mount="/opt/bin",
        binaries_directory="bin",
        agent_in_runner="",
        pod_info="",
        controller=_legacy_controller,
        worker=_legacy_worker,
        job=_legacy_job,
    ),
    "current": Dialect(
        agent_command=[],
        runner_command=["/usr/bin/runner/exec-loop"],
        binaries_mount="/opt/binary-cache",
        binaries_directory="binaries",
        agent_in_runner="/usr/bin/runner",
        pod_info=contract.POD_INFO_DIR,
        controller=_process,
        worker=_worker,
        job=_job,
    ),
}


def of(release: Release) -> Dialect:
    """The dialect of a release's agents."""
    return _DIALECTS[release.line.generation]
