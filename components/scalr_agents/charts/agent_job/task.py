"""The task: a custom resource with the template of the Job that the controller starts for every run."""

from scalr_agents.charts.agent_job import environment
from scalr_agents.charts.agent_job.pod_values import Cache
from scalr_agents.charts.agent_job.versions import Job
from scalr_agents.charts.shared import contract, disk, tls, volumes
from scalr_agents.charts.shared.agent import Runs
from scalr_agents.charts.shared.pods import hardened, image_reference, pod_fields
from scalr_agents.charts.shared.values import Image, grace_seconds
from scalr_agents.model.manifests import Manifest, present
from scalr_agents.model.maps import Deferred
from scalr_agents.model.release import CACHE_VOLUME

COMPONENT = "task"
TMP_VOLUME = "tmp-dir"
_AGENT_VOLUME = "worker"
"""Volume with files from the agent's image, for the runner."""
_ACCOUNT_VOLUME = "sa-token"
"""Volume with the token of the service account, for the worker."""
_POD_INFO_VOLUME = "podinfo"
_BACKOFF_LIMIT = 1
_STARTUP_SECONDS = 60
_GIVEN_UP_SECONDS = 120
"""After which controllers give up a task that does not start, without `task.startupTimeoutSeconds`."""
_LONGEST_BASENAME = 24
"""Characters of a base name that fit into the 63 of a Job's name beside any run and stage."""


def runs(agent: Job) -> Runs:
    """The names of Jobs are `<basename>-<run>-<stage>`. The agent leaves out a base name that would make them too long."""
    task, job = agent.values.task, agent.values.task.job
    given = task.startup_timeout_seconds if agent.supports("task.startupTimeoutSeconds") else None
    base = (job.basename or agent.release.full_name).replace(".", "[.]")
    named = f"{base}-" if len(base) <= _LONGEST_BASENAME else f"(?:{base}-)?"
    running, kept = job.active_deadline_seconds, job.ttl_seconds_after_finished
    stopping = grace_seconds(task.termination_grace_period_seconds)
    return Runs(
        names=f"{named}run-.+" if agent.release.line.tasks().named_jobs else "atask-.+",
        schedule_seconds=given or _GIVEN_UP_SECONDS,
        start_seconds=given or _GIVEN_UP_SECONDS,
        longest_seconds=None if running is None or kept is None else running + stopping + kept,
    )


def template(agent: Job) -> Manifest:
    """The custom resource."""
    resource, job = agent.release.line.tasks(), agent.values.task.job
    return {
        "apiVersion": resource.api_version,
        "kind": resource.kind,
        "metadata": agent.release.metadata(agent.names.task_template, COMPONENT),
        "spec": {
            **({"basename": job.basename or agent.release.full_name} if resource.named_jobs else {}),
            "jobTemplate": present(
                {
                    "metadata": _job_metadata(agent),
                    "spec": present(
                        {
                            **_failures(agent),
                            "activeDeadlineSeconds": job.active_deadline_seconds,
                            "ttlSecondsAfterFinished": job.ttl_seconds_after_finished,
                            "template": {"metadata": _pod_metadata(agent), "spec": spec(agent)},
                        }
                    ),
                }
            ),
        },
    }


def _job_metadata(agent: Job) -> Manifest:
    task, global_ = agent.values.task, agent.values.global_
    return present({"labels": global_.labels | task.job_labels, "annotations": {**global_.annotations, **task.job_annotations}})


def _failures(agent: Job) -> Manifest:
    """What happens to a Job whose pod fails. A run that failed is never started again."""
    if not agent.row.restarts:
        return {"backoffLimit": 0}
    limit = agent.values.task.job.backoff_limit
    return {
        "backoffLimit": _BACKOFF_LIMIT if limit is None else limit,
        "podFailurePolicy": {
            "rules": [
                {"action": "FailJob", "onExitCodes": {"operator": "NotIn", "values": [0]}},
                {"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget"}]},
            ]
        },
    }


def _pod_metadata(agent: Job) -> Manifest:
    task, global_ = agent.values.task, agent.values.global_
    return {
        "annotations": {**contract.UNEVICTABLE_ANNOTATIONS, **global_.pod_annotations, **task.pod_annotations},
        "labels": {**global_.labels, **global_.pod_labels, **task.pod_labels, **agent.release.selector(COMPONENT)},
    }


def spec(agent: Job) -> Manifest:
    """The spec of the pod of a task."""
    task = agent.values.task
    made = present(
        {
            "restartPolicy": "Never",
            "imagePullSecrets": agent.values.global_.image_pull_secrets,
            "serviceAccountName": agent.names.service_account,
            "automountServiceAccountToken": False,
            "securityContext": present(agent.values.task_security_context),
            "terminationGracePeriodSeconds": task.termination_grace_period_seconds,
            "containers": [_runner(agent), _worker(agent), *task.sidecars],
            "volumes": [*own_volumes(agent), *task.extra_volumes, *pod_info(agent)],
            "nodeSelector": task.node_selector,
            "tolerations": task.tolerations,
            "affinity": task.affinity,
            "topologySpreadConstraints": task.topology_spread_constraints,
            **pod_fields(task),
        }
    )
    return disk.accounted(made, disk.RUN, agent.inputs)


def _runner(agent: Job) -> Manifest:
    runner = agent.values.task.runner
    return present(
        {
            "name": "runner",
            "image": image(agent, runner.image, agent.inputs.runner_image),
            "imagePullPolicy": runner.image.pull_policy,
            "command": list(agent.row.runner_command),
            "workingDir": "/opt/workdir",
            "securityContext": present(runner.security_context),
            "env": environment.runner(agent),
            "resources": runner.resources,
            **_probes("/tmp/exec-loop"),
            "volumeMounts": [*runner_mounts(agent), *runner.extra_volume_mounts],
        }
    )


def _worker(agent: Job) -> Manifest:
    values, worker = agent.values, agent.values.task.worker
    return present(
        {
            "name": "worker",
            "image": image(agent, values.worker_image, agent.inputs.agent_image),
            "imagePullPolicy": values.worker_image.pull_policy,
            "command": worker.command or list(agent.row.agent_command),
            "args": worker.args,
            "securityContext": hardened(worker.security_context),
            "env": environment.worker(agent),
            "resources": worker.resources,
            **_probes(values.agent.data_dir),
            "volumeMounts": [*worker_mounts(agent), *worker.extra_volume_mounts],
        }
    )


def _probes(directory: str) -> Manifest:
    """Probes: the processes of a task signal by files that they have started and are healthy."""
    timing = {"initialDelaySeconds": _STARTUP_SECONDS, "periodSeconds": 5, "timeoutSeconds": 1}
    return {
        "startupProbe": {"exec": {"command": ["test", "-f", f"{directory}/started"]}, **timing},
        "livenessProbe": {"exec": {"command": ["test", "-f", f"{directory}/healthy"]}, **timing, "failureThreshold": 1},
    }


# The volumes and mounts of a task, without those that a user adds


def own_volumes(agent: Job) -> list[Manifest]:
    """The volumes of the pod, but for the one with its labels and annotations."""
    settings, persistence = agent.values.agent, agent.values.persistence
    reference = {"reference": image(agent, settings.image, agent.inputs.agent_image), "pullPolicy": settings.image.pull_policy}
    # The worker's access to the Kubernetes API. The runner, which executes users' code, has none.
    token = [
        {"serviceAccountToken": present({"path": "token", "expirationSeconds": agent.values.service_account.token_ttl})},
        {"configMap": {"name": "kube-root-ca.crt", "items": [{"key": "ca.crt", "path": "ca.crt"}]}},
        {"downwardAPI": {"items": [{"path": "namespace", "fieldRef": {"fieldPath": "metadata.namespace"}}]}},
    ]
    return [
        *([{"name": _AGENT_VOLUME, "image": reference}] if agent.row.agent_in_runner else []),
        {"name": _ACCOUNT_VOLUME, "projected": {"sources": token}},
        volumes.volume(contract.DATA_VOLUME, persistence.data, agent.names.data_claim),
        cache_volume(agent, persistence.cache),
        volumes.empty(TMP_VOLUME),
        *tls.of_pod(agent.values.global_.tls, agent.names),
    ]


def runner_mounts(agent: Job) -> list[Manifest]:
    """The mounts of the runner."""
    data, cache, row = agent.values.persistence.data, agent.values.persistence.cache, agent.row
    return [
        *([volumes.mount(_AGENT_VOLUME, row.agent_in_runner, read_only=True)] if row.agent_in_runner else []),
        volumes.mount(contract.DATA_VOLUME, "/opt/workdir", volumes.directory(data, "run/config")),
        volumes.mount(contract.DATA_VOLUME, "/opt/data", volumes.directory(data, "run/data")),
        volumes.mount(contract.DATA_VOLUME, "/opt/providers", volumes.directory(data, "run/providers")),
        volumes.mount(contract.DATA_VOLUME, "/tmp", volumes.directory(data, "run/tmp")),
        volumes.mount(CACHE_VOLUME, row.binaries_mount, cache_directory(cache, row.binaries_directory), read_only=True),
        volumes.mount(CACHE_VOLUME, "/opt/plugin-cache", cache_directory(cache, "providers"), read_only=True),
        *tls.ca_mounts(agent.values.global_.tls),
    ]


def worker_mounts(agent: Job) -> list[Manifest]:
    """The mounts of the worker."""
    settings, persistence = agent.values.agent, agent.values.persistence
    return [
        volumes.mount(_ACCOUNT_VOLUME, contract.SERVICE_ACCOUNT_DIR, read_only=True),
        volumes.mount(contract.DATA_VOLUME, settings.data_dir, volumes.directory(persistence.data)),
        volumes.mount(CACHE_VOLUME, settings.cache_dir, cache_directory(persistence.cache)),
        *process_mounts(agent),
    ]


# What the pods of the controller have too


def image(agent: Job, given: Image, complete: str | Deferred | None = None) -> str | Deferred:
    """The reference of an image, unless a complete one is given."""
    global_ = agent.values.global_
    return image_reference(global_.image_registry, given, agent.release.version, complete, namespace=global_.image_namespace)


def cache_directory(cache: Cache, *parts: str) -> str:
    """A directory of the cache. On a claim, which may hold other things, the cache is in `cache`."""
    return volumes.directory(cache, *(["cache"] if cache.enabled else []), *parts)


def cache_volume(agent: Job, cache: Cache) -> Manifest:
    """The cache on the node, on its claim, existing or made, or in an emptyDir."""
    if cache.is_on_node:
        return {"name": CACHE_VOLUME, "hostPath": present({"path": cache.host_path.path, "type": cache.host_path.type})}
    return volumes.volume(CACHE_VOLUME, cache, agent.names.cache_claim)


def pod_info(agent: Job) -> list[Manifest]:
    """The volume with labels and annotations of the pod itself, as files."""
    items = [{"path": what, "fieldRef": {"fieldPath": f"metadata.{what}"}} for what in ("labels", "annotations")]
    return [{"name": _POD_INFO_VOLUME, "downwardAPI": {"items": items}}] if agent.row.pod_info else []


def process_mounts(agent: Job) -> list[Manifest]:
    """What controller and worker mount besides data and cache."""
    directory = agent.row.pod_info
    return [
        volumes.mount(TMP_VOLUME, "/tmp"),
        *([volumes.mount(_POD_INFO_VOLUME, directory)] if directory else []),
        *tls.mounts(agent.values.global_.tls),
    ]
