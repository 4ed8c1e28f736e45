"""The Deployment or StatefulSet of agents. The single container is both agent and runner: runs are processes of the agent."""

from scalr_agents.charts.agent_local import names
from scalr_agents.charts.agent_local.manifests import environment
from scalr_agents.charts.agent_local.values import AgentLocalValues, Strategy, effective
from scalr_agents.charts.agent_local.values.persistence import Claim
from scalr_agents.charts.shared import contract
from scalr_agents.charts.shared.chart import Group
from scalr_agents.charts.shared.inputs import Inputs
from scalr_agents.charts.shared.manifests import disk, images, tls, volumes
from scalr_agents.charts.shared.manifests.objects import hardened, pod_fields
from scalr_agents.model.manifests import Manifest, present
from scalr_agents.model.release import CACHE_VOLUME, Release


def workload(values: AgentLocalValues, release: Release, inputs: Inputs) -> Group:
    if is_stateful(values):
        return {"stateful-set": _stateful_set(values, release, inputs)}
    return {"deployment": _deployment(values, release, inputs)}


def number(values: AgentLocalValues, inputs: Inputs) -> int | None:
    """The number of agents. `None` leaves it to an autoscaler."""
    return None if inputs.scaling else values.replica_count


def is_stateful(values: AgentLocalValues) -> bool:
    """Whether each agent has claims of its own."""
    return values.workload.kind == "StatefulSet"


def _deployment(values: AgentLocalValues, release: Release, inputs: Inputs) -> Manifest:
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": release.metadata(release.names.deployment),
        "spec": present(
            {
                "replicas": number(values, inputs),
                "strategy": _strategy(values.strategy),
                "selector": {"matchLabels": release.selector()},
                "template": _template(values, release, inputs),
            }
        ),
    }


def _stateful_set(values: AgentLocalValues, release: Release, inputs: Inputs) -> Manifest:
    """No `serviceName`: nothing connects to agents, and Kubernetes 1.33 and newer need no Service.

    No `updateStrategy` either: Kubernetes drops its `maxUnavailable`, as long as a feature gate that is off by default does not allow it.
    """
    retention = values.workload.stateful_set.persistent_volume_claim_retention_policy
    return {
        "apiVersion": "apps/v1",
        "kind": "StatefulSet",
        "metadata": release.metadata(release.names.deployment),
        "spec": present(
            {
                "replicas": number(values, inputs),
                # Agents are independent. One that is not ready delays no other, nor the correction of what keeps it from being ready.
                "podManagementPolicy": "Parallel",
                "persistentVolumeClaimRetentionPolicy": {"whenDeleted": retention.when_deleted, "whenScaled": retention.when_scaled},
                "selector": {"matchLabels": release.selector()},
                "template": _template(values, release, inputs),
                "volumeClaimTemplates": [
                    _claim_template(name, volume.persistent_volume_claim, release)
                    for name, volume in effective.created(values.persistence).items()
                ],
            }
        ),
    }


def _claim_template(name: str, settings: Claim, release: Release) -> Manifest:
    """Without our labels: a template cannot change, and one of them is the agent version. The claims get those of the selector."""
    metadata = present({"name": name, "annotations": dict(settings.annotations)})
    return volumes.claim(name, None, settings, release) | {"metadata": metadata}


def _template(values: AgentLocalValues, release: Release, inputs: Inputs) -> Manifest:
    return {
        "metadata": {
            "annotations": {
                **contract.UNEVICTABLE_ANNOTATIONS,
                **values.pod_annotations,
            },
            "labels": {**values.pod_labels, **release.selector()},
        },
        "spec": _pod(values, release, inputs),
    }


def _strategy(strategy: Strategy) -> Manifest:
    if strategy.type != "RollingUpdate":
        return {"type": strategy.type}
    update = strategy.rolling_update
    return present(
        {
            "type": strategy.type,
            "rollingUpdate": present({"maxSurge": update.max_surge, "maxUnavailable": update.max_unavailable}),
        }
    )


def _pod(values: AgentLocalValues, release: Release, inputs: Inputs) -> Manifest:
    made = present(
        {
            "imagePullSecrets": values.image_pull_secrets,
            "serviceAccountName": release.names.service_account,
            "automountServiceAccountToken": values.service_account.automount_token,
            "securityContext": present(values.pod_security_context),
            "terminationGracePeriodSeconds": values.termination_grace_period_seconds,
            "containers": [_container(values, release, inputs)],
            "volumes": _volumes(values, release),
            "nodeSelector": values.node_selector,
            "tolerations": values.tolerations,
            "affinity": values.affinity,
            "topologySpreadConstraints": values.topology_spread_constraints,
            **pod_fields(values),
        }
    )
    return disk.accounted(made, disk.RUN, inputs)


def _container(values: AgentLocalValues, release: Release, inputs: Inputs) -> Manifest:
    agent, persistence = values.agent, values.persistence
    return present(
        {
            "name": release.line.chart,
            "image": images.reference("", values.image, release.version, inputs.agent_image),
            "imagePullPolicy": values.image.pull_policy,
            "securityContext": hardened(values.security_context, {"allowPrivilegeEscalation": False}),
            "env": environment.environment(values, release, inputs),
            "resources": values.resources,
            "volumeMounts": [
                volumes.mount(contract.DATA_VOLUME, agent.data_dir, volumes.directory(persistence.data)),
                volumes.mount(CACHE_VOLUME, agent.cache_dir, volumes.directory(effective.cache(persistence))),
                *tls.mounts(agent.tls, release.names),
                *values.extra_volume_mounts,
            ],
        }
    )


def _volumes(values: AgentLocalValues, release: Release) -> list[Manifest]:
    """The volumes, without those that a StatefulSet adds to each pod from its templates of claims."""
    added = effective.created(values.persistence) if is_stateful(values) else {}
    own = [
        volumes.volume(contract.DATA_VOLUME, effective.data(values.persistence), release.names.data_claim),
        volumes.volume(CACHE_VOLUME, effective.cache(values.persistence), cache_claim(values, release)),
    ]
    return [
        *(volume for volume in own if volume["name"] not in added),
        *tls.of_pod(values.agent.tls, release.names),
        *values.extra_volumes,
    ]


def cache_claim(values: AgentLocalValues, release: Release) -> str:
    """Name of the cache's claim, if it is created here."""
    deprecated = effective.is_deprecated(values.persistence)
    return names.of(release).deprecated_cache_claim if deprecated else release.names.cache_claim
