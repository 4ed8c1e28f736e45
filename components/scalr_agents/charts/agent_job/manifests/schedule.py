"""The schedule of placeholders: CronJobs that scale their Deployment, with an account that may do nothing else."""

from collections.abc import Sequence
from hashlib import sha256

from scalr_agents.charts.agent_job import names
from scalr_agents.charts.agent_job.manifests import pod
from scalr_agents.charts.agent_job.values import AgentJobValues
from scalr_agents.charts.agent_job.values.schedule import DAY, REGISTRY, WEEK, BufferWindow
from scalr_agents.charts.shared.inputs import Inputs
from scalr_agents.charts.shared.manifests import disk, rbac
from scalr_agents.charts.shared.manifests.objects import as_json
from scalr_agents.charts.shared.values import PolicyRule, resources
from scalr_agents.model.forms import Deferred
from scalr_agents.model.manifests import Manifest, present
from scalr_agents.model.release import Release

COMPONENT = "buffer-schedule"
_LATEST_START, _LONGEST = 600, 300
"""Seconds: how late a Job may start if the cluster was busy or down, and how long it may take."""
_LONGEST_NAME = 52
"""Of a CronJob: Kubernetes adds the time to the names of its Jobs."""
_HASH = 6
"""Characters that keep shortened names apart."""


def objects(values: AgentJobValues, release: Release, inputs: Inputs) -> dict[str, Manifest]:
    """The account, its permission, and a CronJob for the begin and for the end of each window."""
    windows, name = values.task.buffer.schedule, names.of(release).buffer_schedule
    if not windows:
        return {}
    account = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": release.metadata(name, COMPONENT)}
    made: dict[str, Manifest] = {"buffer-schedule-account": account | {"automountServiceAccountToken": False}}
    if values.rbac.create:
        made |= _permission(name, release)
    every = {minute for window in windows for minute in window.begins}
    for index, window in enumerate(windows):
        # Where the next window begins at once, that sets the number.
        ends = [end for end in ((begin + window.minutes) % WEEK for begin in window.begins) if end not in every]
        edges = (("from", window.begins, window.replicas), ("to", ends, values.task.buffer.replicas or 0))
        for edge, minutes, replicas in edges:
            if minutes:
                made[f"buffer-schedule-{index}-{edge}"] = _cron_job(
                    values, release, inputs, f"-buffer-{index}-{edge}", window, minutes, replicas
                )
    return made


def _permission(name: str, release: Release) -> dict[str, Manifest]:
    rule = PolicyRule.model_construct(
        api_groups=["apps"], resources=["deployments/scale"], resource_names=[names.of(release).buffer], verbs=["get", "patch"]
    )
    metadata = release.metadata(name, COMPONENT)
    return {
        "buffer-schedule-role": rbac.role("Role", metadata, [rule]),
        "buffer-schedule-role-binding": rbac.binding("Role", name, metadata, release, name),
    }


def _cron_job(
    values: AgentJobValues, release: Release, inputs: Inputs, suffix: str, window: BufferWindow, minutes: Sequence[int], replicas: int
) -> Manifest:
    return {
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "metadata": release.metadata(_name(release, suffix), COMPONENT),
        "spec": {
            "schedule": _cron(minutes),
            "timeZone": window.timezone,
            "concurrencyPolicy": "Replace",
            "startingDeadlineSeconds": _LATEST_START,
            "successfulJobsHistoryLimit": 1,
            "failedJobsHistoryLimit": 1,
            "jobTemplate": {
                "metadata": {"labels": release.labels(COMPONENT)},
                "spec": {"backoffLimit": 3, "activeDeadlineSeconds": _LONGEST, "template": _template(values, release, inputs, replicas)},
            },
        },
    }


def _name(release: Release, suffix: str) -> str:
    """The full name with a suffix, shortened if Kubernetes would refuse it."""
    full = release.full_name
    if len(full) + len(suffix) > _LONGEST_NAME:
        kept = full[: _LONGEST_NAME - len(suffix) - _HASH - 1].rstrip("-.")
        full = f"{kept}-{sha256(full.encode()).hexdigest()[:_HASH]}"
    return f"{full}{suffix}"


def _cron(minutes: Sequence[int]) -> str:
    """The times, all at the same time of the day, as cron writes them: with Sunday as day 0."""
    hour, minute = divmod(minutes[0] % DAY, 60)
    days = sorted((at // DAY + 1) % 7 for at in minutes)
    return f"{minute} {hour} * * {'*' if len(days) == WEEK // DAY else ','.join(map(str, days))}"


def _template(values: AgentJobValues, release: Release, inputs: Inputs, replicas: int) -> Manifest:
    """Its pods run on the nodes of the controllers: those of tasks may be gone, and must not be added for this."""
    agent, global_, own = values.agent, values.global_, names.of(release)
    scale = as_json({"spec": {"replicas": replicas}})
    container = {
        "name": "kubectl",
        "image": _image(values, release),
        "imagePullPolicy": values.task.buffer.kubectl_image.pull_policy,
        "command": ["kubectl", "patch", "deployment", own.buffer, "--subresource=scale", "--type=merge", f"--patch={scale}"],
        "securityContext": pod.UNPRIVILEGED,
        "resources": resources("10m", "32Mi", "500m", "128Mi"),
    }
    spec = present(
        {
            "imagePullSecrets": global_.image_pull_secrets,
            "serviceAccountName": own.buffer_schedule,
            "automountServiceAccountToken": True,
            "restartPolicy": "OnFailure",
            "securityContext": pod.DEFAULT_PROFILE,
            "containers": [present(container)],
            "nodeSelector": agent.node_selector,
            "tolerations": agent.tolerations,
            "affinity": agent.affinity,
        }
    )
    labels = {**global_.labels, **global_.pod_labels, **release.selector(COMPONENT)}
    return {
        "metadata": present({"annotations": global_.pod_annotations, "labels": labels}),
        "spec": disk.accounted(spec, disk.CONTROLLER, inputs),
    }


def _image(values: AgentJobValues, release: Release) -> str | Deferred:
    given = values.task.buffer.kubectl_image
    if values.global_.image_registry:
        given = given.model_copy(update={"repository": given.repository.removeprefix(REGISTRY)})
    return pod.image(values, given, release, None)
