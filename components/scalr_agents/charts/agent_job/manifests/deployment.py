"""The controller: a Deployment that polls Scalr for tasks and starts a Job for each."""

from scalr_agents.charts.agent_job import names, versions
from scalr_agents.charts.agent_job.manifests import environment, persistence, pod
from scalr_agents.charts.agent_job.values import AgentJobValues
from scalr_agents.charts.shared import contract
from scalr_agents.charts.shared.inputs import Inputs
from scalr_agents.charts.shared.manifests import disk, tls, volumes
from scalr_agents.charts.shared.manifests.objects import hardened, layered, pod_fields
from scalr_agents.model.manifests import Manifest, present
from scalr_agents.model.release import CACHE_VOLUME, Release

COMPONENT = "agent"


def deployment(values: AgentJobValues, release: Release, inputs: Inputs) -> Manifest:
    agent, global_ = values.agent, values.global_
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": release.metadata(
            release.names.deployment, annotations=agent.annotations, labels={**agent.labels, **release.selector(COMPONENT)}
        ),
        "spec": present(
            {
                "replicas": agent.replica_count,
                "minReadySeconds": agent.min_ready_seconds or None,
                "selector": {"matchLabels": release.selector(COMPONENT)},
                "template": {
                    "metadata": present(
                        {
                            "annotations": layered(global_.pod_annotations, agent.pod_annotations),
                            "labels": {**global_.labels, **global_.pod_labels, **agent.pod_labels, **release.selector(COMPONENT)},
                        }
                    ),
                    "spec": disk.accounted(_pod(values, release, inputs), disk.CONTROLLER, inputs),
                },
            }
        ),
    }


def _pod(values: AgentJobValues, release: Release, inputs: Inputs) -> Manifest:
    agent, global_ = values.agent, values.global_
    return present(
        {
            "imagePullSecrets": global_.image_pull_secrets,
            "serviceAccountName": release.names.service_account,
            "automountServiceAccountToken": values.service_account.automount_token,
            "securityContext": layered(global_.pod_security_context, agent.pod_security_context),
            "terminationGracePeriodSeconds": agent.termination_grace_period_seconds,
            "containers": [_container(values, release, inputs)],
            "volumes": _volumes(values, release),
            "nodeSelector": agent.node_selector,
            "tolerations": agent.tolerations,
            "affinity": agent.affinity,
            "topologySpreadConstraints": agent.topology_spread_constraints,
            **pod_fields(agent),
        }
    )


def _container(values: AgentJobValues, release: Release, inputs: Inputs) -> Manifest:
    agent, cache = values.agent, persistence.without_node(values.persistence.cache)
    return present(
        {
            "name": "controller",
            "image": pod.agent_image(values, release, inputs),
            "imagePullPolicy": agent.image.pull_policy,
            "command": agent.controller.command or list(versions.of(release).agent_command),
            "args": agent.controller.args,
            "securityContext": hardened(agent.controller.security_context),
            "env": environment.controller(values, release, inputs),
            "envFrom": agent.controller.extra_env_from,
            "resources": agent.resources,
            "volumeMounts": [
                volumes.mount(contract.DATA_VOLUME, agent.data_dir),
                volumes.mount(CACHE_VOLUME, agent.cache_dir, persistence.cache_directory(cache)),
                volumes.mount(pod.TMP_VOLUME, "/tmp"),
                *pod.pod_info_mount(release),
                *tls.mounts(values.global_.tls, release.names),
            ],
        }
    )


def _volumes(values: AgentJobValues, release: Release) -> list[Manifest]:
    return [
        volumes.empty(contract.DATA_VOLUME),
        persistence.cache_volume(CACHE_VOLUME, persistence.without_node(values.persistence.cache), release.names.cache_claim),
        volumes.empty(pod.TMP_VOLUME),
        *pod.pod_info_volume(release),
        *tls.of_pod(values.global_.tls, release.names),
    ]


def budget(values: AgentJobValues, release: Release) -> dict[str, Manifest]:
    """The budget of the controllers, for two or more replicas: with one replica, a budget would only block drains."""
    limits = values.agent.pod_disruption_budget
    if not limits.enabled or (values.agent.replica_count or 1) <= 1:
        return {}
    made = pod.budget(
        names.of(release).controller_budget,
        release,
        COMPONENT,
        minAvailable=limits.min_available,
        maxUnavailable=limits.max_unavailable,
    )
    return {"budget": made}
