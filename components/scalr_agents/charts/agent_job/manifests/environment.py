"""What the agents of a release expect of their pods. The rest of the package asks here."""

from collections.abc import Mapping

from scalr_agents.charts.agent_job import versions
from scalr_agents.charts.agent_job.values import AgentJobValues
from scalr_agents.charts.shared import contract
from scalr_agents.charts.shared.manifests.environment import Setting
from scalr_agents.charts.shared.manifests.objects import Manifest
from scalr_agents.model.quantities import megabytes
from scalr_agents.model.release import Release

Settings = dict[str, Setting]

_BACKOFF_LIMIT = 1


def of(release: Release) -> versions.AgentJob:
    """What the agents of a release's version expect."""
    return versions.TABLE.row(release.version)


def controller(values: AgentJobValues, release: Release) -> Settings:
    """Variables of the controller beside those of all versions."""
    row = of(release)
    return {**row.controller_variables, **row.variables, **_process(values, release)}


def worker(values: AgentJobValues, release: Release) -> Settings:
    """Variables of the worker beside those of all versions."""
    row, providers, modules = of(release), values.agent.provider_cache, values.agent.module_cache
    given = {
        "SCALR_AGENT_PROVIDER_CACHE_DROP_KERNEL_PAGES": providers.drop_kernel_pages,
        "SCALR_AGENT_PROVIDER_CACHE_CONCURRENCY": providers.concurrency if providers.enabled else None,
        "SCALR_AGENT_MODULE_CACHE_CONCURRENCY": modules.concurrency if modules.enabled else None,
    }
    return {**row.variables, **_process(values, release), **row.worker_variables, **_known(given, release)}


def _process(values: AgentJobValues, release: Release) -> Settings:
    """Variables of controller and worker out of the values."""
    agent, runner, cache = values.agent, values.task.runner, values.agent.binary_cache
    given = {
        "SCALR_AGENT_SENTRY_DSN": agent.sentry_dsn,
        "SCALR_AGENT_BINARY_CACHE_SIZE_LIMIT_MB": megabytes(cache.size_limit),
        "SCALR_AGENT_KUBERNETES_TASK_STARTUP_TIMEOUT_SECONDS": values.task.startup_timeout_seconds,
        "SCALR_AGENT_MEMORY_MONITOR_WARN_PERCENT": runner.memory_warn_percent,
        "SCALR_AGENT_MEMORY_MONITOR_SOFT_LIMIT_PERCENT": runner.memory_soft_limit_percent,
        "SCALR_AGENT_BINARY_CACHE_THRESHOLD_DAYS": cache.threshold_days,
    }
    return _known(given, release)


def _known(given: Mapping[str, Setting | None], release: Release) -> Settings:
    """The variables that have a value, of those whose value the release's agents know."""
    return {
        name: value
        for name, value in given.items()
        if value is not None and versions.TABLE.knows(release.version, contract.AGENT_JOB_VARIABLES[name] or name)
    }


def job(values: AgentJobValues, release: Release) -> Manifest:
    """What becomes of a Job whose pod ends badly. A run that failed is never started again."""
    if not of(release).restarts:
        return {"backoffLimit": 0}
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
