"""The environments of controller, worker and runner, and what the Secrets hold."""

from collections.abc import Mapping

from scalr_agents.charts.agent_job import names, versions
from scalr_agents.charts.agent_job.values import AgentJobValues
from scalr_agents.charts.agent_job.values.agent import Agent
from scalr_agents.charts.agent_job.values.caches import CacheLimit
from scalr_agents.charts.agent_job.values.global_ import Proxy
from scalr_agents.charts.agent_job.values.otel import Otel
from scalr_agents.charts.shared import contract
from scalr_agents.charts.shared.inputs import Inputs
from scalr_agents.charts.shared.manifests import environment as env
from scalr_agents.charts.shared.manifests import secrets, tls
from scalr_agents.charts.shared.manifests.environment import Setting
from scalr_agents.charts.shared.values import grace_seconds
from scalr_agents.model import variables
from scalr_agents.model.forms import Deferred, is_set
from scalr_agents.model.release import Release

Settings = dict[str, Setting]

_FIXED = ("SCALR_AGENT_NAME", "SCALR_AGENT_DRIVER", "SCALR_AGENT_KUBERNETES_MODE", "SCALR_AGENT_WORKER_ON_STOP_ACTION")
"""Variables whose values the contract fixes in all versions."""
_DRAIN_SECONDS = 180


def controller(values: AgentJobValues, release: Release, inputs: Inputs) -> env.Env:
    agent = values.agent
    grace = grace_seconds(agent.termination_grace_period_seconds)
    return env.each_once(
        _secret(values, release, inputs),
        [
            _connection(values, release),
            env.from_field("SCALR_AGENT_NAME", "metadata.name"),
            env.variables(_process_of(agent)),
            _cache(agent.provider_cache),
            _cache(agent.module_cache),
            env.network_mirrors(values.agent.provider_network_mirrors),
            env.variables(
                {
                    "SCALR_AGENT_DRIVER": "kubernetes-job",
                    "SCALR_AGENT_KUBERNETES_MODE": "controller",
                    release.line.tasks().template_variable: names.of(release).task_template,
                    "SCALR_AGENT_WORKER_ON_STOP_ACTION": "drain",
                    "SCALR_AGENT_WORKER_DRAIN_TIMEOUT": min(_DRAIN_SECONDS, grace),
                    "SCALR_AGENT_WORKER_GRACE_SHUTDOWN_TIMEOUT": grace,
                    **_controller_only(values, release),
                }
            ),
            _otel(values.otel),
            _proxy(values.global_.proxy),
            tls.environment(values.global_.tls, release.names),
            env.given(agent.extra_env),
            agent.controller.extra_env,
        ],
    )


def worker(values: AgentJobValues, release: Release, inputs: Inputs) -> env.Env:
    agent = values.agent
    return env.each_once(
        _secret(values, release, inputs),
        [
            _connection(values, release),
            env.variables(
                _process_of(agent)
                | {
                    "SCALR_AGENT_DRIVER": "kubernetes-job",
                    "SCALR_AGENT_KUBERNETES_MODE": "worker",
                    "SCALR_AGENT_WORKER_ON_STOP_ACTION": "grace-shutdown",
                    "SCALR_AGENT_WORKER_GRACE_SHUTDOWN_TIMEOUT": grace_seconds(values.task.termination_grace_period_seconds),
                    **_worker_only(values, release),
                }
            ),
            _proxy(values.global_.proxy),
            tls.environment(values.global_.tls, release.names),
            _cache(agent.provider_cache),
            _cache(agent.module_cache),
            env.network_mirrors(values.agent.provider_network_mirrors),
            _otel(values.otel),
            env.given(agent.extra_env),
            env.given(values.task.worker.extra_env),
        ],
    )


def runner(values: AgentJobValues, release: Release, inputs: Inputs) -> env.Env:
    return env.each_once(
        _secret(values, release, inputs, runs=True),
        [
            _proxy(values.global_.proxy),
            tls.ca_environment(values.global_.tls, release.names),
            env.given(values.task.runner.extra_env),
        ],
    )


def _controller_only(values: AgentJobValues, release: Release) -> Settings:
    """Variables of the controller in addition to those of all versions."""
    row = versions.of(release)
    return {**row.controller_variables, **row.variables, **_process(values, release)}


def _worker_only(values: AgentJobValues, release: Release) -> Settings:
    """Variables of the worker in addition to those of all versions."""
    row, providers, modules = versions.of(release), values.agent.provider_cache, values.agent.module_cache
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
    return {name: value for name, value in given.items() if versions.TABLE.supports(release.version, paths[name])}


def of_release(release: Release) -> dict[str, str | None]:
    """All variables of agents of a release's version, with the values that set them; `None` if the contract fixes them."""
    row, declared = versions.of(release), variables.declared(AgentJobValues)
    known = {name: path for name, path in declared.items() if versions.TABLE.supports(release.version, path)}
    fixed = [release.line.tasks().template_variable, *row.variables, *row.controller_variables, *row.worker_variables]
    return known | dict.fromkeys([*_FIXED, *fixed])


def _connection(values: AgentJobValues, release: Release) -> env.Env:
    """The address and the token with which the agent connects."""
    secret, key = secrets.token_reference(values.agent.token_existing_secret, release.names.token_secret)
    return env.variables(variables.of(values.agent, "url")) + env.from_secret("SCALR_AGENT_TOKEN", secret, key)


def _process_of(agent: Agent) -> dict[str, str]:
    """Logging and directories of an agent process."""
    return variables.of(agent, "debug", "log_format", "data_dir", "cache_dir")


def _secret(values: AgentJobValues, release: Release, inputs: Inputs, *, runs: bool = False) -> env.Env:
    """Variables from our own Secret. Runs do not get those that configure the agent."""
    names = [name for name in _secret_variables(values, inputs) if not (runs and name.startswith(contract.SCALR_PREFIX))]
    return env.out_of_secret(names, release.names.env_secret)


def _secret_variables(values: AgentJobValues, inputs: Inputs) -> dict[str, str | Deferred]:
    """The user's secret variables, and the list of mirrors if one of them has a token."""
    return secrets.environment(inputs, values.agent.provider_network_mirrors)


def secret_data(values: AgentJobValues, inputs: Inputs) -> secrets.SecretData:
    """Contents of the Secrets of a release."""
    return {
        "token": secrets.token(values.agent.token, values.agent.token_existing_secret.name),
        "env": _secret_variables(values, inputs),
        "ca-bundle": secrets.ca_bundle(values.global_.tls),
        "client-cert": secrets.client_cert(values.global_.tls),
    }


def _proxy(settings: Proxy) -> env.Env:
    if not settings.enabled:
        return []
    return env.variables(variables.of(settings, "http_proxy", "https_proxy", "no_proxy"))


def _otel(settings: Otel) -> env.Env:
    if not settings.enabled or not is_set(settings.endpoint):
        return []
    on = [switch for switch in ("metrics_enabled", "traces_enabled") if getattr(settings, switch)]
    return env.variables(variables.of(settings, "endpoint", *on))


def _cache(limit: CacheLimit) -> env.Env:
    """The variables of a cache of providers or modules."""
    return env.variables(variables.of(limit, "enabled", *(["size_limit"] if limit.enabled else [])))
