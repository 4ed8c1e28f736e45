"""The environments of controller, worker and runner, and what the Secrets of an agent hold."""

from scalr_agents.charts.agent_job.values import AgentJobValues
from scalr_agents.charts.agent_job.versions import Job
from scalr_agents.charts.shared import contract, environment as env, secrets, tls
from scalr_agents.charts.shared.environment import Setting
from scalr_agents.charts.shared.values import grace_seconds
from scalr_agents.model import marks
from scalr_agents.model.maps import is_set

_DRAIN_SECONDS = 180
_FIXED = ("SCALR_AGENT_NAME", "SCALR_AGENT_DRIVER", "SCALR_AGENT_KUBERNETES_MODE", "SCALR_AGENT_WORKER_ON_STOP_ACTION")
"""Variables whose values the contract fixes in all versions."""


def secret_data(agent: Job) -> secrets.SecretData:
    """Contents of the Secrets, by role."""
    settings, certificates = agent.values.agent, agent.values.global_.tls
    return {
        "token": secrets.token(settings.token, settings.token_existing_secret.name),
        "env": secrets.environment(agent.inputs, settings.provider_network_mirrors),
        "ca-bundle": tls.ca_bundle(certificates),
        "client-cert": tls.client_cert(certificates),
    }


def controller(agent: Job) -> env.Env:
    """The environment of the controller."""
    values, settings, row = agent.values, agent.values.agent, agent.row
    grace = grace_seconds(settings.termination_grace_period_seconds)
    return env.each_once(
        _from_secret(agent),
        [
            _connection(agent),
            env.from_field("SCALR_AGENT_NAME", "metadata.name"),
            env.variables(_process(agent)),
            _caches(agent),
            env.variables(
                {
                    "SCALR_AGENT_DRIVER": "kubernetes-job",
                    "SCALR_AGENT_KUBERNETES_MODE": "controller",
                    agent.release.line.tasks().template_variable: agent.names.task_template,
                    "SCALR_AGENT_WORKER_ON_STOP_ACTION": "drain",
                    "SCALR_AGENT_WORKER_DRAIN_TIMEOUT": min(_DRAIN_SECONDS, grace),
                    "SCALR_AGENT_WORKER_GRACE_SHUTDOWN_TIMEOUT": grace,
                    **row.controller_variables,
                    **row.variables,
                    **_tuning(agent),
                }
            ),
            _telemetry(values),
            _proxy(values),
            tls.environment(values.global_.tls),
            env.given(settings.extra_env),
            settings.controller.extra_env,
        ],
    )


def worker(agent: Job) -> env.Env:
    """The environment of the worker, which supervises a run."""
    values, row = agent.values, agent.row
    providers, modules = values.agent.provider_cache, values.agent.module_cache
    of_caches = {
        **marks.of(providers, "drop_kernel_pages", *(["concurrency"] if providers.enabled else [])),
        **marks.of(modules, *(["concurrency"] if modules.enabled else [])),
    }
    return env.each_once(
        _from_secret(agent),
        [
            _connection(agent),
            env.variables(
                {
                    **_process(agent),
                    "SCALR_AGENT_DRIVER": "kubernetes-job",
                    "SCALR_AGENT_KUBERNETES_MODE": "worker",
                    "SCALR_AGENT_WORKER_ON_STOP_ACTION": "grace-shutdown",
                    "SCALR_AGENT_WORKER_GRACE_SHUTDOWN_TIMEOUT": grace_seconds(values.task.termination_grace_period_seconds),
                    **row.variables,
                    **_tuning(agent),
                    **row.worker_variables,
                    **_supported(agent, of_caches),
                }
            ),
            _proxy(values),
            tls.environment(values.global_.tls),
            _caches(agent),
            _telemetry(values),
            env.given(values.agent.extra_env),
            env.given(values.task.worker.extra_env),
        ],
    )


def runner(agent: Job) -> env.Env:
    """The environment of a run. It has nothing of what configures the agent."""
    values = agent.values
    return env.each_once(
        [variable for variable in _from_secret(agent) if not variable["name"].startswith(contract.SCALR_PREFIX)],
        [
            _proxy(values),
            tls.ca_environment(values.global_.tls),
            env.given(values.task.runner.extra_env),
        ],
    )


def declared(agent: Job) -> dict[str, str | None]:
    """All variables of agents of its version, with the values that set them; `None` if the contract fixes them."""
    row = agent.row
    supported = {name: path for name, path in marks.declared(AgentJobValues).items() if agent.supports(path)}
    fixed = [agent.release.line.tasks().template_variable, *row.variables, *row.controller_variables, *row.worker_variables]
    return supported | dict.fromkeys([*_FIXED, *fixed])


def _from_secret(agent: Job) -> env.Env:
    """The user's secret variables, and the list of mirrors if one of them has a token."""
    return env.out_of_secret(agent.all_secret_data["env"], agent.names.env_secret)


def _connection(agent: Job) -> env.Env:
    """The address and the token with which the agent connects."""
    secret, key = secrets.token_reference(agent.values.agent.token_existing_secret, agent.names.token_secret)
    return env.variables(marks.of(agent.values.agent, "url")) + env.from_secret("SCALR_AGENT_TOKEN", secret, key)


def _process(agent: Job) -> dict[str, Setting]:
    """Logging and directories of an agent process."""
    return marks.of(agent.values.agent, "debug", "log_format", "data_dir", "cache_dir")


def _tuning(agent: Job) -> dict[str, Setting]:
    """Variables of controller and worker that not all versions have."""
    settings, task = agent.values.agent, agent.values.task
    given = {
        **marks.of(settings, "sentry_dsn"),
        **marks.of(settings.binary_cache, "size_limit"),
        **marks.of(task, "startup_timeout_seconds"),
        **marks.of(task.runner, "memory_warn_percent", "memory_soft_limit_percent"),
        **marks.of(settings.binary_cache, "threshold_days"),
    }
    return _supported(agent, given)


def _supported(agent: Job, given: dict[str, Setting]) -> dict[str, Setting]:
    """The variables whose values agents of its version support."""
    paths = marks.declared(AgentJobValues)
    return {name: value for name, value in given.items() if agent.supports(paths[name])}


def _caches(agent: Job) -> env.Env:
    """The caches of providers and modules, and the mirrors that fill them."""
    settings = agent.values.agent
    of_caches = [
        marks.of(cache, "enabled", *(["size_limit"] if cache.enabled else [])) for cache in (settings.provider_cache, settings.module_cache)
    ]
    return [variable for given in of_caches for variable in env.variables(given)] + env.network_mirrors(settings.provider_network_mirrors)


def _proxy(values: AgentJobValues) -> env.Env:
    proxy = values.global_.proxy
    return env.variables(marks.of(proxy, "http_proxy", "https_proxy", "no_proxy")) if proxy.enabled else []


def _telemetry(values: AgentJobValues) -> env.Env:
    otel = values.otel
    if not otel.enabled or not is_set(otel.endpoint):
        return []
    on = [switch for switch in ("metrics_enabled", "traces_enabled") if getattr(otel, switch)]
    return env.variables(marks.of(otel, "endpoint", *on))
