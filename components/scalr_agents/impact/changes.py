"""What happens to each object of a stack. The API server compares: it applies the object with a dry run, as Pulumi does."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from http import HTTPStatus
from typing import Any, Literal

from scalr_agents import output
from scalr_agents.charts.shared.agent import AnyAgent
from scalr_agents.charts.shared.manifests import secrets
from scalr_agents.charts.shared.manifests.objects import WORKLOADS
from scalr_agents.charts.shared.pods import claims_of, templates
from scalr_agents.cluster.answers import Answer, Hidden, Json
from scalr_agents.cluster.api import AT_ONCE, METADATA, METADATA_OF_LIST, Api
from scalr_agents.doctor import collect, reading
from scalr_agents.doctor.facts import Access
from scalr_agents.doctor.needs import KEPT, Needs
from scalr_agents.doctor.submissions import MANAGER
from scalr_agents.model.manifests import Key, Manifest, key_of
from scalr_agents.observability.watched import workloads

What = Literal["created", "unchanged", "changed", "scaled-in", "restarted", "replaced", "removed", "rejected", "unknown"]

_CLAIM, _VOLUME = "PersistentVolumeClaim", "PersistentVolume"
_IMMUTABLE = {
    "Deployment": ("spec.selector",),
    "DaemonSet": ("spec.selector",),
    "StatefulSet": ("spec",),
    _CLAIM: ("spec",),
    _VOLUME: ("spec.persistentvolumesource",),
    "StorageClass": ("parameters", "provisioner", "reclaimPolicy"),
    "RoleBinding": ("roleRef",),
    "ClusterRoleBinding": ("roleRef",),
}
"""Fields that the API server refuses to change, as it names them, and for which Pulumi replaces the object."""
_REPLACING = {_VOLUME: ("spec.mountOptions",)}
"""Fields that the API server would change, and for which our components ask Pulumi to replace the object."""
_LISTED = (
    *(("apps/v1", kind) for kind in WORKLOADS),
    ("batch/v1", "CronJob"),
    ("v1", _CLAIM),
    ("v1", "ServiceAccount"),
    ("policy/v1", "PodDisruptionBudget"),
    ("networking.k8s.io/v1", "NetworkPolicy"),
    ("rbac.authorization.k8s.io/v1", "Role"),
    ("rbac.authorization.k8s.io/v1", "RoleBinding"),
)
"""Kinds in namespaces of which there may be objects that the stack has no longer."""
_EMPTY = "the new one is empty"
_OURS = [("labelSelector", "app.kubernetes.io/managed-by=pulumi")]
_OF_PULUMI = "pulumi.com/"
"""Annotations for Pulumi's provider, which are added during deployment."""


@dataclass(frozen=True, kw_only=True)
class Change:
    """What happens to an object."""

    key: Key
    what: What
    fields: Sequence[str] = ()
    """The fields that change, without their values."""
    reason: str = ""
    """Why it is rejected or not known, or what it is replaced with."""
    live: Json = field(default_factory=dict, repr=False)
    """The object in the cluster, if it is there and no Secret."""


def is_deferred(manifest: Manifest) -> bool:
    """Whether the API server cannot judge an object, as some of its values are known only during deployment."""
    return manifest["kind"] != "Secret" and bool(output.unknown([manifest]))


def read(api: Api, needs: Needs) -> list[Change]:
    """What happens to the objects of a stack, and to those that it has no longer. Raises `ClusterError`."""
    wanted = [each for each in needs.objects if each["kind"] not in KEPT and not is_deferred(each)]
    own = {(kind, namespace) for kind in _LISTED for namespace in needs.namespaces}
    with ThreadPoolExecutor(AT_ONCE) as pool:
        judged = pool.map(partial(_change, api, needs), wanted)
        left_over = pool.map(partial(_left_over, api, needs), sorted(own))
        changes = [*judged, *(change for changes in left_over for change in changes)]
    return followed(changes, needs)


def _change(api: Api, needs: Needs, manifest: Manifest) -> Change:
    key, path = key_of(manifest), needs.path(manifest)
    live = api.get(path, (), METADATA) if key.kind == "Secret" else api.get(path)
    if live is None:
        return Change(key=key, what="created")
    if isinstance(live, Hidden):
        return Change(key=key, what="unknown", reason=live.reason)
    if key.kind == "Secret":  # its content is neither read nor submitted
        return Change(key=key, what="unchanged")
    manifest = submitted(manifest, live, needs.stack.agents)
    submit = partial(api.dry_run, path, manager=reading.owner(live).pulumi or MANAGER)
    answer = submit(manifest)
    if answer.status == HTTPStatus.FORBIDDEN and not _may_patch(api, needs, manifest):
        return Change(key=key, what="unknown", reason="you may not patch it")
    change = judged(key, live, answer)
    return _judged_claim(change, manifest, answer, submit) if key.kind == _CLAIM and change.what == "replaced" else change


def _judged_claim(change: Change, manifest: Manifest, answer: Answer, submit: Callable[[Manifest], Answer]) -> Change:
    """The API server refuses another size in the same words, but that is no reason to replace a claim."""
    same_size = manifest | {"spec": manifest["spec"] | {"resources": change.live["spec"]["resources"]}}
    if submit(same_size).accepted:
        return replace(change, what="rejected", reason=answer.message)
    return change if "volumeName" in manifest["spec"] else replace(change, reason=_EMPTY)


def _may_patch(api: Api, needs: Needs, manifest: Manifest) -> bool:
    group, namespace = manifest["apiVersion"].rpartition("/")[0], manifest["metadata"].get("namespace", "")
    return collect.is_allowed(api, Access("patch", group, needs.plural(manifest), namespace)) is True


def submitted(manifest: Manifest, live: Json, agents: Iterable[AnyAgent]) -> Manifest:
    """An object as Pulumi would apply it: the digest of secrets that are still encrypted counts as unchanged."""
    if manifest["kind"] not in WORKLOADS:
        return manifest
    [agent] = [agent for agent in agents if manifest in agent.objects]
    digest = live["spec"]["template"]["metadata"].get("annotations", {}).get(secrets.DIGEST_ANNOTATION)
    encrypted = any(each["kind"] == "Secret" for each in agent.objects) and secrets.known_digest(agent.secret_data) is None
    return secrets.rolling(manifest, digest) if digest and encrypted else manifest


def judged(key: Key, live: Json, answer: Answer) -> Change:
    """What happens to an object of the cluster, after the answer of the API server."""
    build = partial(Change, key=key, live=live)
    if not answer.accepted:
        if answer.fields and set(answer.fields) <= {*_IMMUTABLE.get(key.kind, ())}:
            return build(what="replaced", fields=list(dict.fromkeys(answer.fields)))
        return build(what="rejected", reason=answer.message)
    fields = list(differences(_content(live), _content(answer.accepted)))
    return build(what=_what(key.kind, live.get("spec", {}), answer.spec, fields), fields=fields)


def _what(kind: str, now: Json, then: Any, fields: Sequence[str]) -> What:
    if any(each.startswith(_REPLACING.get(kind, ())) for each in fields):
        return "replaced"
    if kind in WORKLOADS and now["template"] != then["template"]:
        return "restarted"
    if kind in WORKLOADS and now.get("replicas", 0) > then.get("replicas", 0):
        return "scaled-in"
    return "changed" if fields else "unchanged"


def _content(item: Any) -> Json:
    """What an applied object sets."""
    metadata = {
        part: {key: value for key, value in item["metadata"].get(part, {}).items() if not key.startswith(_OF_PULUMI)}
        for part in ("labels", "annotations")
    }
    return {key: value for key, value in item.items() if key not in ("metadata", "status")} | {"metadata": metadata}


def differences(one: Any, other: Any, path: str = "") -> Iterator[str]:
    """The paths of fields that differ. Items of a list are found by their names."""
    if isinstance(one, dict) and isinstance(other, dict):
        for key in sorted({*one, *other}):
            yield from differences(one.get(key), other.get(key), f"{path}{'' if key.startswith('[') or not path else '.'}{key}")
        return
    if isinstance(one, list) and isinstance(other, list):
        named, others = _by_name(one, other)
        if [name for name in named if name in others] == [name for name in others if name in named]:
            yield from differences(named, others, path)
            return
    if one != other:
        yield path


def _by_name(*lists: Sequence[Any]) -> list[Json]:
    """The items of lists by their names, or by their places if some have none of their own."""
    names = [[item.get("name") if isinstance(item, dict) else None for item in items] for items in lists]
    unique = all(None not in each and len(set(each)) == len(each) for each in names)
    keys = names if unique else [range(len(items)) for items in lists]
    return [{f"[{key}]": item for key, item in zip(each, items, strict=True)} for each, items in zip(keys, lists, strict=True)]


def _left_over(api: Api, needs: Needs, place: tuple[tuple[str, str], str]) -> Iterator[Change]:
    """Objects of a kind in a namespace that Pulumi made, and that the stack does not have."""
    (version, kind), namespace = place
    path = needs.resource({"apiVersion": version, "kind": kind, "metadata": {"namespace": namespace}})
    found = api.items(path, _OURS) if kind in WORKLOADS else api.items(path, _OURS, METADATA_OF_LIST)
    if isinstance(found, Hidden):
        return iter([Change(key=Key(kind, namespace, "*"), what="unknown", reason=found.reason)])
    keys = ((Key(kind, namespace, item["metadata"]["name"]), item) for item in found)
    return (Change(key=key, what="removed", live=item) for key, item in keys if key not in needs.own)


def followed(changes: Sequence[Change], needs: Needs) -> list[Change]:
    """The changes, with what follows from them: claims are replaced with their volume, and workloads with their claims."""
    volumes = {change.key.name: str(change.key) for change in changes if change.key.kind == _VOLUME and change.what == "replaced"}
    bound = {key: volumes.get(claim["spec"].get("volumeName", "")) for key, claim in needs.claims.items()}
    changes = [_together(change, bound.get(change.key)) for change in changes]
    claims = {change.key for change in changes if change.key.kind == _CLAIM and change.what == "replaced"}
    agents = ((agent, str(claim)) for agent in needs.stack.agents for claim in _mounted(agent) & claims)
    causes = {key_of(workload): claim for agent, claim in agents for workload in workloads(agent)}
    changes = [_together(change, causes.get(change.key)) for change in changes]
    return [*changes, *(claim for change in changes for claim in _claims_of_pods(change, needs))]


def _claims_of_pods(change: Change, needs: Needs) -> Iterator[Change]:
    """The claims that a StatefulSet has made and that Kubernetes deletes with it, or with some of its pods."""
    spec, key = change.live.get("spec", {}), change.key
    event = "whenScaled" if change.what == "scaled-in" else "whenDeleted"
    what: What
    policy = spec.get("persistentVolumeClaimRetentionPolicy", {}).get(event)
    if policy == "Delete" and change.what in ("replaced", "removed", "scaled-in"):
        kept = needs.own[key]["spec"].get("replicas", 1) if change.what == "scaled-in" else 0
        what, then = ("replaced", f"; {_EMPTY}") if change.what == "replaced" else ("removed", "")
        for claim in spec["volumeClaimTemplates"]:
            names = (f"{claim['metadata']['name']}-{key.name}-{number}" for number in range(kept, spec["replicas"]))
            yield from (Change(key=Key(_CLAIM, key.namespace, name), what=what, reason=f"together with {key}{then}") for name in names)


def _together(change: Change, cause: str | None) -> Change:
    is_there = bool(change.live) and change.what != "rejected"
    return replace(change, what="replaced", reason=f"together with {cause}") if cause and is_there else change


def _mounted(agent: AnyAgent) -> set[Key]:
    """The claims that the pods of an agent mount, those of runs among them."""
    specs = (template["spec"] for _, _, template in templates(agent.objects))
    return {Key(_CLAIM, agent.release.namespace, name) for spec in specs for name in claims_of(spec)}
