"""What the API server itself says to the stack's objects, and to a pod and a Job like each that they make, in a dry run.

An object is applied as Pulumi does it, so that one that exists is no conflict. Pods and Jobs are created: what refuses pods (Pod Security,
quotas, LimitRanges, policies and webhooks) does not see them in a Deployment or a task.
"""

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from scalr_agents import output
from scalr_agents.cluster import paths
from scalr_agents.cluster.answers import Answer, Found, Hidden
from scalr_agents.cluster.api import Api, at_once
from scalr_agents.doctor import error, note, warning
from scalr_agents.doctor.facts import Access, Cluster
from scalr_agents.doctor.needs import Needs, Pod, definition_of
from scalr_agents.doctor.objects import Owned
from scalr_agents.doctor.permissions import ungranted
from scalr_agents.model import quantities
from scalr_agents.model.findings import Findings
from scalr_agents.model.manifests import Key, Manifest, key_of
from scalr_agents.model.texts import listed
from scalr_agents.stack.namespaces import enforced

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
_REFUSED = (HTTPStatus.BAD_REQUEST, HTTPStatus.FORBIDDEN, HTTPStatus.UNPROCESSABLE_ENTITY)
_BEGINNING = re.compile(r'^\S+ "[^"]*" is (?:forbidden|invalid): ')
"""What every refusal begins with: the object, which is the finding's subject. Names of pods are random."""
_LONGEST = 500
_POD_SECURITY = "violates PodSecurity"
_EXCEEDED = re.compile(r"exceeded quota: \S+, requested: (\S+), used: \S+, limited: (\S+)$")


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
    may_grant = not ungranted(needs, cluster.allowed)
    for each in _all(needs, cluster):
        reason = _why_not_judged(each, needs, cluster, may_grant=may_grant)
        if reason:
            left_out[reason].append(each.subject)
        else:
            found.append(each)
    return found, left_out


def _all(needs: Needs, cluster: Cluster) -> Iterator[Submission]:
    for manifest in needs.objects:
        if manifest["kind"] not in _NOT_SUBMITTED:
            manager = manager_of(cluster.existing(manifest))
            yield Submission(key_of(manifest).place, paths.path(manifest), _without_secrets(manifest), manager)
    for pod in needs.pods:
        made = [(pod.called, _pod(pod, needs, cluster)), *([(f"Job for {pod.called}", _job(pod))] if pod.is_task else ())]
        yield from (Submission(subject, paths.resource(manifest), manifest) for subject, manifest in made)


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
    spec = dict(pod.spec)
    for kind, namespace, field, instead in (
        ("ServiceAccount", pod.namespace, "serviceAccountName", {"serviceAccountName": "default"}),
        ("PriorityClass", "", "priorityClassName", {}),
    ):
        made = needs.own.get(Key(kind, namespace, str(spec.get(field))))
        if made and not isinstance(cluster.existing(made), Owned):
            del spec[field]
            spec |= instead
    return spec


def _why_not_judged(each: Submission, needs: Needs, cluster: Cluster, *, may_grant: bool) -> str:
    """Why the API server cannot judge an object yet. Empty if it can, as far as that is known."""
    manifest = each.manifest
    verbs = ("create", "patch") if each.manager else ("create",)
    group, plural = paths.group(manifest), paths.plural(manifest["kind"])
    may_create = all(cluster.allowed.get(Access(verb, group, plural, each.namespace)) is True for verb in verbs)
    if not may_create or (manifest["kind"] in _ROLES and not may_grant):
        return "you may not create them: docs/doctor.md#what-it-cannot-see"
    namespace = cluster.namespace(each.namespace)
    if each.namespace and (namespace is None or (not isinstance(namespace, Hidden) and namespace.terminating)):
        return "their namespace is not there"
    name, version = definition_of(manifest)
    definition = cluster.definition(name)
    is_served = isinstance(definition, Hidden) or (definition is not None and version in definition.served)
    if name in needs.definitions and not is_served:
        return "their definition is not there yet"
    return "some of their values are known only to Pulumi, the cloud or the cluster" if output.unknown([manifest]) else ""


def submit(api: Api, needs: Needs, cluster: Cluster) -> dict[str, Answer]:
    """What the API server answers to what is submitted, by its subject. Nothing is created. Raises `ClusterError`."""
    submissions = planned(needs, cluster)[0]
    with at_once() as pool:
        given = pool.map(lambda each: api.dry_run(each.path, each.manifest, each.manager), submissions)
    return {each.subject: answer for each, answer in zip(submissions, given, strict=True)}


def check(needs: Needs, cluster: Cluster) -> Findings:
    submitted, left_out = planned(needs, cluster)
    for reason, subjects in left_out.items():
        yield note("dry run", f"the API server cannot judge {listed(subjects)}: {reason}")
    warned = defaultdict[str, list[str]](list)
    for each in submitted:
        answer = cluster.answers.get(each.subject)
        if answer and answer.message:
            yield from _refused(each, answer, needs, cluster)
        for text in answer.warnings if answer else ():
            warned[text].append(each.subject)
    for text, subjects in warned.items():
        yield note(listed(subjects), f"the API server warns: {_cut(text)}")


def _refused(each: Submission, answer: Answer, needs: Needs, cluster: Cluster) -> Findings:
    message = _cut(_BEGINNING.sub("", answer.message))
    if answer.status == HTTPStatus.NOT_FOUND or (_POD_SECURITY in message and _will_change(each.namespace, needs, cluster)):
        return  # what it names has a finding of its own; a level that changes, too
    refused = f"refused by the API server: {message}"
    if answer.status not in _REFUSED:
        advice = "Run doctor again; if the error persists, pulumi up or a run would also fail"
        yield warning(each.subject, f"the API server cannot judge now: {message}", advice)
    elif answer.status == HTTPStatus.UNPROCESSABLE_ENTITY and each.manager not in ("", MANAGER):
        advice = "pulumi preview says whether it replaces the object, as it does if a field cannot change. Otherwise correct the values"
        yield warning(each.subject, refused, advice)
    elif _has_no_room_now(message):
        yield warning(each.subject, refused, "Raise the quota, or wait until other pods have ended")
    else:
        yield error(
            each.subject, refused, "Change the agent's values, or ask the cluster's administrator to change the rule that rejects it"
        )


def _has_no_room_now(message: str) -> bool:
    """Whether a quota refuses it only because of what is there already."""
    found = _EXCEEDED.search(message)
    if not found:
        return False
    requested, limited = (dict(each.partition("=")[::2] for each in text.split(",")) for text in found.groups())
    known = requested.keys() == limited.keys() and all(map(quantities.is_quantity, (*requested.values(), *limited.values())))
    return known and all(quantities.parse(amount) <= quantities.parse(limited[name]) for name, amount in requested.items())


def _will_change(namespace: str, needs: Needs, cluster: Cluster) -> bool:
    """Whether pulumi up gives a namespace another Pod Security level. `check` compares pods with that one."""
    entry, found = needs.stack.namespaces.get(namespace), cluster.namespace(namespace)
    if entry is None or found is None or isinstance(found, Hidden):
        return False
    return entry.create and found.level != enforced(entry)


def _cut(message: str) -> str:
    """A message of the server or of a webhook in one line, and not too long."""
    text = " ".join(message.split())
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."
