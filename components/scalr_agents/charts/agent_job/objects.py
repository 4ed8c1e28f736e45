"""The objects of agent-job: permissions, policies, and the controller, which polls Scalr for tasks and starts a Job for each."""

from scalr_agents.charts.agent_job import environment, task
from scalr_agents.charts.agent_job.pod_values import UNEVICTABLE
from scalr_agents.charts.agent_job.versions import Job
from scalr_agents.charts.shared import access, contract, disk, secrets, tls, volumes
from scalr_agents.charts.shared.agent import Group, Pods
from scalr_agents.charts.shared.network import policies
from scalr_agents.charts.shared.network.destinations import PUBLIC
from scalr_agents.charts.shared.pods import hardened, layered, pod_fields
from scalr_agents.model import quantities
from scalr_agents.model.manifests import Manifest, present
from scalr_agents.model.release import CACHE_VOLUME

CONTROLLER = "agent"
"""The component of the controller."""


def rbac(agent: Job) -> Group:
    """Service account, Role, ClusterRole and their bindings. Without cluster rules, no cluster-scoped object is made."""
    account, permissions, release, names = agent.values.service_account, agent.values.rbac, agent.release, agent.names
    made: Group = {}
    if account.create:
        made["service-account"] = access.service_account(release, account.annotations, account.labels)
    if permissions.create:
        made |= access.namespaced(permissions.rules, release)
    if permissions.create and permissions.cluster_rules:
        role, metadata = names.cluster_role, release.cluster_metadata(names.cluster_role_binding)
        made["cluster-role"] = access.role("ClusterRole", release.cluster_metadata(role), permissions.cluster_rules)
        made["cluster-role-binding"] = access.binding("ClusterRole", role, metadata, release)
    return made


def network_policies(agent: Job) -> Group:
    """The policy of the task pods, unless runs may reach the metadata service; more if the network is restricted."""
    settings = agent.values.task
    policy = policies.default(agent, task.COMPONENT, allow_nfs=settings.allow_nfs)
    return policies.objects(agent, {} if settings.allow_metadata_service else {"egress": policy})


def pods(agent: Job) -> list[Pods]:
    """The controllers, and the pods of tasks, in which the worker with its token stands beside the runner."""
    values, loop = agent.values, agent.row.downloaded_from
    return [
        Pods(
            "tasks",
            task.COMPONENT,
            "egress",
            agent.names.network_policy,
            environment.worker(agent),
            environment.runner(agent),
            mirrors=[str(mirror.url) for mirror in values.agent.provider_network_mirrors],
            downloads=[*PUBLIC, *([(loop, "the loop of the runner")] if loop else [])],
            token=True,
            metadata_service=values.task.allow_metadata_service,
            nfs=values.task.allow_nfs,
        ),
        Pods(
            "controller",
            CONTROLLER,
            "controller-egress",
            agent.names.controller_policy,
            environment.controller(agent),
            token=values.service_account.automount_token,
        ),
    ]


def controller(agent: Job) -> Group:
    """Secrets, budgets, claims, the task's template and, last, the Deployment."""
    return {
        **secrets.objects(agent.all_secret_data, agent.release),
        **_budgets(agent),
        **_claims(agent),
        "task-template": task.template(agent),
        "deployment": _deployment(agent),
    }


def cache_megabytes(agent: Job) -> int:
    """The size that the enabled caches may grow to, in MB."""
    caches = (agent.values.agent.provider_cache, agent.values.agent.module_cache)
    return sum(quantities.megabytes(cache.size_limit) for cache in caches if cache.enabled)


def _budgets(agent: Job) -> Group:
    """The budgets of the controllers, where several make one useful, and of the task pods, so that a node drain waits for runs.

    Jobs have no scale, so theirs can only be a number of pods that must stay.
    """
    controllers, tasks = agent.values.agent.pod_disruption_budget, agent.values.task.pod_disruption_budget
    made: Group = {}
    if controllers.enabled and agent.values.agent.controllers > 1:
        limits = {"minAvailable": controllers.min_available, "maxUnavailable": controllers.max_unavailable}
        made["budget"] = _budget(agent, agent.names.controller_budget, CONTROLLER, limits)
    if tasks.enabled:
        at_least = UNEVICTABLE if tasks.min_available is None else tasks.min_available
        made["task-budget"] = _budget(agent, agent.names.task_budget, task.COMPONENT, {"minAvailable": at_least})
    return made


def _budget(agent: Job, name: str, component: str, limits: dict[str, int | str | None]) -> Manifest:
    return {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": agent.release.metadata(name, component),
        "spec": {**present(limits), "selector": {"matchLabels": agent.release.selector(component)}},
    }


def _claims(agent: Job) -> Group:
    """The claims that are created here."""
    names = {"data": agent.names.data_claim, "cache": agent.names.cache_claim}
    return {
        f"{component}-claim": volumes.claim(agent.release.metadata(names[component], component), claim)
        for component, claim in agent.values.persistence.created_claims.items()
    }


def _deployment(agent: Job) -> Manifest:
    settings, global_, selector = agent.values.agent, agent.values.global_, agent.release.selector(CONTROLLER)
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": agent.release.metadata(
            agent.names.deployment, annotations=settings.annotations, labels={**settings.labels, **selector}
        ),
        "spec": present(
            {
                "replicas": settings.replica_count,
                "minReadySeconds": settings.min_ready_seconds or None,
                "selector": {"matchLabels": selector},
                "template": {
                    "metadata": present(
                        {
                            "annotations": layered(global_.pod_annotations, settings.pod_annotations),
                            "labels": {**global_.labels, **global_.pod_labels, **settings.pod_labels, **selector},
                        }
                    ),
                    "spec": disk.accounted(_pod(agent), disk.CONTROLLER, agent.inputs),
                },
            }
        ),
    }


def _pod(agent: Job) -> Manifest:
    values, settings, global_ = agent.values, agent.values.agent, agent.values.global_
    return present(
        {
            "imagePullSecrets": global_.image_pull_secrets,
            "serviceAccountName": agent.names.service_account,
            "automountServiceAccountToken": values.service_account.automount_token,
            "securityContext": layered(global_.pod_security_context, settings.pod_security_context),
            "terminationGracePeriodSeconds": settings.termination_grace_period_seconds,
            "containers": [_container(agent)],
            "volumes": [
                volumes.empty(contract.DATA_VOLUME),
                task.cache_volume(agent, values.persistence.cache_of_controllers),
                volumes.empty(task.TMP_VOLUME),
                *task.pod_info(agent),
                *tls.of_pod(global_.tls, agent.names),
            ],
            "nodeSelector": settings.node_selector,
            "tolerations": settings.tolerations,
            "affinity": settings.affinity,
            "topologySpreadConstraints": settings.topology_spread_constraints,
            **pod_fields(settings),
        }
    )


def _container(agent: Job) -> Manifest:
    settings, container = agent.values.agent, agent.values.agent.controller
    return present(
        {
            "name": "controller",
            "image": task.image(agent, settings.image, agent.inputs.agent_image),
            "imagePullPolicy": settings.image.pull_policy,
            "command": container.command or list(agent.row.agent_command),
            "args": container.args,
            "securityContext": hardened(container.security_context),
            "env": environment.controller(agent),
            "envFrom": container.extra_env_from,
            "resources": settings.resources,
            "volumeMounts": [
                volumes.mount(contract.DATA_VOLUME, settings.data_dir),
                volumes.mount(CACHE_VOLUME, settings.cache_dir, task.cache_directory(agent.values.persistence.cache_of_controllers)),
                *task.process_mounts(agent),
            ],
        }
    )
