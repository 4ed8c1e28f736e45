"""What controller and workers have in common: nearly everything."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from scalr_agents.charts.agent_k8s import versions
from scalr_agents.charts.agent_k8s.values import AgentK8sValues
from scalr_agents.charts.shared.inputs import Inputs
from scalr_agents.charts.shared.manifests import environment as env
from scalr_agents.charts.shared.manifests import images, secrets, volumes
from scalr_agents.charts.shared.manifests.objects import Manifest, layered, present
from scalr_agents.model.fields import is_set
from scalr_agents.model.release import Release

DATA_VOLUME = "data-home"


class Part(NamedTuple):
    """What is the controller's, or the workers', alone."""

    component: str
    annotations: Mapping[str, Any]
    environment: env.Env
    volume: Manifest
    node_selector: Mapping[str, str]
    tolerations: list[dict[str, Any]]


def spec(part: Part, values: AgentK8sValues, release: Release, inputs: Inputs) -> Manifest:
    """The spec of a workload. Its selector holds the component: neither may count the other's pods, or the pods of runs, as its own."""
    labels = release.selector(part.component)
    annotations = layered(values.pod_annotations, part.annotations)
    return {
        "selector": {"matchLabels": labels},
        "template": {
            "metadata": present({"annotations": annotations, "labels": labels}),
            "spec": present(
                {
                    "imagePullSecrets": values.image_pull_secrets,
                    "serviceAccountName": release.names.service_account,
                    "automountServiceAccountToken": values.service_account.automount_token,
                    "securityContext": present(values.pod_security_context),
                    "terminationGracePeriodSeconds": values.termination_grace_period_seconds,
                    "containers": [_container(part, values, release, inputs)],
                    "volumes": [part.volume],
                    "nodeSelector": part.node_selector,
                    "tolerations": part.tolerations,
                }
            ),
        },
    }


def _container(part: Part, values: AgentK8sValues, release: Release, inputs: Inputs) -> Manifest:
    return present(
        {
            "name": "agent-k8s",
            "image": images.reference("", values.image, release.version, inputs.agent_image),
            "imagePullPolicy": values.image.pull_policy,
            "securityContext": present(values.security_context),
            "env": _environment(part, values, release, inputs),
            "resources": values.resources,
            "volumeMounts": [volumes.mount(DATA_VOLUME, values.agent.data_home)],
        }
    )


def _environment(part: Part, values: AgentK8sValues, release: Release, inputs: Inputs) -> env.Env:
    agent = values.agent
    secret, key = secrets.token_reference(agent.existing_token, release.names.token_secret)
    settings = {
        "SCALR_AGENT_KUBERNETES_MODE": part.component,
        "SCALR_AGENT_KUBERNETES_EFS_CLAIM_NAME": release.names.data_claim if is_set(values.efs_volume_handle) else None,
        "SCALR_AGENT_DATA_DIR": agent.data_home,
        "SCALR_AGENT_LOG_FORMAT": agent.log_format,
        "SCALR_AGENT_DEBUG": agent.debug,
        "SCALR_AGENT_WORKER_ON_STOP_ACTION": agent.worker_on_stop_action,
        "SCALR_AGENT_WORKER_DRAIN_TIMEOUT": agent.worker_drain_timeout,
        "SCALR_AGENT_WORKER_GRACE_SHUTDOWN_TIMEOUT": agent.grace_shutdown_timeout,
        "SCALR_AGENT_DISCONNECT_ON_STOP": agent.disconnect_on_stop,
        "SCALR_AGENT_CA_CERT": agent.ca_cert,
        "SCALR_AGENT_CONTAINER_TASK_SCHEDULING_TIMEOUT": agent.container_task_scheduling_timeout,
        "SCALR_AGENT_CONTAINER_TASK_ACQUIRE_TIMEOUT": agent.container_task_acquire_timeout,
        "SCALR_AGENT_CONTAINER_TASK_CPU_REQUEST": agent.container_task_cpu_request,
        "SCALR_AGENT_CONTAINER_TASK_CPU_LIMIT": agent.container_task_cpu_limit,
        "SCALR_AGENT_CONTAINER_TASK_MEM_REQUEST": agent.container_task_mem_request,
        "SCALR_AGENT_CONTAINER_TASK_MEM_LIMIT": agent.container_task_mem_limit,
        "SCALR_AGENT_CONTAINER_TASK_CA_CERT": agent.container_task_ca_cert,
        **_image_of_runs(part, values, release),
        "SCALR_AGENT_CONTAINER_TASK_IMAGE_REGISTRY": agent.container_task_image_registry,
        "SCALR_AGENT_PROVIDER_CACHE_SIZE_LIMIT_MB": agent.gc_plugins_global_size_limit,
    }
    return env.each_once(
        env.out_of_secret(held(values, inputs)["env"], release.names.env_secret),
        [
            env.variables({"SCALR_URL": agent.url}),
            env.from_secret("SCALR_AGENT_TOKEN", secret, key),
            env.from_field("SCALR_AGENT_NAME", "metadata.name"),
            env.variables({name: value for name, value in settings.items() if value is not None}),
            part.environment,
            env.given(values.extra_env),
        ],
    )


def _image_of_runs(part: Part, values: AgentK8sValues, release: Release) -> dict[str, str]:
    table, agent = versions.TABLE, values.agent
    given = {
        "SCALR_AGENT_CONTAINER_TASK_IMAGE_MODE": ("agent.container_task_image_mode", agent.container_task_image_mode),
        "SCALR_AGENT_CONTAINER_TASK_IMAGE": ("agent.container_task_image", agent.container_task_image),
    }
    told = part.component in table.row(release.version).image_of_runs
    return {name: value for name, (path, value) in given.items() if told and table.knows(release.version, path)}


def held(values: AgentK8sValues, inputs: Inputs) -> secrets.Held:
    """What the Secrets of a release hold."""
    return {
        "token": secrets.token(values.agent.token, values.agent.existing_token.name),
        "env": secrets.environment(inputs),
    }
