"""The task: a custom resource with the template of the Job that the controller starts for every run."""

from typing import Any

from scalr_agents.charts.agent_job import names, versions
from scalr_agents.charts.agent_job.manifests import environment, persistence, pod
from scalr_agents.charts.agent_job.values import AgentJobValues
from scalr_agents.charts.agent_job.values.task import UNEVICTABLE, Task
from scalr_agents.charts.shared import contract
from scalr_agents.charts.shared.agent import Runs
from scalr_agents.charts.shared.inputs import Inputs
from scalr_agents.charts.shared.manifests import disk, tls, volumes
from scalr_agents.charts.shared.manifests.objects import hardened, layered, pod_fields
from scalr_agents.charts.shared.values import grace_seconds
from scalr_agents.model.manifests import Manifest, present
from scalr_agents.model.release import CACHE_VOLUME, Release

COMPONENT = "task"
_BACKOFF_LIMIT = 1
_STARTUP_SECONDS = 60
_GIVEN_UP_SECONDS = 120
"""After which controllers give up a task that does not start, without `task.startupTimeoutSeconds`."""
_LONGEST_BASENAME = 24
"""Characters of a base name that fit into the 63 of a Job's name beside any run and stage."""


def template(values: AgentJobValues, release: Release, inputs: Inputs) -> Manifest:
    resource = release.line.tasks()
    return {
        "apiVersion": resource.api_version,
        "kind": resource.kind,
        "metadata": release.metadata(names.of(release).task_template, COMPONENT),
        "spec": {
            **({"basename": values.task.job.basename or release.full_name} if resource.named_jobs else {}),
            "jobTemplate": {
                **_job_metadata(values),
                "spec": present(
                    {
                        **_failures(values, release),
                        "activeDeadlineSeconds": values.task.job.active_deadline_seconds,
                        "ttlSecondsAfterFinished": values.task.job.ttl_seconds_after_finished,
                        "template": _pod(values, release, inputs),
                    }
                ),
            },
        },
    }


def runs(values: AgentJobValues, release: Release) -> Runs:
    """The names of Jobs are `<basename>-<run>-<stage>`. The agent leaves out a base name that would make them too long."""
    job, given = values.task.job, values.task.startup_timeout_seconds
    seconds = (given if versions.TABLE.supports(release.version, "task.startupTimeoutSeconds") else None) or _GIVEN_UP_SECONDS
    base = (job.basename or release.full_name).replace(".", "[.]")
    named = f"{base}-" if len(base) <= _LONGEST_BASENAME else f"(?:{base}-)?"
    return Runs(
        names=f"{named}run-.+" if release.line.tasks().named_jobs else "atask-.+",
        schedule_seconds=seconds,
        start_seconds=seconds,
        longest_seconds=_longest_seconds(values.task),
    )


def _longest_seconds(task: Task) -> int | None:
    job = task.job
    if job.active_deadline_seconds is None or job.ttl_seconds_after_finished is None:
        return None
    return job.active_deadline_seconds + grace_seconds(task.termination_grace_period_seconds) + job.ttl_seconds_after_finished


def _job_metadata(values: AgentJobValues) -> Manifest:
    task, global_ = values.task, values.global_
    metadata = present({"labels": global_.labels | task.job_labels, "annotations": {**global_.annotations, **task.job_annotations}})
    return {"metadata": metadata} if metadata else {}


def _pod(values: AgentJobValues, release: Release, inputs: Inputs) -> Manifest:
    task, global_ = values.task, values.global_
    return {
        "metadata": {
            "annotations": {**contract.UNEVICTABLE_ANNOTATIONS, **global_.pod_annotations, **task.pod_annotations},
            "labels": {**global_.labels, **global_.pod_labels, **task.pod_labels, **release.selector(COMPONENT)},
        },
        "spec": spec(values, release, inputs),
    }


def spec(values: AgentJobValues, release: Release, inputs: Inputs) -> Manifest:
    """The spec of the pod of a task."""
    task, global_ = values.task, values.global_
    made = present(
        {
            "restartPolicy": "Never",
            "imagePullSecrets": global_.image_pull_secrets,
            "serviceAccountName": release.names.service_account,
            "automountServiceAccountToken": False,
            "securityContext": layered(global_.pod_security_context, task.pod_security_context),
            "terminationGracePeriodSeconds": task.termination_grace_period_seconds,
            "containers": [_runner(values, release, inputs), _worker(values, release, inputs), *task.sidecars],
            "volumes": _volumes(values, release, inputs),
            "nodeSelector": task.node_selector,
            "tolerations": task.tolerations,
            "affinity": task.affinity,
            "topologySpreadConstraints": task.topology_spread_constraints,
            **pod_fields(task),
        }
    )
    return disk.accounted(made, disk.RUN, inputs)


def _runner(values: AgentJobValues, release: Release, inputs: Inputs) -> Manifest:
    runner = values.task.runner
    data, cache, expected = values.persistence.data, values.persistence.cache, versions.of(release)
    return present(
        {
            "name": "runner",
            "image": pod.runner_image(values, release, inputs),
            "imagePullPolicy": runner.image.pull_policy,
            "command": list(expected.runner_command),
            "workingDir": "/opt/workdir",
            "securityContext": present(runner.security_context),
            "env": environment.runner(values, release, inputs),
            "resources": runner.resources,
            **_probes("/tmp/exec-loop"),
            "volumeMounts": [
                *([volumes.mount(pod.AGENT_VOLUME, expected.agent_in_runner, read_only=True)] if expected.agent_in_runner else []),
                volumes.mount(contract.DATA_VOLUME, "/opt/workdir", volumes.directory(data, "run/config")),
                volumes.mount(contract.DATA_VOLUME, "/opt/data", volumes.directory(data, "run/data")),
                volumes.mount(contract.DATA_VOLUME, "/opt/providers", volumes.directory(data, "run/providers")),
                volumes.mount(contract.DATA_VOLUME, "/tmp", volumes.directory(data, "run/tmp")),
                volumes.mount(
                    CACHE_VOLUME,
                    expected.binaries_mount,
                    persistence.cache_directory(cache, expected.binaries_directory),
                    read_only=True,
                ),
                volumes.mount(CACHE_VOLUME, "/opt/plugin-cache", persistence.cache_directory(cache, "providers"), read_only=True),
                *tls.ca_mounts(values.global_.tls, release.names),
                *runner.extra_volume_mounts,
            ],
        }
    )


def _worker(values: AgentJobValues, release: Release, inputs: Inputs) -> Manifest:
    agent, worker = values.agent, values.task.worker
    return present(
        {
            "name": "worker",
            "image": pod.worker_image(values, release, inputs),
            "imagePullPolicy": pod.image_of_worker(values).pull_policy,
            "command": worker.command or list(versions.of(release).agent_command),
            "args": worker.args,
            "securityContext": hardened(worker.security_context),
            "env": environment.worker(values, release, inputs),
            "resources": worker.resources,
            **_probes(agent.data_dir),
            "volumeMounts": [
                volumes.mount(pod.ACCOUNT_VOLUME, contract.SERVICE_ACCOUNT_DIR, read_only=True),
                volumes.mount(contract.DATA_VOLUME, agent.data_dir, volumes.directory(values.persistence.data)),
                volumes.mount(CACHE_VOLUME, agent.cache_dir, persistence.cache_directory(values.persistence.cache)),
                volumes.mount(pod.TMP_VOLUME, "/tmp"),
                *pod.pod_info_mount(release),
                *tls.mounts(values.global_.tls, release.names),
                *worker.extra_volume_mounts,
            ],
        }
    )


def _probes(directory: str) -> Manifest:
    """Probes: the processes of a task signal by files that they have started and are healthy."""
    return {
        "startupProbe": _file_exists(f"{directory}/started"),
        "livenessProbe": _file_exists(f"{directory}/healthy") | {"failureThreshold": 1},
    }


def _file_exists(path: str) -> dict[str, Any]:
    return {
        "exec": {"command": ["test", "-f", path]},
        "initialDelaySeconds": _STARTUP_SECONDS,
        "periodSeconds": 5,
        "timeoutSeconds": 1,
    }


def _volumes(values: AgentJobValues, release: Release, inputs: Inputs) -> list[Manifest]:
    image, policy = pod.agent_image(values, release, inputs), values.agent.image.pull_policy
    return [
        *(
            [{"name": pod.AGENT_VOLUME, "image": {"reference": image, "pullPolicy": policy}}]
            if versions.of(release).agent_in_runner
            else []
        ),
        _service_account_token(values.service_account.token_ttl),
        volumes.volume(contract.DATA_VOLUME, values.persistence.data, release.names.data_claim),
        persistence.cache_volume(CACHE_VOLUME, values.persistence.cache, release.names.cache_claim),
        volumes.empty(pod.TMP_VOLUME),
        *tls.of_pod(values.global_.tls, release.names),
        *values.task.extra_volumes,
        *pod.pod_info_volume(release),
    ]


def _service_account_token(seconds: int | None) -> Manifest:
    """The worker's access to the Kubernetes API. The runner, which executes users' code, has none."""
    sources = [
        {"serviceAccountToken": present({"path": "token", "expirationSeconds": seconds})},
        {"configMap": {"name": "kube-root-ca.crt", "items": [{"key": "ca.crt", "path": "ca.crt"}]}},
        {"downwardAPI": {"items": [{"path": "namespace", "fieldRef": {"fieldPath": "metadata.namespace"}}]}},
    ]
    return {"name": pod.ACCOUNT_VOLUME, "projected": {"sources": sources}}


def budget(values: AgentJobValues, release: Release) -> dict[str, Manifest]:
    """The budget that makes a node drain wait for runs. Jobs have no scale, so it can only set a number of pods that must stay."""
    limits = values.task.pod_disruption_budget
    if not limits.enabled:
        return {}
    at_least = UNEVICTABLE if limits.min_available is None else limits.min_available
    return {"task-budget": pod.budget(names.of(release).task_budget, release, COMPONENT, minAvailable=at_least)}


def _failures(values: AgentJobValues, release: Release) -> Manifest:
    """What happens to a Job whose pod fails. A run that failed is never started again."""
    if not versions.of(release).restarts:
        return {"backoffLimit": 0}
    limit = values.task.job.backoff_limit
    return {
        "backoffLimit": _BACKOFF_LIMIT if limit is None else limit,
        "podFailurePolicy": {
            "rules": [
                {"action": "FailJob", "onExitCodes": {"operator": "NotIn", "values": [0]}},
                {"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget"}]},
            ]
        },
    }
