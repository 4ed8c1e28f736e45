"""The Deployment of agents. Its single container is both agent and runner: runs are processes of the agent."""

from scalr_agents.charts.agent_local import names
from scalr_agents.charts.agent_local.manifests import environment
from scalr_agents.charts.agent_local.values import AgentLocalValues, Strategy, effective
from scalr_agents.charts.shared import contract
from scalr_agents.charts.shared.inputs import Inputs
from scalr_agents.charts.shared.manifests import images, tls, volumes
from scalr_agents.charts.shared.manifests.objects import hardened
from scalr_agents.model.manifests import Manifest, present
from scalr_agents.model.release import CACHE_VOLUME, Release


def deployment(values: AgentLocalValues, release: Release, inputs: Inputs) -> Manifest:
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": release.metadata(release.names.deployment),
        "spec": present(
            {
                "replicas": values.replica_count,
                "strategy": _strategy(values.strategy),
                "selector": {"matchLabels": release.selector()},
                "template": {
                    "metadata": {
                        "annotations": {
                            **contract.UNEVICTABLE_ANNOTATIONS,
                            **values.pod_annotations,
                        },
                        "labels": release.selector(),
                    },
                    "spec": _pod(values, release, inputs),
                },
            }
        ),
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
    return present(
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
        }
    )


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
    return [
        volumes.volume(contract.DATA_VOLUME, effective.data(values.persistence), release.names.data_claim),
        volumes.volume(CACHE_VOLUME, effective.cache(values.persistence), cache_claim(values, release)),
        *tls.of_pod(values.agent.tls, release.names),
        *values.extra_volumes,
    ]


def cache_claim(values: AgentLocalValues, release: Release) -> str:
    """Name of the cache's claim, if it is created here."""
    deprecated = effective.is_deprecated(values.persistence)
    return names.of(release).deprecated_cache_claim if deprecated else release.names.cache_claim
