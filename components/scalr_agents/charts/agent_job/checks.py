"""Cross-checks of agent-job: values that are valid one by one but cannot work together, or work differently than expected.

Here are those of the controller and of what it shares with tasks, in `task_checks` those of tasks and their nodes.
"""

from collections.abc import Mapping, Sequence

from scalr_agents.charts.agent_job import environment, task_checks
from scalr_agents.charts.agent_job.objects import CONTROLLER
from scalr_agents.charts.agent_job.versions import Job
from scalr_agents.charts.shared import access, containers, mirrors, tls
from scalr_agents.charts.shared.values import PolicyRule
from scalr_agents.model import checks, proxies
from scalr_agents.model.findings import Findings, entry, error, warning
from scalr_agents.model.forms import is_env_name
from scalr_agents.model.maps import is_deferred, is_set, lookup

_SHORTEST_TOKEN_TTL = 600
_PROGRESS_DEADLINE = 600


def check(agent: Job) -> Findings:
    """All findings of the second pass, on valid values."""
    settings = agent.values.agent
    yield from _connection(agent)
    yield from _account(agent)
    if agent.values.rbac.create:
        yield from _rules("rbac.rules", agent.values.rbac.rules, in_cluster=False)
        yield from _rules("rbac.clusterRules", agent.values.rbac.cluster_rules, in_cluster=True)
    yield from _budget(agent)
    yield from task_checks.budget(agent)
    yield from task_checks.deadline(agent)
    yield from task_checks.volumes(agent)
    yield from task_checks.processes(agent)
    yield from _metadata_service(agent)
    yield from mirrors.check(agent, "agent.providerNetworkMirrors", settings.provider_network_mirrors)
    yield from task_checks.additions(agent)
    yield from task_checks.buffer(agent)
    yield from task_checks.preparation(agent)
    yield from _environment(agent)
    if agent.inputs.token_needed:
        yield from checks.token("agent.token", settings.token, "agent.tokenExistingSecret.name", settings.token_existing_secret.name)
    yield from _rollout(agent)
    yield from task_checks.images(agent)
    yield from _spreading(agent)
    yield from _labels(agent)


def _connection(agent: Job) -> Findings:
    settings, otel, global_ = agent.values.agent, agent.values.otel, agent.values.global_
    yield from checks.url("agent.url", settings.url)
    yield from _proxy(agent)
    yield from tls.check("global.tls", global_.tls)
    yield from proxies.server("agent.sentryDsn", settings.sentry_dsn, "https://<key>@sentry.acme.internal/1")
    if otel.enabled and not is_set(otel.endpoint):
        yield warning("otel.enabled", "has no effect: otel.endpoint is empty; set it")
    elif otel.enabled:
        yield from proxies.collector("otel.endpoint", otel.endpoint)


def _proxy(agent: Job) -> Findings:
    path, proxy = "global.proxy", agent.values.global_.proxy
    urls = {"httpProxy": proxy.http_proxy, "httpsProxy": proxy.https_proxy}
    given = [key for key, value in urls.items() if is_set(value)]
    if proxy.enabled and not given:
        yield warning(f"{path}.enabled", "has no effect: neither httpProxy nor httpsProxy is set")
    for key in [] if proxy.enabled else given:
        yield warning(f"{path}.{key}", f"has no effect: {path}.enabled is false")
    for key, value in urls.items():
        yield from proxies.address(f"{path}.{key}", value)
        if proxy.enabled:
            yield from proxies.server(f"{path}.{key}", value, proxies.PROXY_EXAMPLE)
    if proxy.enabled and given:
        yield from proxies.wildcards(f"{path}.noProxy", proxies.entries(proxy.no_proxy))
        yield from proxies.exceptions(f"{path}.noProxy", proxy.no_proxy)
    if proxy.enabled and "HTTPS_PROXY" not in agent.values.agent.extra_env:
        yield from proxies.only_http(f"{path}.httpProxy", proxy.http_proxy, proxy.https_proxy)


def _account(agent: Job) -> Findings:
    account = agent.values.service_account
    if agent.values.rbac.create and (account.name or ("" if account.create else "default")) == "default":
        yield error(
            "serviceAccount.name",
            "the Role would be bound to the namespace's default account, so that every pod of the namespace could start Jobs and "
            "exec into their pods; set another account, or set rbac.create to false",
        )
    yield from access.brought_account(create=account.create, annotations=account.annotations, labels=account.labels)
    if not account.automount_token:
        yield warning(
            "serviceAccount.automountToken", "the controller gets no token for the Kubernetes API and cannot start Jobs; set it to true"
        )
    if account.token_ttl is not None and account.token_ttl < _SHORTEST_TOKEN_TTL:
        yield error("serviceAccount.tokenTTL", f"must be at least {_SHORTEST_TOKEN_TTL} seconds, the minimum of Kubernetes")


def _rules(path: str, rules: Sequence[PolicyRule], *, in_cluster: bool) -> Findings:
    """Rules of a Role, or of a ClusterRole, which alone may have rules for URL paths."""
    for index, rule in enumerate(rules):
        here = f"{path}[{index}]"
        if rule.non_resource_urls and not in_cluster:
            yield error(f"{here}.nonResourceURLs", "not allowed in a Role, which is for resources of a namespace; use rbac.clusterRules")
        elif rule.non_resource_urls and (rule.api_groups or rule.resources or rule.resource_names):
            yield error(f"{here}.nonResourceURLs", "not allowed together with resources; make it a rule of its own")
        elif not rule.non_resource_urls:
            for key, given in (("apiGroups", rule.api_groups), ("resources", rule.resources)):
                if not given:
                    hint = ' (the core group is "")' if key == "apiGroups" else ""
                    yield error(f"{here}.{key}", f"missing; a rule requires at least one{hint}")


def _budget(agent: Job) -> Findings:
    replicas, budget = agent.values.agent.controllers, agent.values.agent.pod_disruption_budget
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


def _metadata_service(agent: Job) -> Findings:
    values, task = agent.values, agent.values.task
    if task.allow_metadata_service:
        if "allow_nfs" in task.model_fields_set and not task.allow_nfs and agent.inputs.egress is None:
            yield warning("task.allowNfs", "has no effect: no NetworkPolicy is created if task.allowMetadataService is true")
        return
    yield from access.metadata_service(
        "task.allowMetadataService: true",
        accounts={"serviceAccount.annotations": values.service_account.annotations},
        pods={"global.podAnnotations": values.global_.pod_annotations, "task.podAnnotations": task.pod_annotations},
        environments={"task.runner.extraEnv": task.runner.extra_env},
    )


def _environment(agent: Job) -> Findings:
    """The user's variables, compared with the agent's own."""
    settings, task, own = agent.values.agent, agent.values.task, environment.declared(agent)
    fixed = {name: place for name, place in own.items() if place is None or name == "SCALR_AGENT_TOKEN"}
    yield from containers.environment("secret_env", dict.fromkeys(agent.inputs.secret_env), fixed)
    listed = {variable["name"]: variable.get("value") for variable in settings.controller.extra_env if isinstance(variable["name"], str)}
    of_runner = {name: place for name, place in own.items() if "PROXY" in name or place == "global.tls.caBundle"}
    given: dict[str, Mapping[str, object]] = {
        "agent.extraEnv": settings.extra_env,
        "agent.controller.extraEnv": listed,
        "task.worker.extraEnv": task.worker.extra_env,
        "task.runner.extraEnv": task.runner.extra_env,
    }
    yield from containers.switch("agent.debug", settings.debug)
    for path, variables in given.items():
        yield from containers.environment(path, variables, of_runner if path == "task.runner.extraEnv" else own)
    for path, variables in given.items():
        yield from proxies.servers(path, variables)
    for index, variable in enumerate(settings.controller.extra_env):
        if isinstance(variable["name"], str) and not is_env_name(variable["name"]):
            yield error(f"agent.controller.extraEnv[{index}].name", "not a valid name of an environment variable")


def _rollout(agent: Job) -> Findings:
    seconds, timeout = agent.values.agent.min_ready_seconds or 0, agent.inputs.rollout_timeout_seconds
    if seconds >= _PROGRESS_DEADLINE:
        yield error(
            "agent.minReadySeconds", f"must be below {_PROGRESS_DEADLINE} seconds, after which Kubernetes considers a rollout failed"
        )
    if timeout is not None and seconds >= timeout:
        yield error(
            "rollout_timeout_seconds",
            f"{timeout}, but agent.minReadySeconds is {seconds}: a rollout could never succeed; set a longer timeout",
        )


def _spreading(agent: Job) -> Findings:
    settings, selector = agent.values.agent, agent.release.selector(CONTROLLER)
    hint = ", ".join(f"{key}: {value}" for key, value in selector.items())
    if settings.controllers > 1 and not settings.topology_spread_constraints and not settings.affinity:
        message = (
            f"{settings.controllers} controllers may all run on one node; spread them with agent.topologySpreadConstraints "
            f"or agent.affinity, selecting the labels {{{hint}}}"
        )
        yield warning("agent.replicaCount", message, presumes=("agent.topologySpreadConstraints", "agent.affinity"))
    for index, constraint in enumerate(settings.topology_spread_constraints):
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


def _labels(agent: Job) -> Findings:
    values, reserved = agent.values, agent.release.selector(CONTROLLER)
    for path, labels, where in (
        ("global.labels", values.global_.labels, " on pods"),
        ("agent.labels", values.agent.labels, ""),
        ("global.podLabels", values.global_.pod_labels, ""),
        ("agent.podLabels", values.agent.pod_labels, ""),
        ("task.podLabels", values.task.pod_labels, ""),
    ):
        for key in sorted(labels.keys() & reserved.keys()):
            yield warning(entry(path, key), f"has no effect{where}: the selectors use this label, so it cannot be changed")
