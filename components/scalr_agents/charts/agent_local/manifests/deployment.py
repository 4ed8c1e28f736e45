"""The Deployment of agents. Its single container is both agent and runner: runs are processes of the agent."""

from scalr_agents.charts.agent_local import effective
from scalr_agents.charts.agent_local.values import AgentLocalValues, Strategy
from scalr_agents.charts.shared import contract
from scalr_agents.charts.shared.inputs import Inputs
from scalr_agents.charts.shared.manifests import environment as env
from scalr_agents.charts.shared.manifests import images, secrets, tls, volumes
from scalr_agents.charts.shared.manifests.objects import Manifest, hardened, present
from scalr_agents.charts.shared.values import grace_seconds
from scalr_agents.model.release import Release

_RESULT_SECONDS = 10
"""Seconds reserved at the end to kill remaining processes and to report to Scalr."""
_DRAINED_SECONDS = 60
"""Seconds that a run has to stop after the drain timed out."""


def held(values: AgentLocalValues, inputs: Inputs) -> secrets.Held:
    """Contents of the Secrets of a release."""
    agent = values.agent
    return {
        "token": secrets.token(agent.token, agent.token_existing_secret.name),
        "env": secrets.environment(inputs, agent.provider_network_mirrors),
        "ca-bundle": secrets.ca_bundle(agent.tls),
        "client-cert": secrets.client_cert(agent.tls),
    }


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
            "env": _environment(values, release, inputs),
            "resources": values.resources,
            "volumeMounts": [
                volumes.mount(contract.DATA_VOLUME, agent.data_dir, volumes.directory(persistence.data)),
                volumes.mount(contract.CACHE_VOLUME, agent.cache_dir, volumes.directory(effective.cache(persistence))),
                *tls.mounts(agent.tls, release.names),
                *values.extra_volume_mounts,
            ],
        }
    )


def _volumes(values: AgentLocalValues, release: Release) -> list[Manifest]:
    return [
        volumes.volume(contract.DATA_VOLUME, effective.data(values.persistence), release.names.data_claim),
        volumes.volume(contract.CACHE_VOLUME, effective.cache(values.persistence), cache_claim(values, release)),
        *tls.of_pod(values.agent.tls, release.names),
        *values.extra_volumes,
    ]


def cache_claim(values: AgentLocalValues, release: Release) -> str:
    """Name of the cache's claim, if it is created here."""
    deprecated = effective.is_deprecated(values.persistence)
    return release.names.deprecated_cache_claim if deprecated else release.names.cache_claim


def _environment(values: AgentLocalValues, release: Release, inputs: Inputs) -> env.Env:
    """The user's variables come first, so that ours can refer to them; ours take precedence. The checks reject conflicting ones."""
    agent, names = values.agent, release.names
    secret, key = secrets.token_reference(agent.token_existing_secret, names.token_secret)
    return env.each_once(
        env.out_of_secret(held(values, inputs)["env"], names.env_secret),
        [
            env.given(values.extra_env),
            env.from_field("SCALR_AGENT_NAME", "metadata.name"),
            env.variables(
                {
                    "SCALR_URL": agent.url,
                    "SCALR_AGENT_DRIVER": "local",
                    "SCALR_AGENT_CONCURRENCY": 1,
                    "SCALR_AGENT_DISCONNECT_ON_STOP": 1,
                    **_shutdown(values),
                    "SCALR_AGENT_DATA_DIR": agent.data_dir,
                    "SCALR_AGENT_CACHE_DIR": agent.cache_dir,
                }
            ),
            env.network_mirrors(agent.provider_network_mirrors),
            env.from_secret("SCALR_AGENT_TOKEN", secret, key),
            tls.environment(agent.tls, names),
        ],
    )


def _shutdown(values: AgentLocalValues) -> dict[str, env.Setting]:
    """The agent's shutdown timeouts, which together fit into the grace period."""
    grace = grace_seconds(values.termination_grace_period_seconds)
    modes: dict[str, dict[str, env.Setting]] = {
        "graceful": {
            "SCALR_AGENT_WORKER_ON_STOP_ACTION": "grace-shutdown",
            "SCALR_AGENT_WORKER_GRACE_SHUTDOWN_TIMEOUT": grace - _RESULT_SECONDS,
        },
        "drain": {
            "SCALR_AGENT_WORKER_ON_STOP_ACTION": "drain",
            "SCALR_AGENT_WORKER_DRAIN_TIMEOUT": grace - _DRAINED_SECONDS - _RESULT_SECONDS,
            "SCALR_AGENT_WORKER_GRACE_SHUTDOWN_TIMEOUT": _DRAINED_SECONDS,
        },
        "force": {"SCALR_AGENT_WORKER_ON_STOP_ACTION": "force-shutdown"},
    }
    return modes[values.agent.shutdown_mode]
