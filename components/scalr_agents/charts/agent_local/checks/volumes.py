"""Cross-checks of agent-local on volumes and mounts."""

from scalr_agents.charts.agent_local import versions
from scalr_agents.charts.agent_local.checks.workload import starts_before_it_stops
from scalr_agents.charts.agent_local.manifests.workload import is_stateful, number
from scalr_agents.charts.agent_local.values import AgentLocalValues, effective
from scalr_agents.charts.shared import contract
from scalr_agents.charts.shared.checks import containers
from scalr_agents.charts.shared.inputs import Inputs
from scalr_agents.charts.shared.volumes import Claim, Volume
from scalr_agents.model import checks
from scalr_agents.model.findings import Findings, error, warning
from scalr_agents.model.release import CACHE_VOLUME, Release

_SHARED, _ONE_POD = "ReadWriteMany", "ReadWriteOncePod"


def check(values: AgentLocalValues, release: Release, inputs: Inputs) -> Findings:
    """Our volumes and those of the user."""
    values = values.model_copy(update={"replica_count": number(values, inputs)})
    persistence = values.persistence
    if versions.TABLE.knows(release.version, "persistence.cache.enabled"):
        yield from _deprecated(values)
    yield from _sizes("persistence.data", persistence.data)
    yield from _sizes("persistence.cache", persistence.cache)
    yield from checks.quantity("persistence.emptyDir.sizeLimit", persistence.empty_dir.get("sizeLimit"))
    yield from checks.quantity("persistence.persistentVolumeClaim.storage", persistence.persistent_volume_claim.storage)
    claims = {"persistence.data": persistence.data, effective.path(persistence): effective.cache(persistence)}
    yield from containers.host_users("hostUsers", values, claims)
    yield from containers.disk({"resources": values.resources}, (persistence.data, effective.cache(persistence)))
    yield from _mounts(values)
    created = effective.created(persistence)
    if persistence.data.enabled and _several(values) and not (is_stateful(values) and contract.DATA_VOLUME in created):
        yield warning(
            "persistence.data.enabled",
            f"{_agents(values)} share one claim and the same directories in it: runs would overwrite "
            f"each other's files; use 1 replica or the emptyDir{_own_claims(values, release)}",
        )
    paths = {contract.DATA_VOLUME: "persistence.data", CACHE_VOLUME: effective.path(persistence)}
    for name, volume in {} if is_stateful(values) else created.items():
        yield from _access(f"{paths[name]}.persistentVolumeClaim.accessMode", volume.persistent_volume_claim, values, release)


def _deprecated(values: AgentLocalValues) -> Findings:
    persistence = values.persistence
    if persistence.enabled:
        yield warning("persistence.enabled", "deprecated: use persistence.cache.enabled and persistence.cache.persistentVolumeClaim")
    elif effective.is_deprecated(persistence):
        yield warning(
            "persistence.persistentVolumeClaim.claimName",
            "deprecated, and takes precedence over persistence.cache.persistentVolumeClaim; "
            "use persistence.cache.persistentVolumeClaim.claimName",
        )


def _sizes(path: str, volume: Volume) -> Findings:
    yield from checks.quantity(f"{path}.emptyDir.sizeLimit", volume.empty_dir.get("sizeLimit"))
    yield from checks.quantity(f"{path}.persistentVolumeClaim.storage", volume.persistent_volume_claim.storage)


def _several(values: AgentLocalValues) -> bool:
    return values.replica_count is None or values.replica_count > 1


def _agents(values: AgentLocalValues) -> str:
    return "any number of agents" if values.replica_count is None else f"{values.replica_count} agents"


def _own_claims(values: AgentLocalValues, release: Release) -> str:
    if not versions.TABLE.knows(release.version, "workload"):
        return ""
    own = "remove claimName, so that each agent gets" if is_stateful(values) else "workload.kind: StatefulSet, which gives each agent"
    return f", or {own} a claim of its own"


def _access(path: str, claim: Claim, values: AgentLocalValues, release: Release) -> Findings:
    """Whether all pods can mount a claim at the same time: those of one node, or only one."""
    one_pod = claim.access_mode == _ONE_POD
    if claim.access_mode == _SHARED:
        return
    if _several(values):
        where = "only one of them can start" if one_pod else "they must all run on one node, or some never start"
        yield (error if one_pod and values.replica_count else warning)(
            path, f"{claim.access_mode}, but {_agents(values)} mount the claim: {where}; use {_SHARED}{_own_claims(values, release)}"
        )
    elif values.replica_count and starts_before_it_stops(values):
        where = "" if one_pod else " on another node,"
        yield (error if one_pod else warning)(
            "strategy.type",
            f"RollingUpdate starts the new pod while the old one still uses the claim, which is {claim.access_mode}:{where} "
            f"the new pod never starts; set strategy.type: Recreate, or {path}: {_SHARED}{_own_claims(values, release)}",
        )


def _mounts(values: AgentLocalValues) -> Findings:
    agent, tls = values.agent, values.agent.tls
    own = [
        contract.DATA_VOLUME,
        CACHE_VOLUME,
        *([contract.CLIENT_CERT_VOLUME] if tls.has_certificate else []),
        *([contract.CA_VOLUME] if tls.has_bundle else []),
    ]
    files = [*([contract.CLIENT_CERT_DIR] if tls.has_certificate else []), *([contract.CA_FILE] if tls.has_bundle else [])]
    taken, directories = dict.fromkeys(files, "the agent"), {"agent.dataDir": agent.data_dir, "agent.cacheDir": agent.cache_dir}
    yield from containers.directories(directories, taken)
    taken |= {directory: path for path, directory in directories.items()}
    volumes = own + containers.names_in(values.extra_volumes)
    yield from containers.additions("extraVolumes", values.extra_volumes, dict.fromkeys(own, "the agent"), "volume")
    yield from containers.mounts("extraVolumeMounts", values.extra_volume_mounts, volumes, taken, added="extraVolumes")
