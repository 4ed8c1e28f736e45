"""The caches of a stack: their keys, the values and claims with which agents mount them, and the findings on them."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, NamedTuple

from pydantic import Field, create_model

from scalr_agents import caches
from scalr_agents.caches import OnDelete, volumes as cache_volumes
from scalr_agents.caches.kind import CacheKind, is_existing
from scalr_agents.charts.shared.agent import AnyAgent
from scalr_agents.charts.shared.pods import claims_of, pods
from scalr_agents.charts.shared.settings import NoValueError, Settings
from scalr_agents.model import parse as shapes, quantities
from scalr_agents.model.fields import Name, unset
from scalr_agents.model.findings import Finding, Findings, Path, dotted, error, nearest, warning
from scalr_agents.model.judge import judge
from scalr_agents.model.manifests import Manifest
from scalr_agents.model.maps import Values, is_set, lookup, merge
from scalr_agents.model.origins import Layer
from scalr_agents.model.relations import exactly_one, no_effect
from scalr_agents.model.section import Section, by_alias, in_stack_files
from scalr_agents.model.texts import expected
from scalr_agents.stack.model import PREFIX, AgentEntry, in_file, place as place_of_agent
from scalr_agents.stack.source import CloudValue, Source

_PROVIDER_CACHE = ("agent", "providerCache")
_FILLED_PERCENT = 80
"""Share of a volume that provider caches may fill. Their limits are soft, and binaries need room too."""


class CacheEntry(Section):
    """A shared cache. The description names the keys of which exactly one is to be set."""

    claim: Name = ""
    """Name of a PersistentVolumeClaim that exists in the agents' namespace. It must be `ReadWriteMany`."""
    on_delete: OnDelete = "keep"
    """What happens to the file system when the cache is removed from the stack: `keep` keeps and protects it, `delete` deletes it."""

    @property
    def given(self) -> dict[str, CacheKind]:
        """The kinds that are given, of which there should be one, by their keys."""
        kinds = {name: getattr(self, name, None) for name in caches.KINDS}
        return {name: kind for name, kind in kinds.items() if kind}

    @property
    def content(self) -> CacheKind | None:
        """The cache's own settings; `None` for a claim that exists."""
        return next(iter(self.given.values()), None)


def _file() -> type[Section]:
    """The part of a stack file about caches, with a key for each kind."""
    kinds: dict[str, type[CacheKind]] = {name: caches.find(name) for name in caches.KINDS}
    keys: dict[str, Any] = {name: (kind | None, Field(None, description=kind.key_text)) for name, kind in kinds.items()}
    *others, last = (f"`{in_stack_files(key)}`" for key in [*kinds, "claim"])
    described = f"A shared cache. Set exactly one of {', '.join(others)} and {last}."
    entry: Any = create_model("CacheEntry", __base__=CacheEntry, __doc__=described, __module__=__name__, **keys)
    existing = [f"{name}.{kind.existing}" for name, kind in kinds.items() if kind.existing]
    entry.relations = (
        exactly_one(*kinds, "claim"),
        no_effect("on_delete", when=(*existing, "claim"), because="the stack never deletes what exists already; remove it"),
    )
    named: Any = (dict[str, Annotated[entry, unset({})]], Field({}, description="Shared caches, by name."))
    return create_model("CachesOfFile", __base__=Section, __doc__=_file.__doc__, __module__=__name__, caches=named)


CachesOfFile = _file()


@dataclass(frozen=True)
class Claim:
    """A claim that the stack makes for a cache, named after the agent that mounts it or, if agents share the claim, after the cache."""

    cache: str
    content: CacheKind
    name: str
    release: str
    namespace: str

    @property
    def place(self) -> Path:
        return _place(self.cache)

    @property
    def key(self) -> tuple[str, str]:
        """Namespace and name of the claim."""
        return self.namespace, cache_volumes.claim_name(self.release)

    @cached_property
    def objects(self) -> list[Manifest]:
        """Volume and claim, with placeholders for values that only the cloud knows."""
        return list(self.content.objects(self.release, self.namespace, self._unknown).values())

    def _unknown(self, what: str) -> Any:
        return CloudValue(f"{dotted(self.place)}: {what} for {self.name}")


def users_of_claims(agents: Iterable[AnyAgent]) -> Mapping[tuple[str, str], list[AnyAgent]]:
    """The agents whose pods use a claim, by its namespace and name. A pod uses the claims of all its volumes, mounted or not."""
    users = defaultdict[tuple[str, str], list[AnyAgent]](list)
    for agent in agents:
        for name in {claim for _, spec in pods(agent.objects) for claim in claims_of(spec)}:
            users[agent.release.namespace, name].append(agent)
    return users


def parse(content: Mapping[str, Any]) -> tuple[Mapping[str, CacheEntry], list[Finding], list[Path]]:
    """The entries of the key `caches`, the findings on their shapes, and the paths that were left out."""
    file, findings, left_out = shapes.parse(CachesOfFile, {"caches": content})
    entries: Mapping[str, CacheEntry] = vars(file)["caches"]
    return entries, [in_file(finding) for finding in findings], left_out


def without_region(entries: Mapping[str, CacheEntry], source: Source) -> Iterator[Finding]:
    """A warning for each cache on AWS if no file of the stack sets a region. None with an environment: it is not read, but may set one."""
    needing = (name for name, entry in entries.items() if entry.content and entry.content.region_needed)
    for name in needing if not source.may_set_region else ():
        yield warning(
            (*_place(name), *entries[name].given),
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
            if content := entry.content:
                owner, release = (agent.cache, agent.cache) if content.is_shared else (name, agent.release or name)
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
        content = entry.content
        claim: Values = {"claimName": content.claim_of(agent.cache, release) if content else entry.claim}
        limit: Values = {"enabled": True}
        if content and content.is_shared:
            claim["subPath"] = release
        if content and (gibibytes := content.gibibytes()) and not any(lookup(each.values, *_PROVIDER_CACHE, "sizeLimit") for each in below):
            limit["sizeLimit"] = self._soft_limit(agent.cache, gibibytes)
        try:
            mounted = settings.cache(claim)
        except NoValueError as problem:
            return [], [error(place, str(problem))]
        layer = Layer(place, merge(mounted, settings.cache_limit(limit)), from_setting=True)
        return [layer], list(_contradictions(place, mounted, below, decided=claim))

    def _soft_limit(self, cache: str, gibibytes: int) -> str:
        users = sum(agent.cache == cache for agent in self.agents.values())
        return f"{max(1, gibibytes * _FILLED_PERCENT // 100 // users)}Gi"

    def check(self) -> Iterator[Finding]:
        """Findings on the caches that do not depend on the values of their agents."""
        yield from _one_cache_each(self.entries)
        for name, entry in self.entries.items():
            place = _place(name)
            content = entry.content
            yield from (error(place, problem) for _, problem in (content or CacheKind).name_form.problems(name))
            yield from (finding.under(place) for finding in judge(entry, by_alias))
            users = {agent_name: agent for agent_name, agent in self.agents.items() if agent.cache == name}
            if not users:
                message = f"no agent uses this cache; set {PREFIX}:agents.<name>.cache to its name"
                yield warning(place, message, [(f"{PREFIX}:agents",)])
            if content and content.is_shared:
                yield from _one_namespace(name, content.title, {agent_name: agent.namespace for agent_name, agent in users.items()})
            for agent_name, agent in users.items():
                problems = (content or CacheKind()).problems_of_agent(agent.namespace, agent.release or agent_name)
                yield from (error((*place_of_agent(agent_name), "cache"), problem) for problem in problems)


def _contradictions(place: Path, mounted: Values, below: Sequence[Layer], *, decided: Iterable[str]) -> Findings:
    """Errors for values that would have no effect, or would turn the cache off."""
    keys = dict.fromkeys(("claimName", "storageClassName", "storage", "accessMode", *decided))
    cache = ("persistence", "cache") if "cache" in mounted["persistence"] else ("persistence",)
    claims = [(*section, "persistentVolumeClaim", key) for section in dict.fromkeys((cache, ("persistence",))) for key in keys]
    for each in below:
        for path in claims:
            if is_set(lookup(each.values, *path)):
                yield each.at_source(error(path, f"has no effect: {dotted(place)} sets what is mounted; remove one of them"))
        for section in (cache, _PROVIDER_CACHE):
            enabled = lookup(each.values, *section, "enabled")
            if enabled is False:
                yield each.at_source(error((*section, "enabled"), f"false, but {dotted(place)} turns it on; remove one of them"))
            elif isinstance(enabled, str):
                yield each.at_source(error((*section, "enabled"), expected("true or false", enabled, repeated=True)))


def _one_cache_each(entries: Mapping[str, CacheEntry]) -> Findings:
    """Errors for two caches on one existing file system that would both make its volume, or its mount targets."""
    owners: dict[object, tuple[str, CacheKind]] = {}
    for name, entry in entries.items():
        for key, kind in entry.given.items():
            if not is_existing(kind):
                continue
            other, theirs = owners.setdefault(kind.named(), (name, kind))
            if other != name and (kind.excludes_others() or theirs.excludes_others()):
                at = (*_place(name), key, in_stack_files(kind.existing))
                yield error(at, f"{kind.named()!r} is used by cache {other!r} already; let all agents use that cache")


def _one_namespace(cache: str, title: str, namespaces: Mapping[str, str]) -> Findings:
    first = next(iter(namespaces.items()), ("", ""))
    for agent, namespace in namespaces.items():
        if namespace != first[1]:
            yield error(
                f"{PREFIX}:agents.{agent}.cache",
                f"cache {cache!r} is mounted in namespace {first[1]!r} (by agent {first[0]!r}), and a cache on {title} can serve only "
                f"one namespace; define another cache for the agents in {namespace!r}",
            )


def _place(cache: str) -> Path:
    return f"{PREFIX}:caches", cache


def check_mounts(agents: Sequence[AnyAgent], claims: Sequence[Claim]) -> Iterator[Finding]:
    """Caches that do not fit the agents that mount them."""
    mounting = users_of_claims(agents)
    for claim in claims:
        users = mounting.get(claim.key, [])
        for agent in users:
            for pod, spec in pods(agent.objects):
                for finding in claim.content.problems_of_pod(spec, pod, dotted(claim.place)):
                    yield finding.under((*place_of_agent(agent.name), "cache"))
        if (size := claim.content.size()) is not None:
            yield from _overfull(claim, size, users)


def _overfull(claim: Claim, size: str, users: Sequence[AnyAgent]) -> Iterator[Finding]:
    limited = {agent.name: agent.cache_megabytes for agent in users}
    megabytes = sum(limited.values())
    if megabytes * quantities.MEBIBYTE > quantities.parse(size):
        limits = ", ".join(f"{limit} MB of {agent}" for agent, limit in limited.items())
        yield warning(
            claim.place,
            f"holds {size}, but its agents' caches may grow to {megabytes} MB ({limits}) and fill it before an agent clears its cache; "
            "lower agent.providerCache.sizeLimit or agent.moduleCache.sizeLimit",
        )
