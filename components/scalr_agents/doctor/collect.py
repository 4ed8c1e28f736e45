"""Collects the facts about a cluster that a stack's needs call for. Values of Secrets and ConfigMaps are left behind here."""

import base64
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from functools import partial
from typing import Any

from scalr_agents.cluster import paths
from scalr_agents.cluster.answers import Answer, Found, Hidden, Json, Seen, mapping, parsed, text
from scalr_agents.cluster.api import Api, at_once
from scalr_agents.cluster.objects import METADATA, Object
from scalr_agents.cluster.view import View, read
from scalr_agents.doctor import objects
from scalr_agents.doctor.facts import Access, Cluster, Content, Node
from scalr_agents.doctor.needs import Needs
from scalr_agents.doctor.submissions import Submission
from scalr_agents.model import requests
from scalr_agents.model.manifests import Key

_KINDS: Sequence[type[Object]] = (
    objects.Node,
    objects.Occupant,
    objects.DriversOfNode,
    objects.Driver,
    objects.StorageClass,
    objects.Volume,
    objects.DaemonSet,
)
"""What is listed in the whole cluster."""
_AUTOSCALER = "/api/v1/namespaces/kube-system/configmaps/cluster-autoscaler-status"
_DOCKER = {".dockerconfigjson": ("auths",), ".dockercfg": ()}
"""Keys of pull secrets, and where the registries are in them."""


def collect(api: Api, needs: Needs, further: Iterable[Access] = ()) -> Cluster:
    """The facts. `further` are accesses to review beside those that deploying takes. Raises `ClusterError`."""
    definitions = {name: f"/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{name}" for name in needs.definitions}
    namespaces = {name: f"/api/v1/namespaces/{name}" for name in needs.namespaces}
    own = {key: paths.path(manifest) for key, manifest in needs.own.items()}
    view = read(
        api,
        [*((kind, "") for kind in _KINDS), *((objects.Release, namespace) for namespace in needs.namespaces)],
        dict.fromkeys(definitions.values(), objects.Definition)
        | dict.fromkeys(namespaces.values(), objects.Namespace)
        | dict.fromkeys(own.values(), objects.Owned),
    )
    accesses = list(dict.fromkeys([*needs.reviewed, *further]))
    named = [*(reference.key for reference in needs.references), *needs.claims]
    with at_once() as pool:
        groups, autoscaler = pool.apply_async(api.get, ("/apis",)), pool.apply_async(api.get, (_AUTOSCALER, (), METADATA))
        allowed, contents = pool.imap(partial(is_allowed, api), accesses), pool.imap(partial(_content, api), named)
        return Cluster(
            version=view.version,
            groups=_groups(groups.get()),
            nodes=view.hidden(objects.Node) or nodes(view),
            pods=view.hidden(objects.Occupant),
            drivers_on_nodes=view.hidden(objects.DriversOfNode),
            allowed=dict(zip(accesses, allowed, strict=True)),
            definitions={name: view.objects[path] for name, path in definitions.items()},
            namespaces={name: view.objects[path] for name, path in namespaces.items()},
            drivers=view.hidden(objects.Driver) or frozenset(driver.name for driver in view.of(objects.Driver)),
            classes=view.seen(objects.StorageClass),
            volumes=view.seen(objects.Volume),
            contents=dict(zip(named, contents, strict=True)),
            owners={key: view.objects[path] for key, path in own.items()},
            releases={namespace: view.hidden(objects.Release, namespace) or _releases(view, namespace) for namespace in needs.namespaces},
            daemon_sets=view.seen(objects.DaemonSet),
            autoscaler=_is_there(autoscaler.get()),
            notes=view.odd,
        )


def answers(api: Api, submissions: Sequence[Submission]) -> dict[str, Answer]:
    """What the API server answers to what is submitted, by its subject. Nothing is created. Raises `ClusterError`."""
    with at_once() as pool:
        given = pool.map(lambda each: api.dry_run(each.path, each.manifest, each.manager), submissions)
    return {each.subject: answer for each, answer in zip(submissions, given, strict=True)}


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


def nodes(view: View) -> list[Node]:
    """The nodes with what runs on them. Placeholders have a negative priority and make room for any of our pods."""
    requested = defaultdict[str, list[Mapping[str, Decimal]]](list)
    for pod in view.of(objects.Occupant):
        if pod.node and pod.priority >= 0:
            requested[pod.node].append(pod.requests)
    drivers = {each.name: frozenset(driver.name for driver in each.drivers or ()) for each in view.of(objects.DriversOfNode)}
    return [
        Node(
            name=each.name,
            labels=each.labels,
            taints=each.taints,
            allocatable=requests.amounts(each.allocatable),
            requested=requests.added(requested[each.name]),
            kubelet=each.kubelet,
            runtime=each.runtime,
            drivers=drivers.get(each.name, frozenset()),
        )
        for each in view.of(objects.Node)
    ]


def _releases(view: View, namespace: str) -> frozenset[str]:
    """Names of Helm releases."""
    return frozenset(each.labels["name"] for each in view.of(objects.Release, namespace) if "name" in each.labels)


def _groups(answer: Found[Json]) -> Seen[frozenset[str]]:
    """The API groups that are served."""
    if isinstance(answer, Hidden):
        return answer
    found = (answer or {}).get("groups")
    return frozenset(text(group, "name") for group in found) if isinstance(found, list) else frozenset()


def _is_there(answer: Found[Json]) -> Seen[bool]:
    return answer if isinstance(answer, Hidden) else answer is not None


def _content(api: Api, key: Key) -> Found[Content]:
    answer = api.get(f"/api/v1/namespaces/{key.namespace}/{paths.plural(key.kind)}/{key.name}")
    return content(answer) if isinstance(answer, dict) else answer


def content(item: Json) -> Content:
    """What is kept of an object that pods name."""
    data = {**mapping(item, "data"), **mapping(item, "binaryData")}
    return Content(
        keys=frozenset(data),
        type=text(item, "type"),
        registries=frozenset(_registries(data)),
        phase=text(item, "status", "phase"),
    )


def _registries(data: Mapping[str, Any]) -> Iterator[str]:
    """The registries of a pull secret. What is not readable says nothing: it may be in a form that only its registry's helper knows."""
    for key, within in _DOCKER.items():
        try:
            yield from mapping(parsed(base64.b64decode(data.get(key, ""))), *within)
        except (ValueError, TypeError):
            continue
