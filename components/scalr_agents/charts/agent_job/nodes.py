"""What keeps nodes ready for tasks: the cache directory with its owner, the images of tasks, and room for future ones.

Their pods are idle. They run on the nodes of tasks, and as large as a task or as small as possible.
"""

from scalr_agents.charts.agent_job import task
from scalr_agents.charts.agent_job.versions import Job
from scalr_agents.charts.shared import disk
from scalr_agents.charts.shared.agent import Group
from scalr_agents.charts.shared.pods import HARDENED
from scalr_agents.charts.shared.values import resources
from scalr_agents.model.forms import integral
from scalr_agents.model.manifests import Manifest, present
from scalr_agents.model.maps import merge

_PRIORITY = -10
"""Lower than tasks, which have 0, and the lowest priority for which the cluster autoscaler adds nodes."""
_DIRECTORY, _VOLUME = "/scalr-agent-cache", "cache"
_USER, _NOBODY = 1000, 65534
_GIVE = """\
if [ "$(stat -c %u:%g "$DIRECTORY")" != "$OWNER" ]; then chown -Rh "$OWNER" "$DIRECTORY"; fi
chmod 2775 "$DIRECTORY"
"""
"""If the owner is right, files of running tasks may be in the directory, so only the directory itself is changed. Links are not
followed."""
_IDLE = ["sleep", "infinity"]
_UNPRIVILEGED: Manifest = HARDENED | {"runAsUser": _NOBODY, "runAsGroup": _NOBODY, "runAsNonRoot": True, "readOnlyRootFilesystem": True}
"""The securityContext of containers that neither read nor write anything of the tasks."""
_DEFAULT_PROFILE: Manifest = {"seccompProfile": {"type": "RuntimeDefault"}}
"""The securityContext of their pods."""


def nodes(agent: Job) -> Group:
    """What is enabled of it. The checks ensure that there is a directory to prepare."""
    buffer = agent.values.task.buffer
    made: Group = {}
    if agent.values.persistence.cache.host_path.preparation.enabled:
        made["cache-preparation"] = _preparation(agent)
    if agent.inputs.pre_pull:
        made["pre-pull"] = _pre_pull(agent)
    if buffer.replicas != 0 and not buffer.priority_class_name:
        made["buffer-priority"] = _priority(agent)
    if buffer.replicas != 0:
        made["buffer"] = _buffer(agent)
    return made


def _template(agent: Job, component: str, spec: Manifest) -> Manifest:
    """The template of idle pods on the nodes of tasks: they have no token, and stop within a second.

    With a grace period of zero, the API server deletes a pod before its node does, and the node may reject the next pod for lack of room.
    """
    settings, global_ = agent.values.task, agent.values.global_
    labels = {**global_.labels, **global_.pod_labels, **agent.release.selector(component)}
    return {
        "metadata": present({"annotations": global_.pod_annotations, "labels": labels}),
        "spec": present(
            {
                "imagePullSecrets": global_.image_pull_secrets,
                "serviceAccountName": agent.names.service_account,
                "automountServiceAccountToken": False,
                "terminationGracePeriodSeconds": 1,
                **spec,
                "nodeSelector": settings.node_selector,
                "tolerations": settings.tolerations,
                "affinity": settings.affinity,
            }
        ),
    }


def _daemon_set(agent: Job, name: str, component: str, spec: Manifest) -> Manifest:
    """Idle pods on all nodes of tasks. An update interrupts nothing in them, so that all are replaced at once."""
    return {
        "apiVersion": "apps/v1",
        "kind": "DaemonSet",
        "metadata": agent.release.metadata(name, component),
        "spec": {
            "updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": "100%"}},
            "selector": {"matchLabels": agent.release.selector(component)},
            "template": _template(agent, component, {"securityContext": _DEFAULT_PROFILE, **spec}),
        },
    }


def _preparation(agent: Job) -> Manifest:
    """Makes the tasks' user the owner of the cache directory on every node that tasks may use.

    Kubernetes creates a missing `hostPath` for root, whatever user the pod runs as, and never changes its owner. The container that does
    it runs as root, with the capabilities to change the owner, in the tasks' group, which setting the setgid bit requires. The other one
    keeps the pod running: it would be restarted if it ended.
    """
    host_path = agent.values.persistence.cache.host_path
    settings = host_path.preparation
    context = present(merge(agent.values.task_security_context, agent.values.task.worker.security_context))
    user, group = integral(context.get("runAsUser", _USER)), integral(context.get("runAsGroup", context.get("fsGroup", _USER)))
    common = present(
        {
            "image": task.image(agent, settings.image),
            "imagePullPolicy": settings.image.pull_policy,
            "resources": settings.resources,
        }
    )
    prepare = {
        "name": "prepare",
        **common,
        "command": ["/bin/sh", "-ec", _GIVE],
        "env": [{"name": "DIRECTORY", "value": _DIRECTORY}, {"name": "OWNER", "value": f"{user}:{group}"}],
        "securityContext": {
            "runAsUser": 0,
            "runAsGroup": group,
            "runAsNonRoot": False,
            "readOnlyRootFilesystem": True,
            "allowPrivilegeEscalation": False,
            "capabilities": {"drop": ["ALL"], "add": ["CHOWN", "DAC_OVERRIDE", "FOWNER"]},
        },
        "volumeMounts": [{"name": _VOLUME, "mountPath": _DIRECTORY}],
    }
    spec = {
        "initContainers": [prepare],
        "containers": [{"name": "prepared", **common, "command": _IDLE, "securityContext": _UNPRIVILEGED}],
        "volumes": [{"name": _VOLUME, "hostPath": {"path": host_path.path, "type": "DirectoryOrCreate"}}],
    }
    return _daemon_set(agent, agent.names.cache_preparation, "cache-preparation", spec)


def _pre_pull(agent: Job) -> Manifest:
    """Sleeps in the images of tasks, so that the kubelet keeps them."""
    runner, worker, *_ = task.spec(agent)["containers"]
    idle = {"command": _IDLE, "securityContext": _UNPRIVILEGED, "resources": resources("1m", "4Mi", "50m", "32Mi")}
    containers = [{key: container[key] for key in ("name", "image", "imagePullPolicy")} | idle for container in (runner, worker)]
    spec = disk.accounted({"containers": containers}, disk.CONTROLLER, agent.inputs)
    return _daemon_set(agent, agent.names.pre_pull, "pre-pull", spec)


def _priority(agent: Job) -> Manifest:
    return {
        "apiVersion": "scheduling.k8s.io/v1",
        "kind": "PriorityClass",
        "metadata": agent.release.cluster_metadata(agent.names.buffer_priority),
        "value": _PRIORITY,
        "globalDefault": False,
        "preemptionPolicy": "Never",
        "description": "Placeholders for tasks of Scalr agents; they give way to any other pod.",
    }


def _buffer(agent: Job) -> Manifest:
    """Placeholders that keep nodes with the agent's images, and that the scheduler preempts for a task.

    One container of the same size stands for each of a task. Those for sidecars use the agent's image: theirs may have no `sleep`.
    """
    component, settings = "buffer", agent.values.task
    runner, worker, *sidecars = task.spec(agent)["containers"]
    sized = [sidecar["name"] for sidecar in settings.sidecars if sidecar.get("resources")]
    as_worker = [worker | {key: sidecar[key] for key in ("name", "resources")} for sidecar in sidecars if sidecar["name"] in sized]
    kept = ("name", "image", "imagePullPolicy", "securityContext", "resources")
    spec = {
        "priorityClassName": settings.buffer.priority_class_name or agent.names.buffer_priority,
        "securityContext": present(agent.values.task_security_context),
        "containers": [
            {**{key: container[key] for key in kept if key in container}, "command": _IDLE} for container in (runner, worker, *as_worker)
        ],
    }
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": agent.release.metadata(agent.names.buffer, component),
        "spec": present(
            {
                # Without a number, no deployment sets back what an autoscaler has set.
                "replicas": settings.buffer.replicas,
                # With a surge, an update would add nodes to the cluster.
                "strategy": {"type": "Recreate"},
                "selector": {"matchLabels": agent.release.selector(component)},
                "template": _template(agent, component, spec),
            }
        ),
    }
