"""The environments of controller and workers, and what the Secrets hold."""

import base64
from typing import Any

from scalr_agents.charts.agent_k8s import versions
from scalr_agents.charts.agent_k8s.values import AgentK8sValues
from scalr_agents.charts.shared.inputs import Inputs
from scalr_agents.charts.shared.manifests import environment as env
from scalr_agents.charts.shared.manifests import secrets
from scalr_agents.charts.shared.manifests.objects import as_json
from scalr_agents.model import variables
from scalr_agents.model.forms import is_set
from scalr_agents.model.release import Release

CONTROLLER = "controller"
RUNS = "task"
TASK_LABELS = "SCALR_AGENT_KUBERNETES_TASK_LABELS"
"""The variable with the labels of run pods, by which policies select these."""
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


def environment(component: str, values: AgentK8sValues, release: Release, inputs: Inputs) -> env.Env:
    agent = values.agent
    secret, key = secrets.token_reference(agent.existing_token, release.names.token_secret)
    claim = {"SCALR_AGENT_KUBERNETES_EFS_CLAIM_NAME": release.names.data_claim} if is_set(values.efs_volume_handle) else {}
    settings = {
        "SCALR_AGENT_KUBERNETES_MODE": component,
        **claim,
        **variables.of(agent, *_BEFORE_IMAGE),
        **_image_of_runs(component, values, release),
        **variables.of(agent, "container_task_image_registry", "gc_plugins_global_size_limit"),
    }
    return env.each_once(
        env.out_of_secret(secret_data(values, inputs)["env"], release.names.env_secret),
        [
            env.variables(variables.of(agent, "url")),
            env.from_secret("SCALR_AGENT_TOKEN", secret, key),
            env.from_field("SCALR_AGENT_NAME", "metadata.name"),
            env.variables(settings),
            _of_controller(values, release, inputs) if component == CONTROLLER else [],
            env.given(values.extra_env),
        ],
    )


def _image_of_runs(component: str, values: AgentK8sValues, release: Release) -> dict[str, Any]:
    table = versions.TABLE
    told = component in table.row(release.version).image_of_runs
    fields = [field for field in ("container_task_image_mode", "container_task_image") if table.supports(release.version, f"agent.{field}")]
    return variables.of(values.agent, *fields) if told else {}


def of_release(release: Release) -> dict[str, str | None]:
    """All variables of agents of a release's version, with the values that set them; `None` if the contract fixes them."""
    declared = variables.declared(AgentK8sValues)
    known = {name: path for name, path in declared.items() if versions.TABLE.supports(release.version, path)}
    return known | dict.fromkeys(("SCALR_AGENT_NAME", "SCALR_AGENT_KUBERNETES_MODE"))


def secret_data(values: AgentK8sValues, inputs: Inputs) -> secrets.SecretData:
    """Contents of the Secrets of a release."""
    return {
        "token": secrets.token(values.agent.token, values.agent.existing_token.name),
        "env": secrets.environment(inputs),
    }


def selects_runs(values: AgentK8sValues, inputs: Inputs) -> bool:
    """Whether a policy selects the pods of runs, which then need our labels."""
    return values.restrict_metadata_service or inputs.network is not None


def _of_controller(values: AgentK8sValues, release: Release, inputs: Inputs) -> env.Env:
    """Settings of the run pods that the controller starts. Each variable is JSON in base64."""
    agent = values.agent
    # The policy selects pods by our labels. The component label distinguishes run pods from workers: the DaemonSet would delete them.
    ours = release.selector(RUNS) if selects_runs(values, inputs) else {}
    return env.variables(
        {
            **variables.of(agent, "automount_service_account_token"),
            TASK_LABELS: _encoded(agent.kubernetes_task_labels | ours),
            "SCALR_AGENT_KUBERNETES_TASK_ANNOTATIONS": _encoded(agent.kubernetes_task_annotations),
            "SCALR_AGENT_KUBERNETES_TASK_NODE_SELECTOR": _encoded(values.worker_node_selector),
            "SCALR_AGENT_KUBERNETES_TASK_TOLERATIONS": _encoded(values.worker_tolerations),
        }
    )


def _encoded(content: Any) -> str:
    return base64.b64encode(as_json(content).encode()).decode()
