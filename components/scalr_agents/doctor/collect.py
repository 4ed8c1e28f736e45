"""Collects the facts about a cluster that a stack's needs call for, many requests at a time."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from scalr_agents.cluster import paths
from scalr_agents.cluster.answers import Answer, Found, Hidden, Json, Seen
from scalr_agents.cluster.api import AT_ONCE, METADATA, METADATA_OF_LIST, Api
from scalr_agents.doctor import reading
from scalr_agents.doctor.facts import Access, Cluster, Content, Definition, Namespace, Node, Owner
from scalr_agents.doctor.needs import Needs
from scalr_agents.doctor.submissions import Submission
from scalr_agents.model.manifests import Key

K = TypeVar("K")
T = TypeVar("T")
R = TypeVar("R")

_RUNNING = [("fieldSelector", "status.phase!=Succeeded,status.phase!=Failed")]


def collect(api: Api, needs: Needs, further: Iterable[Access] = ()) -> Cluster:
    """The facts. `further` are accesses to review beside those that deploying takes. Raises `ClusterError`."""
    version = api.get("/version")  # first and alone, so that a cluster that cannot be reached is found once
    asked = dict.fromkeys([*needs.reviewed, *further])
    with ThreadPoolExecutor(AT_ONCE) as pool:

        def each(read: Callable[[Api, K], T], keys: Iterable[K]) -> Mapping[K, Future[T]]:
            return {key: pool.submit(read, api, key) for key in keys}

        try:
            nodes, groups = pool.submit(api.items, "/api/v1/nodes"), pool.submit(api.get, "/apis")
            pods = pool.submit(api.items, "/api/v1/pods", _RUNNING)
            csi_nodes = pool.submit(api.items, "/apis/storage.k8s.io/v1/csinodes")
            drivers = pool.submit(api.items, "/apis/storage.k8s.io/v1/csidrivers")
            classes = pool.submit(api.items, "/apis/storage.k8s.io/v1/storageclasses")
            volumes = pool.submit(api.items, "/api/v1/persistentvolumes") if needs.claims else None
            daemon_sets = pool.submit(api.items, "/apis/apps/v1/daemonsets")
            autoscaler = pool.submit(api.get, "/api/v1/namespaces/kube-system/configmaps/cluster-autoscaler-status", (), METADATA)
            allowed = each(is_allowed, asked)
            definitions = each(_definition, needs.definitions)
            namespaces = each(_namespace, needs.namespaces)
            releases = each(_releases, needs.namespaces)
            contents = each(_content, [*(reference.key for reference in needs.references), *needs.claims])
            owners = {key: pool.submit(_owner, api, needs.path(manifest)) for key, manifest in needs.own.items()}
            return Cluster(
                version=version["gitVersion"] if isinstance(version, dict) else "",
                groups=_seen(groups.result(), reading.groups),
                nodes=_completed(nodes.result(), pods.result(), csi_nodes.result()),
                pods=_why_hidden(pods.result()),
                drivers_on_nodes=_why_hidden(csi_nodes.result()),
                allowed=_known(allowed),
                definitions=_known(definitions),
                namespaces=_known(namespaces),
                drivers=_seen(drivers.result(), lambda items: frozenset(item["metadata"]["name"] for item in items)),
                classes=_seen(classes.result(), lambda items: [reading.storage_class(item) for item in items]),
                volumes=_seen(volumes.result(), lambda items: [reading.volume(item) for item in items]) if volumes else (),
                contents=_known(contents),
                owners=_known(owners),
                releases=_known(releases),
                daemon_sets=_seen(daemon_sets.result(), lambda items: [reading.daemon_set(item) for item in items]),
                autoscaler=_seen(autoscaler.result(), lambda found: found is not None),
            )
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


def answers(api: Api, submissions: Sequence[Submission]) -> dict[str, Answer]:
    """What the API server answers to what is submitted, by its subject. Nothing is created. Raises `ClusterError`."""
    with ThreadPoolExecutor(AT_ONCE) as pool:
        given = pool.map(lambda each: api.dry_run(each.path, each.manifest, each.manager), submissions)
        return {each.subject: answer for each, answer in zip(submissions, given, strict=True)}


def _known(futures: Mapping[K, Future[T]]) -> dict[K, T]:
    return {key: future.result() for key, future in futures.items()}


def _seen(answer: T | Hidden, read: Callable[[T], R]) -> Seen[R]:
    return answer if isinstance(answer, Hidden) else read(answer)


def _why_hidden(answer: object) -> Hidden | None:
    return answer if isinstance(answer, Hidden) else None


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


def _completed(nodes: Seen[list[Json]], pods: Seen[list[Json]], csi_nodes: Seen[list[Json]]) -> Seen[list[Node]]:
    """The nodes with what runs on them."""
    if isinstance(nodes, Hidden):
        return nodes
    known = [] if isinstance(pods, Hidden) else pods
    return reading.with_drivers(
        reading.with_pods([reading.node(item) for item in nodes], known), [] if isinstance(csi_nodes, Hidden) else csi_nodes
    )


def _definition(api: Api, name: str) -> Found[Definition]:
    return _found(api.get(f"/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{name}"), reading.definition)


def _namespace(api: Api, name: str) -> Found[Namespace]:
    return _found(api.get(f"/api/v1/namespaces/{name}"), reading.namespace)


def _releases(api: Api, namespace: str) -> Seen[frozenset[str]]:
    """Names of Helm releases. Only the metadata of Helm's Secrets is read."""
    secrets = api.items(f"/api/v1/namespaces/{namespace}/secrets", [("labelSelector", "owner=helm")], METADATA_OF_LIST)
    return _seen(
        secrets, lambda items: frozenset(item["metadata"]["labels"]["name"] for item in items if "name" in item["metadata"]["labels"])
    )


def _content(api: Api, key: Key) -> Found[Content]:
    return _found(api.get(f"/api/v1/namespaces/{key.namespace}/{paths.plural_of(key.kind)}/{key.name}"), reading.content)


def _owner(api: Api, path: str) -> Found[Owner]:
    return _found(api.get(path, (), METADATA), reading.owner)


def _found(answer: Found[Json], read: Callable[[Json], T]) -> Found[T]:
    return read(answer) if isinstance(answer, dict) else answer
