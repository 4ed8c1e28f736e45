"""The cache directory on every node that tasks may use: a DaemonSet makes the tasks' user its owner.

Kubernetes creates a missing `hostPath` for root, whatever user the pod runs as, and never changes its owner.
"""

from scalr_agents.charts.agent_job import names
from scalr_agents.charts.agent_job.manifests import pod
from scalr_agents.charts.agent_job.values import AgentJobValues
from scalr_agents.charts.shared.manifests.objects import layered
from scalr_agents.model.forms import integral
from scalr_agents.model.manifests import Manifest, present
from scalr_agents.model.release import Release

COMPONENT = "cache-preparation"
_DIRECTORY = "/scalr-agent-cache"
_VOLUME = "cache"
_USER = 1000
_GIVE = """\
if [ "$(stat -c %u:%g "$DIRECTORY")" != "$OWNER" ]; then chown -Rh "$OWNER" "$DIRECTORY"; fi
chmod 2775 "$DIRECTORY"
"""
"""If the owner is right, files of running tasks may be in the directory, so only the directory itself is changed. Links are not
followed."""


def objects(values: AgentJobValues, release: Release) -> dict[str, Manifest]:
    """The DaemonSet, if enabled. The checks ensure that there is a directory to prepare."""
    return {"cache-preparation": _daemon_set(values, release)} if values.persistence.cache.host_path.preparation.enabled else {}


def _daemon_set(values: AgentJobValues, release: Release) -> Manifest:
    directory = {"path": values.persistence.cache.host_path.path, "type": "DirectoryOrCreate"}
    spec = {
        "securityContext": pod.DEFAULT_PROFILE,
        "initContainers": [_preparing(values, release)],
        "containers": [_idle(values, release)],
        "volumes": [{"name": _VOLUME, "hostPath": directory}],
    }
    return pod.daemon_set_beside_tasks(values, release, names.of(release).cache_preparation, COMPONENT, spec)


def _preparing(values: AgentJobValues, release: Release) -> Manifest:
    """Runs as root, with the capabilities to change the owner, in the tasks' group, which setting the setgid bit requires."""
    user, group = _owner(values)
    return _container(values, release, "prepare") | {
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


def _idle(values: AgentJobValues, release: Release) -> Manifest:
    """Keeps the pod running: it would be restarted if it ended."""
    return _container(values, release, "prepared") | {
        "command": ["sleep", "infinity"],
        "securityContext": pod.UNPRIVILEGED,
    }


def _container(values: AgentJobValues, release: Release, name: str) -> Manifest:
    settings = values.persistence.cache.host_path.preparation
    return present(
        {
            "name": name,
            "image": pod.image(values, settings.image, release, None),
            "imagePullPolicy": settings.image.pull_policy,
            "resources": settings.resources,
        }
    )


def _owner(values: AgentJobValues) -> tuple[int, int]:
    """User and group ID of the worker, which fills the cache."""
    context = layered(layered(values.global_.pod_security_context, values.task.pod_security_context), values.task.worker.security_context)
    return integral(context.get("runAsUser", _USER)), integral(context.get("runAsGroup", context.get("fsGroup", _USER)))
