"""The objects of agent-k8s: a controller that starts a pod for each run, and workers that supervise the runs on their nodes."""

import base64
from collections.abc import Mapping
from typing import Any

from scalr_agents.charts.agent_k8s.values import AgentK8sValues
from scalr_agents.charts.agent_k8s.versions import K8sNames, K8sRow
from scalr_agents.charts.shared import access, disk, environment as env, secrets, volumes
from scalr_agents.charts.shared.agent import Agent, Group, Pods, Runs
from scalr_agents.charts.shared.environment import as_json
from scalr_agents.charts.shared.network import policies
from scalr_agents.charts.shared.network.destinations import PUBLIC
from scalr_agents.charts.shared.pods import image_reference, layered
from scalr_agents.charts.shared.values import PolicyRule
from scalr_agents.model import marks
from scalr_agents.model.aws import EFS_DRIVER
from scalr_agents.model.manifests import Manifest, present
from scalr_agents.model.maps import is_set

K8s = Agent[AgentK8sValues, K8sNames, K8sRow]
"""An agent of this chart, as its objects and checks see it."""

TASK_LABELS = "SCALR_AGENT_KUBERNETES_TASK_LABELS"
"""The variable with the labels of run pods, by which policies select these."""
_CONTROLLER, _WORKER, _RUNS = "controller", "worker", "task"
_DATA_VOLUME = "data-home"
_EFS_CAPACITY = "5Gi"
"""Kubernetes requires a size; EFS ignores it."""
_RULES = [
    PolicyRule.model_construct(
        api_groups=[""],
        resources=["pods", "pods/status", "pods/log", "pods/exec", "configmaps", "secrets"],
        verbs=["create", "delete", "get", "list", "patch", "watch"],
    )
]
"""Permissions of the agent, which passes configuration and credentials to the pods it starts as ConfigMaps and Secrets."""
_SCHEDULED_SECONDS = 120
_ACQUIRED_SECONDS = 180
"""What the agent waits for a node, and then for a worker, without settings."""
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


def selects_runs(agent: K8s) -> bool:
    """Whether a policy selects the pods of runs, which then need our labels."""
    return agent.values.restrict_metadata_service or agent.inputs.network is not None


def reaches_metadata_service(agent: K8s) -> bool:
    """Whether the pods may reach the metadata service. If egress is restricted, only a value opens it, not its default."""
    values = agent.values
    return not values.restrict_metadata_service and (agent.inputs.egress is None or "restrict_metadata_service" in values.model_fields_set)


def own_variables(agent: K8s) -> dict[str, str | None]:
    """All variables that agents of this version read, with the values that set them; `None` if the contract fixes them."""
    declared = marks.declared(AgentK8sValues)
    known = {name: path for name, path in declared.items() if agent.supports(path)}
    return known | dict.fromkeys(("SCALR_AGENT_NAME", "SCALR_AGENT_KUBERNETES_MODE"))


def permissions(agent: K8s) -> Group:
    """Service account and Role. An existing account gets the Role as well, but never the namespace's default account."""
    account, release = agent.values.service_account, agent.release
    made = {"service-account": access.service_account(release, account.annotations, account.labels)} if account.create else {}
    return made | (access.namespaced(_RULES, release) if account.has_role else {})


def network_policies(agent: K8s) -> Group:
    """The policy of controller, workers and run pods, if they may not reach the metadata service; more if the network is restricted."""
    return policies.objects(agent, {"egress": policies.default(agent)} if agent.values.restrict_metadata_service else {})


def pods(agent: K8s) -> list[Pods]:
    """Run pods, workers and controllers. How the agent configures run pods is not known: they are assumed to get its proxy."""
    names, metadata = agent.names, reaches_metadata_service(agent)
    of_worker, token = _environment(agent, _WORKER), agent.values.service_account.automount_token
    return [
        Pods(
            "tasks",
            _RUNS,
            "egress",
            names.network_policy,
            of_worker,
            downloads=PUBLIC,
            token=agent.values.agent.automount_service_account_token in ("true", "1"),
            metadata_service=metadata,
        ),
        Pods(
            "worker",
            _WORKER,
            "worker-egress",
            names.worker_policy,
            of_worker,
            downloads=PUBLIC,
            token=token,
            metadata_service=metadata,
        ),
        Pods(
            "controller",
            _CONTROLLER,
            "controller-egress",
            names.controller_policy,
            _environment(agent, _CONTROLLER),
            token=token,
            metadata_service=metadata,
        ),
    ]


def runs(agent: K8s) -> Runs:
    """The agent chooses the names of the pods of runs."""
    settings = agent.values.agent
    scheduled = settings.container_task_scheduling_timeout or _SCHEDULED_SECONDS
    return Runs(
        names="",
        schedule_seconds=scheduled,
        start_seconds=scheduled + (settings.container_task_acquire_timeout or _ACQUIRED_SECONDS),
        longest_seconds=None,
    )


def workloads(agent: K8s) -> Group:
    """Secrets, the EFS volume and, last, the controller's Deployment and the workers' DaemonSet."""
    return {
        **secrets.objects(agent.all_secret_data, agent.release),
        **(_efs(agent) if is_set(agent.values.efs_volume_handle) else {}),
        "deployment": _deployment(agent),
        "daemon-set": _daemon_set(agent),
    }


def secret_data(agent: K8s) -> secrets.SecretData:
    """Contents of the Secrets, by role."""
    settings = agent.values.agent
    return {
        "token": secrets.token(settings.token, settings.token_existing_secret),
        "env": secrets.environment(agent.inputs),
    }


def _efs(agent: K8s) -> Group:
    """The workers' data on EFS: a volume for an existing file system, and the claim on it.

    The class binds the two. It provisions nothing, because it names no file system.
    """
    values, release, names = agent.values, agent.release, agent.names
    storage_class = {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "StorageClass",
        "metadata": release.cluster_metadata(names.storage_class),
        "provisioner": EFS_DRIVER,
        "parameters": {"provisioningMode": "efs-ap", "directoryPerms": "775"},
        "mountOptions": values.efs_mount_options,
        "reclaimPolicy": "Retain",
    }
    volume = {
        "accessModes": ["ReadWriteMany"],
        "capacity": {"storage": _EFS_CAPACITY},
        "claimRef": {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "name": names.data_claim, "namespace": release.namespace},
        "csi": {"driver": EFS_DRIVER, "volumeHandle": values.efs_volume_handle},
        "mountOptions": values.efs_mount_options,
        "persistentVolumeReclaimPolicy": "Retain",
        "storageClassName": names.storage_class,
        "volumeMode": "Filesystem",
    }
    return {
        "storage-class": present(storage_class),
        "volume": {
            "apiVersion": "v1",
            "kind": "PersistentVolume",
            "metadata": release.cluster_metadata(names.persistent_volume),
            "spec": present(volume),
        },
        "claim": {
            "apiVersion": "v1",
            "kind": "PersistentVolumeClaim",
            "metadata": {"name": names.data_claim, "namespace": release.namespace, "labels": {"app.kubernetes.io/managed-by": "pulumi"}},
            "spec": {
                "accessModes": ["ReadWriteMany"],
                "resources": {"requests": {"storage": _EFS_CAPACITY}},
                "storageClassName": names.storage_class,
                "volumeName": names.persistent_volume,
            },
        },
    }


def _deployment(agent: K8s) -> Manifest:
    """The controller, which takes tasks from Scalr and starts pods for them."""
    values = agent.values
    pod = _pod(agent, _CONTROLLER, volumes.empty(_DATA_VOLUME), values.controller_node_selector, values.controller_tolerations)
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": agent.release.metadata(agent.names.deployment, _CONTROLLER),
        "spec": _spec(agent, _CONTROLLER, values.controller_pod_annotations, disk.accounted(pod, disk.CONTROLLER, agent.inputs)),
    }


def _daemon_set(agent: K8s) -> Manifest:
    """The workers. They share a volume with the pods of their runs: a directory of the node, or EFS."""
    values = agent.values
    if is_set(values.efs_volume_handle):
        data = {"name": _DATA_VOLUME, "persistentVolumeClaim": {"claimName": agent.names.data_claim}}
    else:
        data = {"name": _DATA_VOLUME, "hostPath": {"path": values.agent.data_home, "type": "DirectoryOrCreate"}}
    pod = _pod(agent, _WORKER, data, values.worker_node_selector, values.worker_tolerations)
    return {
        "apiVersion": "apps/v1",
        "kind": "DaemonSet",
        "metadata": agent.release.metadata(agent.names.worker, _WORKER),
        "spec": _spec(agent, _WORKER, values.worker_pod_annotations, disk.accounted(pod, disk.RUN, agent.inputs)),
    }


def _spec(agent: K8s, component: str, annotations: Mapping[str, Any], pod: Manifest) -> Manifest:
    """The spec of a workload. Its selector includes the component, so that neither workload adopts the other's pods or run pods."""
    labels = agent.release.selector(component)
    return {
        "selector": {"matchLabels": labels},
        "template": {
            "metadata": present({"annotations": layered(agent.values.pod_annotations, annotations), "labels": labels}),
            "spec": pod,
        },
    }


def _pod(agent: K8s, component: str, data: Manifest, node_selector: Mapping[str, str], tolerations: list[dict[str, Any]]) -> Manifest:
    values = agent.values
    return present(
        {
            "imagePullSecrets": values.image_pull_secrets,
            "serviceAccountName": agent.names.service_account,
            "automountServiceAccountToken": values.service_account.automount_token,
            "securityContext": present(values.pod_security_context),
            "terminationGracePeriodSeconds": values.termination_grace_period_seconds,
            "containers": [_container(agent, component)],
            "volumes": [data],
            "nodeSelector": node_selector,
            "tolerations": tolerations,
        }
    )


def _container(agent: K8s, component: str) -> Manifest:
    values = agent.values
    return present(
        {
            "name": agent.kind,
            "image": image_reference("", values.image, agent.release.version, agent.inputs.agent_image),
            "imagePullPolicy": values.image.pull_policy,
            "securityContext": present(values.security_context),
            "env": _environment(agent, component),
            "resources": values.resources,
            "volumeMounts": [volumes.mount(_DATA_VOLUME, values.agent.data_home)],
        }
    )


def _environment(agent: K8s, component: str) -> env.Env:
    values, settings, names = agent.values, agent.values.agent, agent.names
    secret, key = secrets.token_reference(settings.existing_token, names.token_secret)
    claim = {"SCALR_AGENT_KUBERNETES_EFS_CLAIM_NAME": names.data_claim} if is_set(values.efs_volume_handle) else {}
    image = ("container_task_image_mode", "container_task_image") if component in agent.row.image_of_runs else ()
    return env.each_once(
        env.out_of_secret(agent.all_secret_data["env"], names.env_secret),
        [
            env.variables(marks.of(settings, "url")),
            env.from_secret("SCALR_AGENT_TOKEN", secret, key),
            env.from_field("SCALR_AGENT_NAME", "metadata.name"),
            env.variables(
                {
                    "SCALR_AGENT_KUBERNETES_MODE": component,
                    **claim,
                    **marks.of(settings, *_BEFORE_IMAGE),
                    **marks.of(settings, *(field for field in image if agent.supports(f"agent.{field}"))),
                    **marks.of(settings, "container_task_image_registry", "gc_plugins_global_size_limit"),
                    **(_run_pods(agent) if component == _CONTROLLER else {}),
                }
            ),
            env.given(values.extra_env),
        ],
    )


def _run_pods(agent: K8s) -> dict[str, Any]:
    """Settings of the run pods that the controller starts. Each variable is JSON in base64.

    Policies select these pods by our labels. The one of the component tells them from workers: the DaemonSet would delete them.
    """
    values, settings = agent.values, agent.values.agent
    ours = agent.release.selector(_RUNS) if selects_runs(agent) else {}
    encoded = {
        TASK_LABELS: settings.kubernetes_task_labels | ours,
        "SCALR_AGENT_KUBERNETES_TASK_ANNOTATIONS": settings.kubernetes_task_annotations,
        "SCALR_AGENT_KUBERNETES_TASK_NODE_SELECTOR": values.worker_node_selector,
        "SCALR_AGENT_KUBERNETES_TASK_TOLERATIONS": values.worker_tolerations,
    }
    return {
        **marks.of(settings, "automount_service_account_token"),
        **{name: base64.b64encode(as_json(content).encode()).decode() for name, content in encoded.items()},
    }
