"""The images of tasks on every node that tasks may use: a DaemonSet whose pods sleep in them, so that the kubelet keeps them."""

from scalr_agents.charts.agent_job import names
from scalr_agents.charts.agent_job.manifests import pod
from scalr_agents.charts.agent_job.values import AgentJobValues
from scalr_agents.charts.shared.inputs import Inputs
from scalr_agents.charts.shared.manifests import disk
from scalr_agents.charts.shared.values import resources
from scalr_agents.model.forms import Deferred
from scalr_agents.model.manifests import Manifest
from scalr_agents.model.release import Release

COMPONENT = "pre-pull"


def objects(values: AgentJobValues, release: Release, inputs: Inputs) -> dict[str, Manifest]:
    """The DaemonSet, if images are pulled before tasks need them."""
    return {"pre-pull": _daemon_set(values, release, inputs)} if inputs.pre_pull else {}


def _daemon_set(values: AgentJobValues, release: Release, inputs: Inputs) -> Manifest:
    runner, worker = values.task.runner.image.pull_policy, pod.image_of_worker(values).pull_policy
    spec = {
        "securityContext": pod.DEFAULT_PROFILE,
        "containers": [
            _container("runner", pod.runner_image(values, release, inputs), runner),
            _container("worker", pod.worker_image(values, release, inputs), worker),
        ],
    }
    limited = disk.accounted(spec, disk.CONTROLLER, inputs)
    return pod.daemon_set_beside_tasks(values, release, names.of(release).pre_pull, COMPONENT, limited)


def _container(name: str, image: str | Deferred, pull_policy: str) -> Manifest:
    return {
        "name": name,
        "image": image,
        "imagePullPolicy": pull_policy,
        "command": ["sleep", "infinity"],
        "securityContext": pod.UNPRIVILEGED,
        "resources": resources("1m", "4Mi", "50m", "32Mi"),
    }
