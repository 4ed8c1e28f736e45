"""Stacks, and clusters that are ready for them, for the tests of doctor."""

from collections.abc import Sequence
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from scalr_agents import stack
from scalr_agents.cluster import paths
from scalr_agents.cluster.answers import Hidden, Listed
from scalr_agents.cluster.objects import Named, Object
from scalr_agents.cluster.view import View
from scalr_agents.doctor import dry_run, objects, permissions
from scalr_agents.doctor.command import examine
from scalr_agents.doctor.facts import AUTOSCALER, GROUPS, LISTED, Cluster, path_of, path_of_definition
from scalr_agents.doctor.needs import Needs, Reference
from scalr_agents.doctor.objects import Claim, Content, DaemonSet, Definition, Manager, Namespace, Owned, Release, StorageClass, Volume
from scalr_agents.model.findings import errors
from scalr_agents.model.manifests import Key
from scalr_agents.model.maps import Values, merge
from scalr_agents.stack.namespaces import enforced

from tests.helpers import samples

RUNS: Values = {"kind": "agent-job", "namespace": "scalr", "values": {"task": {"job": {"activeDeadlineSeconds": 60}}}}
MI = Decimal(2**20)
NODE = objects.Node(
    name="node-a",
    labels={"pool": "a"},
    allocatable={"cpu": Decimal(8), "memory": 16384 * MI, "ephemeral-storage": 102400 * MI, "pods": Decimal(110)},
    kubelet="v1.36.3",
    runtime="containerd://2.1.4",
)
EFS = Named(name="efs.csi.aws.com")
_LISTS = dict(zip(("nodes", "pods", "drivers_on_nodes", "drivers", "classes", "volumes", "daemon_sets"), LISTED, strict=True))
"""What a fact of the tests lists."""


def needs_of(config: dict[str, Any] | None = None, **runs: Any) -> Needs:
    """What a stack with one agent needs: `runs` are changes of the agent, `config` keys of the stack file."""
    given = {
        "common": {"url": samples.URL},
        "namespaces": {"scalr": {"podSecurity": "restricted"}},
        "agents": {"runs": merge(RUNS, runs)},
    }
    loaded = stack.load({**given, **(config or {})}, directory=samples.REPOSITORY, demand_tokens=False)
    assert errors(loaded.findings) == []
    return Needs.of(loaded)


def ready(needs: Needs, **facts: Any) -> Cluster:
    """A cluster that a stack works on, apart from these facts: lists, or what is there by its key or name."""
    listed: dict[str, Any] = {
        "nodes": [NODE],
        "drivers": [objects.Driver(name=EFS.name)],
        "drivers_on_nodes": [objects.DriversOfNode(name=NODE.name, drivers=(EFS,))],
        "classes": [storage_class("standard", default=True), storage_class("fast")],
    }
    lists: dict[tuple[type[Object], str], Any] = {(kind, ""): facts.get(word, listed.get(word, ())) for word, kind in _LISTS.items()}
    lists |= {(Release, name): facts.get("releases", {}).get(name, ()) for name in needs.namespaces}
    named: dict[str, Any] = {path_of(each.key): _as_named(each) for each in needs.references}
    named |= {path_of(Key("Namespace", "", name)): namespace(_level(needs, name)) for name in needs.namespaces}
    named |= {path_of_definition(name): definition(*versions) for name, versions in needs.definitions.items()}
    named |= {path_of_definition(name): found for name, found in facts.get("definitions", {}).items()}
    named |= {path_of(Key("Namespace", "", name)): found for name, found in facts.get("namespaces", {}).items()}
    named |= {path_of(key): found for key, found in facts.get("contents", {}).items()}
    owners = {paths.path(needs.own[key]): found for key, found in facts.get("owners", {}).items()}
    reviewed = [*permissions.reviewed(needs), *dry_run.accesses(needs)]
    return Cluster(
        view=View(
            at=datetime(2026, 5, 1, tzinfo=UTC),
            version=facts.get("version", "v1.36.3"),
            lists={key: found if isinstance(found, Hidden) else Listed(found) for key, found in lists.items()},
            objects={
                GROUPS: facts.get("groups", objects.Groups()),
                AUTOSCALER: None,
                **dict.fromkeys(map(paths.path, needs.own.values())),
                **owners,
                **named,
            },
        ),
        allowed=dict.fromkeys(reviewed, True) | facts.get("allowed", {}),
        answers=facts.get("answers", {}),
    )


def _as_named(reference: Reference) -> Content | Claim:
    """What pods name, as they need it."""
    if reference.key.kind == "PersistentVolumeClaim":
        return claim("Bound")
    return content(*reference.keys, of="kubernetes.io/dockerconfigjson", registries=["docker.io"])


def _level(needs: Needs, namespace: str) -> str:
    entry = needs.stack.namespaces.get(namespace)
    return (enforced(entry) or "") if entry else ""


def found(needs: Needs, cluster: Cluster) -> list[str]:
    """The errors and warnings, as they are printed."""
    return [str(finding) for finding in examine(needs, cluster) if finding.severity != "note"]


def notes(needs: Needs, cluster: Cluster) -> list[str]:
    return [str(finding) for finding in examine(needs, cluster) if finding.severity == "note"]


def owned(release: str = "", *managers: str) -> Owned:
    return Owned(name="a", annotations=_of_helm(release), managed_fields=tuple(Manager(manager=each) for each in managers))


def content(*keys: str, of: str = "", registries: Sequence[str] = ()) -> Content:
    """A Secret or ConfigMap with these keys, of a type."""
    return Content(name="a", data=frozenset(keys), type=of, registries=frozenset(registries))


def claim(phase: str) -> Claim:
    return Claim(name="a", phase=phase, managed_fields=(Manager(manager="pulumi-kubernetes-1a2b"),))


def _of_helm(release: str) -> dict[str, str]:
    """The annotations of an object of a Helm release, `namespace/name`."""
    namespace, _, name = release.partition("/")
    return {"meta.helm.sh/release-namespace": namespace, "meta.helm.sh/release-name": name} if release else {}


def definition(*served: str, release: str = "", deleted: bool = False) -> Definition:
    return Definition(
        name="a",
        annotations=_of_helm(release),
        versions=tuple(objects.Version(name=each, served=True) for each in served),
        deleted=datetime(2026, 5, 1, tzinfo=UTC) if deleted else None,
    )


def namespace(level: str = "", phase: str = "Active") -> Namespace:
    return Namespace(name="scalr", labels={"pod-security.kubernetes.io/enforce": level} if level else {}, phase=phase)


def groups(*names: str) -> objects.Groups:
    return objects.Groups(groups=tuple(Named(name=each) for each in names))


def occupant(node: str, **requests: str) -> objects.Occupant:
    return objects.Occupant(name="a", node=node, containers=(objects.Request(requests=requests),))


def release(name: str) -> Release:
    """What Helm keeps of a release."""
    return Release(name="a", labels={"name": name})


def storage_class(name: str, *, default: bool = False) -> StorageClass:
    return StorageClass(name=name, annotations={"storageclass.kubernetes.io/is-default-class": str(default).lower()})


def volume(storage_class: str, claim: str = "", phase: str = "Available") -> Volume:
    """A volume of a class, for a claim (`namespace/name`) or for any."""
    namespace, _, name = claim.partition("/")
    return Volume(name="v", storage_class=storage_class, claim_namespace=namespace, claim_name=name, phase=phase)


def daemon_set(name: str, *arguments: str) -> DaemonSet:
    return DaemonSet(name=name, containers=(objects.Command(args=arguments),))
