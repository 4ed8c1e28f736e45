"""What the agents of a release expect of their pods."""

from collections.abc import Mapping

from scalr_agents.charts.agent_job import versions
from scalr_agents.charts.agent_job.values import AgentJobValues
from scalr_agents.charts.shared.manifests.environment import Setting
from scalr_agents.charts.shared.manifests.objects import Manifest
from scalr_agents.model import variables
from scalr_agents.model.release import Release

Settings = dict[str, Setting]

_BACKOFF_LIMIT = 1
_FIXED = ("SCALR_AGENT_NAME", "SCALR_AGENT_DRIVER", "SCALR_AGENT_KUBERNETES_MODE", "SCALR_AGENT_WORKER_ON_STOP_ACTION")
"""Variables whose values the contract fixes in all versions."""


def of(release: Release) -> versions.AgentJob:
    """The version table's row for a release."""
    return versions.TABLE.row(release.version)


def controller(values: AgentJobValues, release: Release) -> Settings:
    """Variables of the controller in addition to those of all versions."""
    row = of(release)
    return {**row.controller_variables, **row.variables, **_process(values, release)}


def worker(values: AgentJobValues, release: Release) -> Settings:
    """Variables of the worker in addition to those of all versions."""
    row, providers, modules = of(release), values.agent.provider_cache, values.agent.module_cache
    given = {
        **variables.of(providers, "drop_kernel_pages", *(["concurrency"] if providers.enabled else [])),
        **variables.of(modules, *(["concurrency"] if modules.enabled else [])),
    }
    return {**row.variables, **_process(values, release), **row.worker_variables, **_known(given, release)}


def _process(values: AgentJobValues, release: Release) -> Settings:
    """Variables of controller and worker that the values set."""
    given = {
        **variables.of(values.agent, "sentry_dsn"),
        **variables.of(values.agent.binary_cache, "size_limit"),
        **variables.of(values.task, "startup_timeout_seconds"),
        **variables.of(values.task.runner, "memory_warn_percent", "memory_soft_limit_percent"),
        **variables.of(values.agent.binary_cache, "threshold_days"),
    }
    return _known(given, release)


def _known(given: Mapping[str, Setting], release: Release) -> Settings:
    """The variables whose values the release's agents support."""
    paths = variables.declared(AgentJobValues)
    return {name: value for name, value in given.items() if versions.TABLE.knows(release.version, paths[name])}


def of_release(release: Release) -> dict[str, str | None]:
    """All variables of agents of a release's version, with the values that set them; `None` if the contract fixes them."""
    row, declared = of(release), variables.declared(AgentJobValues)
    known = {name: path for name, path in declared.items() if versions.TABLE.knows(release.version, path)}
    fixed = [release.line.tasks().template_variable, *row.variables, *row.controller_variables, *row.worker_variables]
    return known | dict.fromkeys([*_FIXED, *fixed])


def job(values: AgentJobValues, release: Release) -> Manifest:
    """What happens to a Job whose pod fails. A run that failed is never started again."""
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
