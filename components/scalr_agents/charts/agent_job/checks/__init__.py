"""Cross-checks of agent-job: values that are valid one by one but cannot work together, or work differently than expected."""

from collections.abc import Callable
from itertools import chain

from pydantic.alias_generators import to_camel

from scalr_agents.charts.agent_job.checks import caches, images, nodes, permissions, pods
from scalr_agents.charts.agent_job.manifests import Job
from scalr_agents.charts.agent_job.manifests.environment import of_release
from scalr_agents.charts.agent_job.values import AgentJobValues
from scalr_agents.charts.agent_job.values.global_ import Proxy
from scalr_agents.charts.agent_job.values.task import UNEVICTABLE
from scalr_agents.charts.shared.checks import access, containers, mirrors
from scalr_agents.charts.shared.checks.tls import tls
from scalr_agents.charts.shared.inputs import Inputs
from scalr_agents.model import checks, proxies
from scalr_agents.model.findings import Findings, entry, error, warning
from scalr_agents.model.forms import is_deferred, is_env_name, is_set
from scalr_agents.model.merge import lookup, merge
from scalr_agents.model.release import Release

_ALL = 100
_PROGRESS_DEADLINE = 600


def check(agent: Job) -> Findings:
    """All findings of the second pass, on valid values."""
    values, release, inputs = agent.values, agent.release, agent.inputs
    rules: tuple[Callable[[AgentJobValues], Findings], ...] = (
        _connection,
        permissions.check,
        _controller_budget,
        _task_budget,
        _deadline,
        caches.check,
        _data,
        _resources,
    )
    yield from chain.from_iterable(rule(values) for rule in rules)
    yield from _metadata_service(values, inputs)
    yield from mirrors.check(agent, "agent.providerNetworkMirrors", values.agent.provider_network_mirrors)
    yield from pods.check(values, release)
    yield from nodes.check(values, release)
    yield from _environment(values, release, inputs)
    if inputs.token_needed:
        yield from checks.token(
            "agent.token", values.agent.token, "agent.tokenExistingSecret.name", values.agent.token_existing_secret.name
        )
    yield from _rollout(values, inputs)
    yield from images.check(values, release, inputs)
    yield from _spreading(values, release)
    yield from _labels(values, release)


def _connection(values: AgentJobValues) -> Findings:
    agent, otel, proxy = values.agent, values.otel, values.global_.proxy
    yield from checks.url("agent.url", agent.url)
    yield from _proxy("global.proxy", proxy)
    if proxy.enabled and "HTTPS_PROXY" not in agent.extra_env:
        yield from proxies.only_http("global.proxy.httpProxy", proxy.http_proxy, proxy.https_proxy)
    yield from tls("global.tls", values.global_.tls)
    yield from proxies.server("agent.sentryDsn", agent.sentry_dsn, "https://<key>@sentry.acme.internal/1")
    if otel.enabled and not is_set(otel.endpoint):
        yield warning("otel.enabled", "has no effect: otel.endpoint is empty; set it")
    elif otel.enabled:
        yield from proxies.collector("otel.endpoint", otel.endpoint)


def _proxy(path: str, settings: Proxy) -> Findings:
    urls = {"httpProxy": settings.http_proxy, "httpsProxy": settings.https_proxy}
    given = [key for key, value in urls.items() if is_set(value)]
    if settings.enabled and not given:
        yield warning(f"{path}.enabled", "has no effect: neither httpProxy nor httpsProxy is set")
    for key in [] if settings.enabled else given:
        yield warning(f"{path}.{key}", f"has no effect: {path}.enabled is false")
    for key, value in urls.items():
        yield from proxies.address(f"{path}.{key}", value)
        if settings.enabled:
            yield from proxies.server(f"{path}.{key}", value, proxies.PROXY_EXAMPLE)
    if settings.enabled and given:
        yield from proxies.wildcards(f"{path}.noProxy", proxies.entries(settings.no_proxy))
        yield from proxies.exceptions(f"{path}.noProxy", settings.no_proxy)


def _controller_budget(values: AgentJobValues) -> Findings:
    agent, budget = values.agent, values.agent.pod_disruption_budget
    replicas = 1 if agent.replica_count is None else agent.replica_count
    if budget.min_available is not None and budget.max_unavailable is not None:
        path, message = "agent.podDisruptionBudget.maxUnavailable", "given together with minAvailable, but Kubernetes allows only one"
        if replicas > 1 and budget.enabled:
            yield error(path, f"{message}; set minAvailable: null")
        else:
            yield warning(path, f"{message}; no budget is created with these values, but set minAvailable: null before you enable one")
    if replicas <= 1:
        return
    if not budget.enabled or (budget.min_available is None and budget.max_unavailable is None):
        yield warning(
            "agent.podDisruptionBudget",
            f"{replicas} controllers without a budget: a drain may stop all of them at once; enable it and set minAvailable",
        )
    elif budget.max_unavailable in (0, "0%"):
        yield warning("agent.podDisruptionBudget.maxUnavailable", "0: no node that runs a controller can be drained; allow at least 1")
    elif budget.min_available == "100%" or (isinstance(budget.min_available, int) and budget.min_available >= replicas):
        yield warning(
            "agent.podDisruptionBudget.minAvailable",
            f"{budget.min_available} of {replicas} controllers must stay available: "
            "no node that runs one can be drained; set a lower number",
        )


def _task_budget(values: AgentJobValues) -> Findings:
    budget = values.task.pod_disruption_budget
    if budget.max_unavailable not in (None, 0):
        yield error(
            "task.podDisruptionBudget.maxUnavailable",
            "only 0 is allowed: Jobs have no scale, so the disruption controller cannot evaluate any other number "
            "(jobs.batch does not implement the scale subresource)",
        )
    if isinstance(budget.min_available, str):
        yield error(
            "task.podDisruptionBudget.minAvailable",
            f"percentages are not supported, because Jobs have no scale; give a whole number (default {UNEVICTABLE})",
        )


def _deadline(values: AgentJobValues) -> Findings:
    path, seconds = "task.job.activeDeadlineSeconds", values.task.job.active_deadline_seconds
    if seconds is None and values.task.pod_disruption_budget.enabled:
        yield warning(
            path,
            "not set: a run that hangs blocks the drain of its node forever; set the longest time that a run may take, for instance 14400",
        )
    elif seconds == 0:
        yield error(path, "0 ends every task before it starts; remove the key for no deadline")


def _data(values: AgentJobValues) -> Findings:
    data = values.persistence.data
    if data.enabled:
        yield warning(
            "persistence.data.enabled",
            "all runs share one claim and the same directories in it, so only one run at a time is safe; use the emptyDir",
        )


def _resources(values: AgentJobValues) -> Findings:
    task, agent = values.task, values.agent
    for path, volume in (("persistence.data.emptyDir", values.persistence.data), ("persistence.cache.emptyDir", values.persistence.cache)):
        yield from checks.quantity(f"{path}.sizeLimit", volume.empty_dir.get("sizeLimit"))
        yield from checks.quantity(
            f"{path.removesuffix('.emptyDir')}.persistentVolumeClaim.storage", volume.persistent_volume_claim.storage
        )
    pod = values.global_.pod_security_context
    for path, container, component in (
        ("agent.controller.securityContext", agent.controller.security_context, agent.pod_security_context),
        ("task.worker.securityContext", task.worker.security_context, task.pod_security_context),
        ("task.runner.securityContext", task.runner.security_context, task.pod_security_context),
    ):
        yield from containers.security_context(path, container, merge(pod, component))
    for key in ("memory_soft_limit_percent", "memory_warn_percent"):
        percent = getattr(task.runner, key)
        if percent is not None and not 0 < percent <= _ALL:
            yield error(f"task.runner.{to_camel(key)}", f"given {percent}, which is not a percentage above 0")


def _environment(values: AgentJobValues, release: Release, inputs: Inputs) -> Findings:
    agent, task = values.agent, values.task
    own = of_release(release)
    fixed = {name: place for name, place in own.items() if place is None or name == "SCALR_AGENT_TOKEN"}
    yield from containers.environment("secret_env", dict.fromkeys(inputs.secret_env), fixed)
    controller = {variable["name"]: variable.get("value") for variable in agent.controller.extra_env if isinstance(variable["name"], str)}
    runner_own = {name: place for name, place in own.items() if "PROXY" in name or place == "global.tls.caBundle"}
    yield from containers.switch("agent.debug", agent.debug)
    yield from containers.environment("agent.extraEnv", agent.extra_env, own)
    yield from containers.environment("agent.controller.extraEnv", controller, own)
    yield from containers.environment("task.worker.extraEnv", task.worker.extra_env, own)
    yield from containers.environment("task.runner.extraEnv", task.runner.extra_env, runner_own)
    for path, given in (
        ("agent.extraEnv", agent.extra_env),
        ("agent.controller.extraEnv", controller),
        ("task.worker.extraEnv", task.worker.extra_env),
        ("task.runner.extraEnv", task.runner.extra_env),
    ):
        yield from proxies.servers(path, given)
    for index, variable in enumerate(agent.controller.extra_env):
        if isinstance(variable["name"], str) and not is_env_name(variable["name"]):
            yield error(f"agent.controller.extraEnv[{index}].name", "not a valid name of an environment variable")


def _metadata_service(values: AgentJobValues, inputs: Inputs) -> Findings:
    task, restricted = values.task, inputs.egress is not None
    if task.allow_metadata_service:
        if "allow_nfs" in task.model_fields_set and not task.allow_nfs and not restricted:
            yield warning("task.allowNfs", "has no effect: no NetworkPolicy is created if task.allowMetadataService is true")
        return
    yield from access.metadata_service(
        "task.allowMetadataService: true",
        accounts={"serviceAccount.annotations": values.service_account.annotations},
        pods={"global.podAnnotations": values.global_.pod_annotations, "task.podAnnotations": task.pod_annotations},
        environments={"task.runner.extraEnv": task.runner.extra_env},
    )


def _rollout(values: AgentJobValues, inputs: Inputs) -> Findings:
    seconds = values.agent.min_ready_seconds or 0
    if seconds >= _PROGRESS_DEADLINE:
        yield error(
            "agent.minReadySeconds", f"must be below {_PROGRESS_DEADLINE} seconds, after which Kubernetes considers a rollout failed"
        )
    timeout = inputs.rollout_timeout_seconds
    if timeout is not None and seconds >= timeout:
        yield error(
            "rollout_timeout_seconds",
            f"{timeout}, but agent.minReadySeconds is {seconds}: a rollout could never succeed; set a longer timeout",
        )


def _spreading(values: AgentJobValues, release: Release) -> Findings:
    agent = values.agent
    selector = release.selector("agent")
    hint = ", ".join(f"{key}: {value}" for key, value in selector.items())
    if (agent.replica_count or 1) > 1 and not agent.topology_spread_constraints and not agent.affinity:
        message = (
            f"{agent.replica_count} controllers may all run on one node; spread them with agent.topologySpreadConstraints "
            f"or agent.affinity, selecting the labels {{{hint}}}"
        )
        yield warning("agent.replicaCount", message, presumes=("agent.topologySpreadConstraints", "agent.affinity"))
    for index, constraint in enumerate(agent.topology_spread_constraints):
        given = constraint.get("labelSelector")
        if is_set(lookup(given, "matchExpressions")):
            continue  # may be equivalent
        labels = lookup(given, "matchLabels") if isinstance(given, dict) else given
        if is_deferred(labels):
            continue
        if not isinstance(labels, dict) or any(labels.get(key) != value for key, value in selector.items()):
            yield warning(
                f"agent.topologySpreadConstraints[{index}].labelSelector",
                f"does not select exactly the controllers; use matchLabels: {{{hint}}}",
            )


def _labels(values: AgentJobValues, release: Release) -> Findings:
    reserved = release.selector("agent")
    for key in sorted(values.global_.labels.keys() & reserved.keys()):
        yield warning(entry("global.labels", key), "has no effect on pods: the selectors use this label, so it cannot be changed")
    for path, labels in (
        ("agent.labels", values.agent.labels),
        ("global.podLabels", values.global_.pod_labels),
        ("agent.podLabels", values.agent.pod_labels),
        ("task.podLabels", values.task.pod_labels),
    ):
        for key in sorted(labels.keys() & reserved.keys()):
            yield warning(entry(path, key), "has no effect: the selectors use this label, so it cannot be changed")
