"""Collects the facts about a cluster that a stack's needs call for, many requests at a time."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from typing import TypeVar

from scalr_agents.cluster import paths
from scalr_agents.cluster.answers import Answer, Found, Hidden, Seen, understood
from scalr_agents.cluster.api import METADATA, METADATA_OF_LIST, Api, at_once
from scalr_agents.cluster.objects import Object
from scalr_agents.cluster.view import View, read
from scalr_agents.doctor import reading
from scalr_agents.doctor.facts import Access, Cluster, Content, DaemonSet, Definition, Namespace, Owned, Owner, StorageClass, Volume
from scalr_agents.doctor.needs import Needs
from scalr_agents.doctor.reading import Driver, DriversOfNode, NodeAnswer, Occupant
from scalr_agents.doctor.submissions import Submission
from scalr_agents.model.manifests import Key

K = TypeVar("K")
T = TypeVar("T")
R = TypeVar("R")
Of = TypeVar("Of", bound=Object)


def collect(api: Api, needs: Needs, further: Iterable[Access] = ()) -> Cluster:
    """The facts. `further` are accesses to review beside those that deploying takes. Raises `ClusterError`."""
    kinds: list[type[Object]] = [NodeAnswer, Occupant, DriversOfNode, Driver, StorageClass, DaemonSet]
    view = read(api, [(kind, "") for kind in [*kinds, *([Volume] if needs.claims else [])]])
    with at_once() as pool:

        def each(read: Callable[[Api, K], T], keys: Iterable[K]) -> Mapping[K, Future[T]]:
            return {key: pool.submit(read, api, key) for key in keys}

        groups = pool.submit(api.get, "/apis")
        autoscaler = pool.submit(api.get, "/api/v1/namespaces/kube-system/configmaps/cluster-autoscaler-status", (), METADATA)
        allowed = each(is_allowed, dict.fromkeys([*needs.reviewed, *further]))
        definitions = each(_definition, needs.definitions)
        namespaces = each(_namespace, needs.namespaces)
        releases = each(_releases, needs.namespaces)
        contents = each(_content, [*(reference.key for reference in needs.references), *needs.claims])
        owners = {key: pool.submit(_owner, api, needs.path(manifest)) for key, manifest in needs.own.items()}
        return Cluster(
            version=view.version,
            groups=_seen(groups.result(), reading.groups),
            nodes=view.hidden(NodeAnswer) or reading.nodes(view),
            pods=view.hidden(Occupant),
            drivers_on_nodes=view.hidden(DriversOfNode),
            allowed=_known(allowed),
            definitions=_known(definitions),
            namespaces=_known(namespaces),
            drivers=view.hidden(Driver) or frozenset(driver.name for driver in view.of(Driver)),
            classes=_listed(view, StorageClass),
            volumes=_listed(view, Volume),
            contents=_known(contents),
            owners=_known(owners),
            releases=_known(releases),
            daemon_sets=_listed(view, DaemonSet),
            autoscaler=_seen(autoscaler.result(), lambda found: found is not None),
            notes=view.odd,
        )


def answers(api: Api, submissions: Sequence[Submission]) -> dict[str, Answer]:
    """What the API server answers to what is submitted, by its subject. Nothing is created. Raises `ClusterError`."""
    with at_once() as pool:
        given = pool.map(lambda each: api.dry_run(each.path, each.manifest, each.manager), submissions)
        return {each.subject: answer for each, answer in zip(submissions, given, strict=True)}


def _known(futures: Mapping[K, Future[T]]) -> dict[K, T]:
    return {key: future.result() for key, future in futures.items()}


def _seen(answer: T | Hidden, read: Callable[[T], R]) -> Seen[R]:
    return answer if isinstance(answer, Hidden) else read(answer)


def _listed(view: View, kind: type[Of]) -> Seen[Sequence[Of]]:
    return view.hidden(kind) or view.of(kind)


def is_allowed(api: Api, access: Access) -> Seen[bool]:
    """Whether the credential may do something, as the API server says."""
    if access.path:
        return api.review({"nonResourceAttributes": {"verb": access.verb, "path": access.path}})
    plural, _, subresource = access.resource.partition("/")
    attributes = {
        "verb": access.verb,
        "group": access.group,
        "resource": plural,
        "subresource": subresource,
        "namespace": access.namespace,
        "name": access.name,
    }
    return api.review({"resourceAttributes": attributes})


def _item(api: Api, kind: type[T], path: str, accept: str = "application/json") -> Found[T]:
    answer = api.get(path, (), accept)
    if not isinstance(answer, dict):
        return answer
    return understood(kind, answer)[0] or Hidden("the answer is not understood")


def _definition(api: Api, name: str) -> Found[Definition]:
    return _item(api, Definition, f"/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{name}")


def _namespace(api: Api, name: str) -> Found[Namespace]:
    return _item(api, Namespace, f"/api/v1/namespaces/{name}")


def _releases(api: Api, namespace: str) -> Seen[frozenset[str]]:
    """Names of Helm releases. Only the metadata of Helm's Secrets is read."""
    secrets = api.listed(Object, f"/api/v1/namespaces/{namespace}/secrets", [("labelSelector", "owner=helm")], METADATA_OF_LIST)
    return _seen(secrets, lambda found: frozenset(item.labels["name"] for item in found.items if "name" in item.labels))


def _content(api: Api, key: Key) -> Found[Content]:
    answer = api.get(f"/api/v1/namespaces/{key.namespace}/{paths.plural(key.kind)}/{key.name}")
    return reading.content(answer) if isinstance(answer, dict) else answer


def _owner(api: Api, path: str) -> Found[Owner]:
    found = _item(api, Owned, path, METADATA)
    return found.owner if isinstance(found, Owned) else found
