"""Stacks, and clusters that are ready for them, for the tests of doctor."""

from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from scalr_agents import stack
from scalr_agents.doctor import submissions
from scalr_agents.doctor.checks import examine
from scalr_agents.doctor.facts import Cluster, Content, Node
from scalr_agents.doctor.needs import Needs
from scalr_agents.doctor.objects import Command, DaemonSet, Definition, Manager, Namespace, Owned, StorageClass, Version, Volume
from scalr_agents.model.findings import errors
from scalr_agents.model.merge import Values, merge
from scalr_agents.stack.namespaces import enforced

from tests.helpers import samples

RUNS: Values = {"kind": "agent-job", "namespace": "scalr", "values": {"task": {"job": {"activeDeadlineSeconds": 60}}}}
MI = Decimal(2**20)
NODE = Node(
    name="node-a",
    labels={"pool": "a"},
    allocatable={"cpu": Decimal(8), "memory": 16384 * MI, "ephemeral-storage": 102400 * MI, "pods": Decimal(110)},
    kubelet="v1.36.3",
    runtime="containerd://2.1.4",
    drivers=frozenset({"efs.csi.aws.com"}),
)


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
    """A cluster that a stack works on, apart from these facts."""
    keys = {reference.key: reference.keys for reference in needs.references}
    registry = frozenset({"docker.io"})
    cluster = Cluster(
        version="v1.36.3",
        nodes=[NODE],
        allowed=dict.fromkeys([*needs.reviewed, *submissions.accesses(needs)], True),
        definitions={name: definition(*versions) for name, versions in needs.definitions.items()},
        namespaces={name: namespace(_level(needs, name)) for name in needs.namespaces},
        drivers=frozenset({"efs.csi.aws.com"}),
        classes=[storage_class("standard", default=True), storage_class("fast")],
        contents={
            key: Content(keys=needed, type="kubernetes.io/dockerconfigjson", registries=registry, phase="Bound")
            for key, needed in keys.items()
        },
        owners=dict.fromkeys(needs.own),
        releases=dict.fromkeys(needs.namespaces, frozenset()),
    )
    return replace(cluster, **facts)


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


def _of_helm(release: str) -> dict[str, str]:
    """The annotations of an object of a Helm release, `namespace/name`."""
    namespace, _, name = release.partition("/")
    return {"meta.helm.sh/release-namespace": namespace, "meta.helm.sh/release-name": name} if release else {}


def definition(*served: str, release: str = "", deleted: bool = False) -> Definition:
    return Definition(
        name="a",
        annotations=_of_helm(release),
        versions=tuple(Version(name=each, served=True) for each in served),
        deleted=datetime(2026, 5, 1, tzinfo=UTC) if deleted else None,
    )


def namespace(level: str = "", phase: str = "Active") -> Namespace:
    return Namespace(name="scalr", labels={"pod-security.kubernetes.io/enforce": level} if level else {}, phase=phase)


def storage_class(name: str, *, default: bool = False) -> StorageClass:
    return StorageClass(name=name, annotations={"storageclass.kubernetes.io/is-default-class": str(default).lower()})


def volume(storage_class: str, claim: str = "", phase: str = "Available") -> Volume:
    """A volume of a class, for a claim (`namespace/name`) or for any."""
    namespace, _, name = claim.partition("/")
    return Volume(name="v", storage_class=storage_class, claim_namespace=namespace, claim_name=name, phase=phase)


def daemon_set(name: str, *arguments: str) -> DaemonSet:
    return DaemonSet(name=name, containers=(Command(args=arguments),))
