"""Steps besides `pulumi up`, because of what Helm created in another way, or leaves behind."""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from scalr_agents.charts.shared.agent import AnyAgent
from scalr_agents.model.manifests import Manifest
from scalr_agents.model.maps import lookup
from scalr_agents.model.release import COMPONENT
from scalr_agents.model.texts import shell_word
from scalr_agents.stack.model import PREFIX

_FORGET = (
    "del((.items[]? // .).metadata | "
    '(.managedFields[]? | select((.subresource or (.manager // "" | test("^(pulumi-kubernetes|kube-)"))) | not)), '
    '.labels["helm.sh/chart"], .annotations["meta.helm.sh/release-name", "meta.helm.sh/release-namespace"])'
)
"""A jq filter that removes what the release's installer and the earlier steps left in the metadata of objects.

Helm's managed fields have the name of the program that embeds Helm. Those of Pulumi and of the control plane stay.
"""


class Step(NamedTuple):
    """A command, and why it is needed."""

    why: str
    command: str


def before(agent: AnyAgent, plain: Collection[str], manifest: Sequence[Manifest] = ()) -> Iterator[Step]:
    """Steps without which the API server would reject an object.

    `plain` are the variables of the Deployment that are in plain text in Helm's objects and become secret. `manifest` has the objects
    that Helm created, if they are known.
    """
    release = agent.release
    handover = agent.row.handover
    workloads = [made for made in agent.objects if made["kind"] in ("Deployment", "DaemonSet")]
    if handover.selectors:
        names = " ".join(f"{made['kind'].lower()}/{made['metadata']['name']}" for made in workloads)
        why = "selectors differ and are immutable: pulumi up creates these again; the old pods finish their runs first"
        yield Step(why, f"kubectl delete {names} -n {release.namespace}")
    for made in [] if handover.selectors else workloads:
        if patch := _out_of_secret(made, release.names.env_secret, plain):
            why = f"plain text becomes a reference to a Secret: new pods wait until pulumi up creates it; {_old_pods(made)}"
            yield Step(why, _patch("deployment", made, patch, "strategic"))
        if patch := _other_volumes(made, manifest):
            why = "the volume type differs from Helm's: this replaces the pods, and pulumi up replaces them again"
            yield Step(why, _patch("deployment", made, patch, "strategic"))
    for made in agent.objects if handover.task_budget else []:
        if made["kind"] == "PodDisruptionBudget" and made["metadata"]["labels"].get(COMPONENT) == "task":
            least = made["spec"]["minAvailable"]
            why = "a budget can have only one of minAvailable and maxUnavailable, and Helm has set the other one"
            yield Step(why, _patch("poddisruptionbudget", made, {"spec": {"maxUnavailable": None, "minAvailable": least}}, "merge"))


def after(agent: AnyAgent) -> Iterator[Step]:
    """Steps that remove what Helm leaves behind."""
    release = agent.release
    handover = agent.row.handover
    tasks = release.line.task_resource
    for made in agent.objects:
        if tasks and made["kind"] == tasks.kind and handover.job_restart_policy:
            patch = {"spec": {"jobTemplate": {"spec": {"restartPolicy": None}}}}
            yield Step("remove a field that Jobs do not have", _patch(tasks.crd_name, made, patch, "merge"))
    if handover.idle_policy and not any(made["kind"] == "NetworkPolicy" for made in agent.objects):
        name = release.names.network_policy
        why = "left over from Helm: it selects no pods"
        yield Step(why, f"kubectl delete networkpolicy {name} -n {release.namespace} --ignore-not-found")
    why = "Helm's marks and managed fields: otherwise fields that Helm has set stay when you remove them from the stack"
    yield Step(why, _forget(agent))
    why = "Helm's records of the release; never run helm uninstall, which deletes the objects"
    yield Step(why, f"kubectl delete secret -n {release.namespace} -l owner=helm,name={release.name}")
    yield Step("stop taking over existing objects", f"pulumi config set --path '{PREFIX}:kubernetes.upsertExisting' false")


def _forget(agent: AnyAgent) -> str:
    """Server-side apply removes only fields that no other manager owns, and Helm is still recorded as an owner of all fields."""
    release = agent.release
    tasks = release.line.task_resource
    kinds = {tasks.kind: tasks.crd_name} if tasks else {}
    names = (f"{kinds.get(item['kind'], item['kind'].lower())}/{item['metadata']['name']}" for item in agent.objects)
    objects = f"{' '.join(names)} -n {release.namespace} --ignore-not-found"
    return f"kubectl get {objects} --show-managed-fields -o json | jq '{_FORGET}' | kubectl replace -f -"


def _patch(kind: str, manifest: dict[str, Any], patch: dict[str, Any], form: str) -> str:
    metadata, text = manifest["metadata"], json.dumps(patch, separators=(",", ":"))
    return f"kubectl patch {kind} {metadata['name']} -n {metadata['namespace']} --type={form} -p {shell_word(text)}"


def _old_pods(deployment: dict[str, Any]) -> str:
    """What happens to old pods while the new ones wait."""
    spec = deployment["spec"]
    if lookup(spec, "strategy", "type") == "Recreate":
        return "all old pods stop (Recreate), so run it at once"
    update = {"maxUnavailable": "25%", "maxSurge": "25%", **(lookup(spec, "strategy", "rollingUpdate") or {})}
    replicas = spec.get("replicas")
    share = str(update["maxUnavailable"])
    if replicas is None:  # an autoscaler sets the number
        return "old pods keep running" if share in ("0", "0%") else f"up to {share} of the old pods stop, so run it at once"
    fewer = replicas * int(share[:-1]) // 100 if share.endswith("%") else int(share)
    if not fewer and str(update["maxSurge"]) in ("0", "0%"):
        fewer = 1  # otherwise the Deployment would never make progress
    return f"{min(fewer, replicas)} of {replicas} old pods stop, so run it at once" if fewer else "old pods keep running"


def _out_of_secret(manifest: dict[str, Any], secret: str, plain: Collection[str]) -> dict[str, Any]:
    """A patch that removes plain values of variables that come from our Secret: server-side apply would keep the values that Helm set."""
    patched = []
    for container in manifest["spec"]["template"]["spec"]["containers"]:
        changed = [
            variable | {"value": None}
            for variable in container.get("env", ())
            if variable["name"] in plain and lookup(variable, "valueFrom", "secretKeyRef", "name") == secret
        ]
        patched += [{"name": container["name"], "env": changed}] if changed else []
    return {"spec": {"template": {"spec": {"containers": patched}}}} if patched else {}


def _other_volumes(deployment: Manifest, manifest: Sequence[Manifest]) -> dict[str, Any]:
    """A patch that changes the types of volumes: server-side apply would keep the fields that Helm set."""
    helms = [item for item in manifest if (item["kind"], item["metadata"]["name"]) == ("Deployment", deployment["metadata"]["name"])]
    theirs = [volume for item in helms for volume in _volumes(item) if isinstance(volume, Mapping)]
    known = {volume.get("name"): {key for key, value in volume.items() if value is not None} - {"name"} for volume in theirs}
    changed = []
    for volume in _volumes(deployment):
        old = known.get(volume["name"])
        if old and old != volume.keys() - {"name"}:
            changed.append({**dict.fromkeys(sorted(old)), **volume})
    return {"spec": {"template": {"spec": {"volumes": changed}}}} if changed else {}


def _volumes(deployment: Manifest) -> list[Any]:
    volumes = lookup(deployment, "spec", "template", "spec", "volumes")
    return volumes if isinstance(volumes, list) else []
