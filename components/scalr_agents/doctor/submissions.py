"""What doctor submits to the API server with a dry run: the stack's objects, and a pod and a Job like each that they make.

An object is applied as Pulumi does it, so that one that exists is no conflict. Pods and Jobs are created: what refuses pods does not see
them in a Deployment or a task.
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from scalr_agents import output
from scalr_agents.cluster import paths
from scalr_agents.cluster.answers import Found, Hidden
from scalr_agents.doctor.facts import Access, Cluster
from scalr_agents.doctor.needs import Needs, Pod, definition_of
from scalr_agents.doctor.objects import Definition, Namespace, Owned
from scalr_agents.model.manifests import Key, Manifest, key_of

MANAGER = "scalr-agents-doctor"
"""Field manager of objects that Pulumi has not applied yet."""
_NOT_SUBMITTED = ("CustomResourceDefinition", "RoleBinding", "ClusterRoleBinding")
"""Definitions are patched, not applied; a binding is refused as long as its role is not there."""
_ROLES = ("Role", "ClusterRole")
_CONTENT = "placeholder"
"""In place of all content of Secrets."""
_MAKERS = {"Deployment": "ReplicaSet", "StatefulSet": "StatefulSet", "DaemonSet": "DaemonSet"}
"""What creates the pods of a workload."""
_NO_UID = "00000000-0000-0000-0000-000000000000"


@dataclass(frozen=True)
class Submission:
    """An object to submit."""

    subject: str
    """What messages call it; unique in a stack."""
    path: str
    """Path of the object, or of its resource if it is created."""
    manifest: Manifest
    manager: str = ""
    """Field manager to apply it as; empty if it is created."""

    @property
    def namespace(self) -> str:
        """Its namespace; empty for the cluster."""
        return str(self.manifest["metadata"].get("namespace", ""))


def accesses(needs: Needs) -> list[Access]:
    """What submitting pods and Jobs takes, beside what deploying takes."""
    needed = [Access("create", "", "pods", pod.namespace) for pod in needs.pods]
    return list(dict.fromkeys([*needed, *(Access("create", "batch", "jobs", pod.namespace) for pod in needs.pods if pod.is_task)]))


def planned(needs: Needs, cluster: Cluster) -> tuple[list[Submission], dict[str, list[str]]]:
    """What can be judged before anything is there, and the subjects of what cannot, by the reason."""
    found, left_out = [], defaultdict[str, list[str]](list)
    for each in _all(needs, cluster):
        reason = _why_not_judged(each, needs, cluster)
        if reason:
            left_out[reason].append(each.subject)
        else:
            found.append(each)
    return found, left_out


def _all(needs: Needs, cluster: Cluster) -> Iterator[Submission]:
    for manifest in needs.objects:
        if manifest["kind"] not in _NOT_SUBMITTED:
            yield _applied(manifest, cluster)
    for pod in needs.pods:
        made = [(pod.called, _pod(pod, needs, cluster)), *([(f"Job for {pod.called}", _job(pod))] if pod.is_task else ())]
        yield from (Submission(subject, paths.resource(manifest), manifest) for subject, manifest in made)


def _applied(manifest: Manifest, cluster: Cluster) -> Submission:
    key = key_of(manifest)
    return Submission(key.place, paths.path(manifest), _without_secrets(manifest), manager_of(cluster.owners.get(key)))


def manager_of(found: Found[Owned]) -> str:
    """The field manager as which Pulumi would apply an object."""
    return (found.pulumi if isinstance(found, Owned) else "") or MANAGER


def _without_secrets(manifest: Manifest) -> Manifest:
    if manifest["kind"] != "Secret":
        return manifest
    kept = {key: value for key, value in manifest.items() if key not in ("data", "stringData")}
    return {**kept, "stringData": {key: _CONTENT for part in ("data", "stringData") for key in manifest.get(part, ())}}


def _pod(pod: Pod, needs: Needs, cluster: Cluster) -> Manifest:
    """A pod as its controller would create it, also with an owner, which some policies ask for."""
    metadata, name = pod.template["metadata"], pod.maker["metadata"]["name"]
    kind = _MAKERS.get(pod.kind, "Job")
    owner = {"apiVersion": "batch/v1" if kind == "Job" else "apps/v1", "kind": kind, "name": name, "uid": _NO_UID, "controller": True}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {**metadata, "generateName": f"{name}-", "namespace": pod.namespace, "ownerReferences": [owner]},
        "spec": _of_what_exists(pod, needs, cluster),
    }


def _job(pod: Pod) -> Manifest:
    template = pod.maker["spec"]["jobTemplate"]
    metadata = {**template.get("metadata", {}), "generateName": f"{pod.maker['metadata']['name']}-", "namespace": pod.namespace}
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "spec": template["spec"]}


def _of_what_exists(pod: Pod, needs: Needs, cluster: Cluster) -> dict[str, Any]:
    """The spec of a pod without the account and the classes that the stack has yet to make, for which the API server would refuse it."""

    def missing(kind: str, namespace: str, name: object) -> bool:
        key = Key(kind, namespace, str(name))
        return key in needs.own and not isinstance(cluster.owners.get(key), Owned)

    spec = dict(pod.spec)
    if missing("ServiceAccount", pod.namespace, spec.get("serviceAccountName")):
        spec["serviceAccountName"] = "default"
    if missing("PriorityClass", "", spec.get("priorityClassName")):
        del spec["priorityClassName"]
    return spec


def _why_not_judged(each: Submission, needs: Needs, cluster: Cluster) -> str:
    """Why the API server cannot judge an object yet. Empty if it can, as far as that is known."""
    manifest = each.manifest
    verbs = ("create", "patch") if each.manager else ("create",)
    group, plural = paths.group(manifest), paths.plural(manifest["kind"])
    may_create = all(cluster.allowed.get(Access(verb, group, plural, each.namespace)) is True for verb in verbs)
    if not may_create or (manifest["kind"] in _ROLES and needs.ungranted(cluster.allowed)):
        return "you may not create them: docs/doctor.md#what-it-cannot-see"
    namespace = cluster.namespaces.get(each.namespace)
    if each.namespace and (namespace is None or (isinstance(namespace, Namespace) and namespace.terminating)):
        return "their namespace is not there"
    name, version = definition_of(manifest)
    definition = cluster.definitions.get(name)
    is_served = version in definition.served if isinstance(definition, Definition) else isinstance(definition, Hidden)
    if name in needs.definitions and not is_served:
        return "their definition is not there yet"
    return "some of their values are known only to Pulumi, the cloud or the cluster" if output.unknown([manifest]) else ""
