"""Cross-checks of agent-local on volumes and mounts."""

from scalr_agents.charts.agent_local import versions
from scalr_agents.charts.agent_local.values import AgentLocalValues, effective
from scalr_agents.charts.shared import contract
from scalr_agents.charts.shared.checks import containers
from scalr_agents.charts.shared.volumes import Claim, Volume
from scalr_agents.model import checks
from scalr_agents.model.findings import Findings, error, warning
from scalr_agents.model.forms import is_set
from scalr_agents.model.release import CACHE_VOLUME, Release

_SHARED = "ReadWriteMany"


def check(values: AgentLocalValues, release: Release) -> Findings:
    """Our volumes and those of the user."""
    persistence = values.persistence
    if versions.TABLE.knows(release.version, "persistence.cache.enabled"):
        yield from _deprecated(values)
    yield from _sizes("persistence.data", persistence.data)
    yield from _sizes("persistence.cache", persistence.cache)
    yield from checks.quantity("persistence.emptyDir.sizeLimit", persistence.empty_dir.get("sizeLimit"))
    yield from checks.quantity("persistence.persistentVolumeClaim.storage", persistence.persistent_volume_claim.storage)
    yield from _mounts(values)
    if persistence.data.enabled and _several(values):
        yield warning(
            "persistence.data.enabled",
            f"{_agents(values)} share one claim and the same directories in it: runs would overwrite "
            "each other's files; use 1 replica or the emptyDir",
        )
    volumes: dict[str, Volume] = {"persistence.data": persistence.data, effective.path(persistence): effective.cache(persistence)}
    for path, volume in volumes.items():
        claim = volume.persistent_volume_claim
        if volume.enabled and not is_set(claim.claim_name):
            yield from _access(f"{path}.persistentVolumeClaim.accessMode", claim, values)


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


def _access(path: str, claim: Claim, values: AgentLocalValues) -> Findings:
    """Whether all pods can mount a claim at the same time."""
    if claim.access_mode == _SHARED:
        return
    if _several(values):
        yield warning(
            path,
            f"{claim.access_mode}, but {_agents(values)} mount the claim: they must all run on one node, "
            f"or some never start; use {_SHARED}",
        )
    elif values.strategy.type == "RollingUpdate" and values.strategy.rolling_update.max_surge not in (None, 0, "0%"):
        yield warning(
            "strategy.type",
            f"RollingUpdate starts the new pod while the old one still uses the claim, which is {claim.access_mode}: on another node, "
            f"the new pod never starts; set strategy.type: Recreate, or {path}: {_SHARED}",
        )


def _mounts(values: AgentLocalValues) -> Findings:
    agent, tls = values.agent, values.agent.tls
    bundle = is_set(tls.ca_bundle) or is_set(tls.ca_bundle_secret.name)
    certificate = is_set(tls.client_cert) or is_set(tls.client_cert_secret.name)
    own = [
        contract.DATA_VOLUME,
        CACHE_VOLUME,
        *([contract.CLIENT_CERT_VOLUME] if certificate else []),
        *([contract.CA_VOLUME] if bundle else []),
    ]
    taken = dict.fromkeys([*([contract.CLIENT_CERT_DIR] if certificate else []), *([contract.CA_FILE] if bundle else [])], "the agent")
    for path, directory in (("agent.dataDir", agent.data_dir), ("agent.cacheDir", agent.cache_dir)):
        if directory in taken:
            yield error(
                path, f"{directory} is already used by {taken[directory]}, and two volumes cannot be mounted on one path; use another path"
            )
        taken[directory] = path
    volumes = own + containers.names_in(values.extra_volumes)
    yield from containers.additions("extraVolumes", values.extra_volumes, dict.fromkeys(own, "the agent"), "volume")
    yield from containers.mounts("extraVolumeMounts", values.extra_volume_mounts, volumes, taken, added="extraVolumes")
