"""Cross-checks of agent-job on what a user adds to its pods."""

from scalr_agents.charts.agent_job import versions
from scalr_agents.charts.agent_job.manifests import persistence, pod
from scalr_agents.charts.agent_job.values import AgentJobValues
from scalr_agents.charts.shared import contract
from scalr_agents.charts.shared.checks import containers
from scalr_agents.model.findings import Findings
from scalr_agents.model.merge import merge
from scalr_agents.model.release import CACHE_VOLUME, Release

_RUNNER_PATHS = ("/opt/workdir", "/opt/data", "/opt/providers", "/tmp", "/opt/plugin-cache")
"""Mount paths of the runner's own volumes in all versions."""


def check(values: AgentJobValues, release: Release) -> Findings:
    """Volumes, mounts and containers that a user adds to the existing ones."""
    task, agent = values.task, values.agent
    own, runner_paths, agent_paths = _taken(values, release)
    context = merge(values.global_.pod_security_context, task.pod_security_context)
    added, volumes = "task.extraVolumes", own + containers.names_in(task.extra_volumes)
    yield from containers.additions(added, task.extra_volumes, dict.fromkeys(own, "the agent"), "volume")
    yield from containers.additions("task.sidecars", task.sidecars, {"runner": "the agent", "worker": "the agent"}, "container")

    worker_paths = [contract.SERVICE_ACCOUNT_DIR, agent.data_dir, agent.cache_dir, *agent_paths]
    for path, mounts, taken in (
        ("task.runner.extraVolumeMounts", task.runner.extra_volume_mounts, runner_paths),
        ("task.worker.extraVolumeMounts", task.worker.extra_volume_mounts, worker_paths),
    ):
        yield from containers.mounts(path, mounts, volumes, dict.fromkeys(taken, "the agent"), added=added)
    yield from containers.added_images("agent.initContainers", agent.init_containers)
    yield from containers.added_images("task.initContainers", task.init_containers)
    yield from containers.added_images("task.sidecars", task.sidecars)
    for index, sidecar in enumerate(task.sidecars):
        if isinstance(settings := sidecar.get("securityContext", {}), dict):
            yield from containers.security_context(f"task.sidecars[{index}].securityContext", settings, context)
        if isinstance(given := sidecar.get("volumeMounts"), list):
            mounts = [mount for mount in given if isinstance(mount, dict)]
            yield from containers.mounts(f"task.sidecars[{index}].volumeMounts", mounts, volumes, {}, added=added)
    cache = persistence.without_node(values.persistence.cache)
    claims = {"persistence.data": values.persistence.data, "persistence.cache": cache}
    yield from containers.host_users("task.hostUsers", task, claims)
    yield from containers.host_users("agent.hostUsers", agent, {"persistence.cache": cache})
    resources = {"task.runner.resources": task.runner.resources, "task.worker.resources": task.worker.resources}
    yield from containers.disk(resources, (values.persistence.data, values.persistence.cache))
    directories = {"agent.dataDir": agent.data_dir, "agent.cacheDir": agent.cache_dir}
    yield from containers.directories(directories, dict.fromkeys([contract.SERVICE_ACCOUNT_DIR, *agent_paths], "the agent"))


def _taken(values: AgentJobValues, release: Release) -> tuple[list[str], list[str], list[str]]:
    """Names of our volumes, and paths of our mounts in the runner and in controller and worker."""
    tls, expected = values.global_.tls, versions.TABLE.row(release.version)
    volumes = [
        pod.ACCOUNT_VOLUME,
        contract.DATA_VOLUME,
        CACHE_VOLUME,
        pod.TMP_VOLUME,
        *([pod.AGENT_VOLUME] if expected.agent_in_runner else []),
        *([pod.POD_INFO_VOLUME] if expected.pod_info else []),
        *([contract.CA_VOLUME] if tls.has_bundle else []),
        *([contract.CLIENT_CERT_VOLUME] if tls.has_certificate else []),
    ]
    ca_file = [contract.CA_FILE] if tls.has_bundle else []
    runner = [*_RUNNER_PATHS, expected.binaries_mount, *([expected.agent_in_runner] if expected.agent_in_runner else []), *ca_file]
    agent = [
        "/tmp",
        *([expected.pod_info] if expected.pod_info else []),
        *([contract.CLIENT_CERT_DIR] if tls.has_certificate else []),
        *ca_file,
    ]
    return volumes, runner, agent
