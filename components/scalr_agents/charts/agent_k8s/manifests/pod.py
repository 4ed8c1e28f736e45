"""What controller and workers have in common."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from scalr_agents.charts.agent_k8s import versions
from scalr_agents.charts.agent_k8s.values import AgentK8sValues
from scalr_agents.charts.shared.inputs import Inputs
from scalr_agents.charts.shared.manifests import environment as env
from scalr_agents.charts.shared.manifests import images, secrets, volumes
from scalr_agents.charts.shared.manifests.objects import Manifest, layered, present
from scalr_agents.model import variables
from scalr_agents.model.fields import is_set
from scalr_agents.model.release import Release

DATA_VOLUME = "data-home"
_BEFORE_IMAGE = (
    "data_home",
    "log_format",
    "debug",
    "worker_on_stop_action",
    "worker_drain_timeout",
    "grace_shutdown_timeout",
    "disconnect_on_stop",
    "ca_cert",
    "container_task_scheduling_timeout",
    "container_task_acquire_timeout",
    "container_task_cpu_request",
    "container_task_cpu_limit",
    "container_task_mem_request",
    "container_task_mem_limit",
    "container_task_ca_cert",
)
"""Values that become variables unchanged. Keep the order: another one rolls the pods."""


class Part(NamedTuple):
    """What is specific to the controller or to the workers."""

    component: str
    annotations: Mapping[str, Any]
    environment: env.Env
    volume: Manifest
    node_selector: Mapping[str, str]
    tolerations: list[dict[str, Any]]


def spec(part: Part, values: AgentK8sValues, release: Release, inputs: Inputs) -> Manifest:
    """The spec of a workload. Its selector includes the component, so that neither workload adopts the other's pods or run pods."""
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
    claim = {"SCALR_AGENT_KUBERNETES_EFS_CLAIM_NAME": release.names.data_claim} if is_set(values.efs_volume_handle) else {}
    settings = {
        "SCALR_AGENT_KUBERNETES_MODE": part.component,
        **claim,
        **variables.of(agent, *_BEFORE_IMAGE),
        **_image_of_runs(part, values, release),
        **variables.of(agent, "container_task_image_registry", "gc_plugins_global_size_limit"),
    }
    return env.each_once(
        env.out_of_secret(held(values, inputs)["env"], release.names.env_secret),
        [
            env.variables(variables.of(agent, "url")),
            env.from_secret("SCALR_AGENT_TOKEN", secret, key),
            env.from_field("SCALR_AGENT_NAME", "metadata.name"),
            env.variables(settings),
            part.environment,
            env.given(values.extra_env),
        ],
    )


def _image_of_runs(part: Part, values: AgentK8sValues, release: Release) -> dict[str, Any]:
    table = versions.TABLE
    told = part.component in table.row(release.version).image_of_runs
    fields = [field for field in ("container_task_image_mode", "container_task_image") if table.knows(release.version, f"agent.{field}")]
    return variables.of(values.agent, *fields) if told else {}


def of_release(release: Release) -> dict[str, str | None]:
    """All variables of agents of a release's version, with the values that set them; `None` if the contract fixes them."""
    declared = variables.declared(AgentK8sValues)
    known = {name: path for name, path in declared.items() if versions.TABLE.knows(release.version, path)}
    return known | dict.fromkeys(("SCALR_AGENT_NAME", "SCALR_AGENT_KUBERNETES_MODE"))


def held(values: AgentK8sValues, inputs: Inputs) -> secrets.Held:
    """Contents of the Secrets of a release."""
    return {
        "token": secrets.token(values.agent.token, values.agent.existing_token.name),
        "env": secrets.environment(inputs),
    }
