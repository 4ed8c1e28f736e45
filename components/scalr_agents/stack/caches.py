"""The caches of a stack: the values and claims with which agents mount them, and the findings on them."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from scalr_agents.caches import efs, filestore
from scalr_agents.caches import volumes as cache_volumes
from scalr_agents.caches.filestore import FilestoreSettings
from scalr_agents.charts.shared.agent import AnyAgent
from scalr_agents.charts.shared.settings import NoValueError, Settings
from scalr_agents.model import parse as shapes
from scalr_agents.model import quantities
from scalr_agents.model.checks import quantity, shared_cache
from scalr_agents.model.findings import Finding, Findings, Path, dotted, error, nearest, warning
from scalr_agents.model.forms import is_dns_label, is_set
from scalr_agents.model.layers import Layer
from scalr_agents.model.manifests import Manifest
from scalr_agents.model.merge import Values, lookup
from scalr_agents.model.messages import expected, too_long
from scalr_agents.model.spelling import in_stack_files
from scalr_agents.stack.cache_model import CacheEntry, CachesOfFile, EfsEntry, StorageClassEntry
from scalr_agents.stack.checks import pods
from scalr_agents.stack.model import PREFIX, AgentEntry, in_file
from scalr_agents.stack.model import place as place_of_agent
from scalr_agents.stack.source import CloudValue, Source

_PROVIDER_CACHE = ("agent", "providerCache")
_REGIONS = {"aws:region", "aws:profile"}
"""Configuration keys of Pulumi's AWS provider that set a region, or may set one."""
_LONGEST_NAME = 53
"""As for a release: claims are named after the cache."""
_SMALLEST_VOLUME = 1024**2
_FILLED_PERCENT = 80
"""Share of a volume that provider caches may fill. Their limits are soft, and binaries need room too."""


@dataclass(frozen=True)
class Claim:
    """A claim that the stack makes for a cache, named after the agent that mounts it or, if agents share the claim, after the cache."""

    cache: str
    content: EfsEntry | FilestoreSettings | StorageClassEntry
    name: str
    release: str
    namespace: str

    @property
    def place(self) -> Path:
        return _place(self.cache)

    @property
    def size(self) -> str | None:
        """The capacity of the volume, if it is limited and known."""
        match self.content:
            case StorageClassEntry() as entry:
                return entry.storage
            case FilestoreSettings() as entry:
                return entry.capacity if _sized(entry) else None
            case EfsEntry():
                return None

    @property
    def key(self) -> tuple[str, str]:
        """Namespace and name of the claim."""
        return self.namespace, cache_volumes.claim_name(self.release)

    @cached_property
    def objects(self) -> list[Manifest]:
        """Volume and claim, with placeholders for values that only the cloud knows."""
        return list(self._group().values())

    def _group(self) -> dict[str, Manifest]:
        where = (self.release, self.namespace)
        match self.content:
            case StorageClassEntry() as entry:
                return cache_volumes.dynamic(*where, storage_class_name=entry.name, storage=entry.storage, access_mode=entry.access_mode)
            case EfsEntry() as entry:
                return cache_volumes.efs(*where, self._unknown("volumeHandle"), iam=is_set(entry.driver_role))
            case FilestoreSettings() as entry:
                exists = is_set(entry.instance_id)
                return cache_volumes.filestore(
                    *where,
                    self._unknown("volumeHandle"),
                    ip_address=self._unknown("ip"),
                    share_name=self._unknown("volume") if exists else entry.share_name,
                    protocol=self._unknown("fileProtocol") if exists else entry.protocol,
                    capacity=entry.capacity if _sized(entry) else self._unknown("storage"),
                )

    def _unknown(self, word: str) -> Any:
        return CloudValue(f"{dotted(self.place)}: {word} for {self.name}")


def users_of_claims(agents: Iterable[AnyAgent]) -> Mapping[tuple[str, str], list[AnyAgent]]:
    """The agents whose pods use a claim, by its namespace and name. A pod uses the claims of all its volumes, mounted or not."""
    users = defaultdict[tuple[str, str], list[AnyAgent]](list)
    for agent in agents:
        for name in {claim for _, spec in pods(agent.objects) for claim in _claims_of(spec).values()}:
            users[agent.release.namespace, name].append(agent)
    return users


def _claims_of(pod: Mapping[str, Any]) -> dict[str, str]:
    """The known claims of a pod's volumes, by volume name."""
    named = {volume["name"]: lookup(volume, "persistentVolumeClaim", "claimName") for volume in pod.get("volumes", ())}
    return {volume: claim for volume, claim in named.items() if isinstance(claim, str)}


def parse(content: Mapping[str, Any]) -> tuple[Mapping[str, CacheEntry], list[Finding]]:
    """The entries of the key `caches`, and the findings on their shapes."""
    file, findings, _ = shapes.parse(CachesOfFile, {"caches": content})
    return file.caches, [in_file(finding) for finding in findings]


def without_region(entries: Mapping[str, CacheEntry], source: Source) -> Iterator[Finding]:
    """A warning for each cache on AWS if no file of the stack sets a region. None with an environment: it is not read, but may set one."""
    if source.environment or source.others.keys() & _REGIONS:
        return
    for name in (name for name, entry in entries.items() if entry.efs):
        yield warning(
            (*_place(name), "efs"),
            "no AWS region is set; run: pulumi config set aws:region <region>, unless AWS_REGION or a profile sets it wherever Pulumi runs",
        )


class Caches(NamedTuple):
    """The caches of a stack and the agents that may use them."""

    entries: Mapping[str, CacheEntry]
    agents: Mapping[str, AgentEntry]

    def claims(self) -> list[Claim]:
        """The claims of all agents with a cache, each once."""
        made: dict[tuple[str, str], Claim] = {}
        for name, agent in self.agents.items():
            entry = self.entries.get(agent.cache, CacheEntry())
            if content := entry.efs or entry.filestore or entry.storage_class:
                shared = isinstance(content, FilestoreSettings)
                owner, release = (agent.cache, agent.cache) if shared else (name, agent.release or name)
                made.setdefault((agent.cache, owner), Claim(agent.cache, content, owner, release, agent.namespace))
        return list(made.values())

    def layer(self, name: str, below: Sequence[Layer], settings: Settings) -> tuple[list[Layer], list[Finding]]:
        """An agent's cache as a layer of values, and errors for values of the layers below that contradict it."""
        agent, place = self.agents[name], (*place_of_agent(name), "cache")
        entry = self.entries.get(agent.cache)
        if entry is None:
            unknown = error(place, f"no cache {agent.cache!r}; {nearest(agent.cache, self.entries)}")
            return [], [unknown] if agent.cache else []
        release = agent.release or name
        claim: Values = {"claimName": entry.claim or cache_volumes.claim_name(agent.cache if entry.filestore else release)}
        limit: Values = {"enabled": True}
        if entry.filestore:
            claim["subPath"] = release
            if _sized(entry.filestore) and not any(lookup(each.values, *_PROVIDER_CACHE, "sizeLimit") for each in below):
                limit["sizeLimit"] = self._soft_limit(agent.cache, entry.filestore)
        try:
            mounted = settings.cache(claim)
        except NoValueError as problem:
            return [], [error(place, str(problem))]
        return [Layer(place, settings.cache(claim, limit), word=True)], list(_contradictions(place, mounted, below, decided=claim))

    def _soft_limit(self, cache: str, entry: FilestoreSettings) -> str:
        users = sum(agent.cache == cache for agent in self.agents.values())
        return f"{max(1, filestore.capacity_gib(entry) * _FILLED_PERCENT // 100 // users)}Gi"

    def check(self) -> Iterator[Finding]:
        """Findings on the caches that do not depend on the values of their agents."""
        yield from _one_cache_each(self.entries)
        for name, entry in self.entries.items():
            place = _place(name)
            if entry.filestore:
                yield from (finding.under(place) for finding in filestore.check_name("", name))
            elif len(name) > _LONGEST_NAME or not is_dns_label(name):
                message = f"not a valid cache name; use at most {_LONGEST_NAME} lower case letters, digits and '-'"
                yield error(place, f"{message}{too_long(name, _LONGEST_NAME)}")
            yield from (finding.under(place) for finding in _check_entry(entry))
            users = {agent_name: agent for agent_name, agent in self.agents.items() if agent.cache == name}
            if not users:
                message = f"no agent uses this cache; set {PREFIX}:agents.<name>.cache to its name"
                yield warning(place, message, [(f"{PREFIX}:agents",)])
            if entry.filestore:
                yield from _one_namespace(name, {agent_name: agent.namespace for agent_name, agent in users.items()})
            if entry.efs:
                for agent_name, agent in users.items():
                    path = efs.access_path(agent.namespace, agent.release or agent_name)
                    yield from (error((*place_of_agent(agent_name), "cache"), problem) for problem in efs.path_problems(path))


def _contradictions(place: Path, mounted: Values, below: Sequence[Layer], *, decided: Iterable[str]) -> Findings:
    """Errors for values that would have no effect, or would turn the cache off."""
    words = dict.fromkeys(("claimName", "storageClassName", "storage", "accessMode", *decided))
    cache = ("persistence", "cache") if "cache" in mounted["persistence"] else ("persistence",)
    claims = [(*section, "persistentVolumeClaim", word) for section in dict.fromkeys((cache, ("persistence",))) for word in words]
    for each in below:
        for path in claims:
            if is_set(lookup(each.values, *path)):
                yield each.own(error(path, f"has no effect: {dotted(place)} sets what is mounted; remove one of them"))
        for section in (cache, _PROVIDER_CACHE):
            enabled = lookup(each.values, *section, "enabled")
            if enabled is False:
                yield each.own(error((*section, "enabled"), f"false, but {dotted(place)} turns it on; remove one of them"))
            elif isinstance(enabled, str):
                yield each.own(error((*section, "enabled"), expected("true or false", enabled, repeated=True)))


def _sized(entry: FilestoreSettings) -> bool:
    """Whether the size of the share is known. That of an existing instance is known only if it is given."""
    return not is_set(entry.instance_id) or "capacity" in entry.model_fields_set


def _check_entry(entry: CacheEntry) -> Findings:
    kinds = {"efs": entry.efs, "filestore": entry.filestore, "claim": entry.claim, "storageClass": entry.storage_class}
    given = [word for word, content in kinds.items() if content]
    if len(given) != 1:
        yield error("", f"set exactly one of {', '.join(kinds)}; given {' and '.join(given) or 'none'}")
    if entry.efs:
        yield from (finding.under(("efs",)) for finding in efs.check(entry.efs, in_stack_files))
    if entry.filestore:
        yield from (finding.under(("filestore",)) for finding in filestore.check(entry.filestore, in_stack_files))
    if entry.storage_class:
        yield from () if entry.storage_class.name else [error("storageClass.name", "missing; give the name of an existing StorageClass")]
        yield from quantity("storageClass.storage", entry.storage_class.storage)
        if 0 < quantities.parse(entry.storage_class.storage) < _SMALLEST_VOLUME:
            size = entry.storage_class.storage
            yield warning("storageClass.storage", f"given {size}, which is less than 1 MiB; sizes without a unit are bytes, write 90Gi")
        yield from shared_cache("storageClass.accessMode", entry.storage_class.access_mode)
    existing = {
        "claim": entry.claim,
        "efs.fileSystemId": entry.efs and entry.efs.file_system_id,
        "filestore.instanceId": entry.filestore and entry.filestore.instance_id,
    }
    for word in (word for word, value in existing.items() if value and "on_delete" in entry.model_fields_set):
        yield error("onDelete", f"has no effect: the stack never deletes the existing resource of {word}; remove it")


def _one_cache_each(entries: Mapping[str, CacheEntry]) -> Findings:
    """Errors for two caches on one existing file system that would both make its volume, or its mount targets."""
    owners: dict[object, str] = {}
    for name, entry in entries.items():
        existing: dict[Path, object] = {
            ("efs", "fileSystemId"): entry.efs.file_system_id if entry.efs else "",
            ("filestore", "instanceId"): entry.filestore.instance_id if entry.filestore else "",
        }
        for word, value in existing.items():
            other = owners.setdefault(value, name)
            if value and other != name and any(_makes_network(entries[one]) for one in (name, other)):
                yield error((*_place(name), *word), f"{value!r} is used by cache {other!r} already; let all agents use that cache")


def _makes_network(entry: CacheEntry) -> bool:
    """Whether the cache excludes others on the same file system. One that makes access points only does not."""
    return entry.efs is None or efs.has_network(entry.efs)


def _one_namespace(cache: str, namespaces: Mapping[str, str]) -> Findings:
    first = next(iter(namespaces.items()), ("", ""))
    for agent, namespace in namespaces.items():
        if namespace != first[1]:
            yield error(
                f"{PREFIX}:agents.{agent}.cache",
                f"cache {cache!r} is mounted in namespace {first[1]!r} (by agent {first[0]!r}), and a Filestore instance can serve only "
                f"one namespace; define another cache for the agents in {namespace!r}",
            )


def _place(cache: str) -> Path:
    return f"{PREFIX}:caches", cache
