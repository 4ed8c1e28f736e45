"""What has to be done besides `pulumi up`, because Helm made it otherwise or leaves it behind."""

import json
from collections.abc import Collection, Iterator
from typing import Any, NamedTuple

from scalr_agents.lines import Line
from scalr_agents.release import COMPONENT
from scalr_agents.stack.agents import StackAgent
from scalr_agents.stack.model import PREFIX
from scalr_agents.values.merge import lookup

_FORGET = (
    "del((.items[]? // .).metadata | "
    '(.managedFields[]? | select((.subresource or (.manager // "" | test("^(pulumi-kubernetes|kube-)"))) | not)), '
    '.labels["helm.sh/chart"], .annotations["meta.helm.sh/release-name", "meta.helm.sh/release-namespace"])'
)
"""What whoever installed the release, and the steps before, have left in the metadata of objects, as a filter of jq.

Helm's share bears the name of the program that it is part of. Those of Pulumi and of the control plane stay.
"""


class Step(NamedTuple):
    """A command, and why it is needed."""

    why: str
    command: str


class _Chart(NamedTuple):
    """What the chart of a line makes otherwise, where an update alone does not get there."""

    selectors: bool = False
    """One selector for several workloads."""
    task_budget: bool = False
    """A budget of task pods by `maxUnavailable`, beside which `minAvailable` cannot stand."""
    job_restart_policy: bool = False
    """A field of the Job's spec that Jobs do not have."""
    idle_policy: bool = False
    """A NetworkPolicy that is made whatever the values say."""
    meanwhile: str = "pulumi up rolls the controllers once; runs go on"
    """What becomes of runs."""


_AGENT_LOCAL = _Chart(meanwhile="pulumi up replaces the pods once, and runs are in them: do it when there are few")
_AGENT_K8S = _Chart(
    selectors=True, meanwhile="controller and workers are made anew, and workers let their runs end first: do it when there are few"
)
_CHARTS = {
    ("agent-job", "legacy"): _Chart(job_restart_policy=True),
    ("agent-job", "current"): _Chart(task_budget=True),
    ("agent-local", "legacy"): _AGENT_LOCAL._replace(idle_policy=True),
    ("agent-local", "current"): _AGENT_LOCAL,
    ("agent-k8s", "legacy"): _AGENT_K8S,
    ("agent-k8s", "current"): _AGENT_K8S,
}


def before(agent: StackAgent, plain: Collection[str]) -> Iterator[Step]:
    """Steps without which the API server refuses an object.

    `plain` are the variables of the Deployment that Helm has given in plain text and that are secret now.
    """
    release = agent.checked.release
    chart = _CHARTS[release.line.chart, release.line.generation]
    workloads = [manifest for manifest in agent.objects if manifest["kind"] in ("Deployment", "DaemonSet")]
    if chart.selectors:
        names = " ".join(f"{manifest['kind'].lower()}/{manifest['metadata']['name']}" for manifest in workloads)
        why = "selectors differ and cannot be changed: these are made anew by pulumi up; their pods let runs end first"
        yield Step(why, f"kubectl delete {names} -n {release.namespace}")
    for manifest in [] if chart.selectors else workloads:
        if patch := _out_of_secret(manifest, release.names.env_secret, plain):
            why = f"plain text in the pods, a reference to a Secret now: new pods wait for it until pulumi up; {_old_pods(manifest)}"
            yield Step(why, _patch("deployment", manifest, patch, "strategic"))
    for manifest in agent.objects if chart.task_budget else []:
        if manifest["kind"] == "PodDisruptionBudget" and manifest["metadata"]["labels"].get(COMPONENT) == "task":
            least = manifest["spec"]["minAvailable"]
            why = "a budget has minAvailable or maxUnavailable, and Helm has set the other one"
            yield Step(why, _patch("poddisruptionbudget", manifest, {"spec": {"maxUnavailable": None, "minAvailable": least}}, "merge"))


def after(agent: StackAgent) -> Iterator[Step]:
    """Steps that remove what is left of Helm."""
    release = agent.checked.release
    chart = _CHARTS[release.line.chart, release.line.generation]
    for manifest in agent.objects if chart.job_restart_policy else []:
        if manifest["kind"] == release.line.tasks().kind:
            patch = {"spec": {"jobTemplate": {"spec": {"restartPolicy": None}}}}
            yield Step("a field that Jobs do not have", _patch(release.line.tasks().crd_name, manifest, patch, "merge"))
    if chart.idle_policy and not any(manifest["kind"] == "NetworkPolicy" for manifest in agent.objects):
        name = release.names.network_policy
        why = "left behind: it selects no pods"
        yield Step(why, f"kubectl delete networkpolicy {name} -n {release.namespace} --ignore-not-found")
    why = "Helm's marks, and its share in the fields: what it has set would stay when the stack does not say it any more"
    yield Step(why, _forget(agent))
    why = "Helm's records of the release; never helm uninstall, which deletes the objects"
    yield Step(why, f"kubectl delete secret -n {release.namespace} -l owner=helm,name={release.name}")
    yield Step("nothing else is to be taken over", f"pulumi config set --path '{PREFIX}:kubernetes.upsertExisting' false")


def _forget(agent: StackAgent) -> str:
    """Server-side apply removes only what nobody else has set, and Helm is still said to have set everything."""
    release = agent.checked.release
    tasks = release.line.task_resource
    kinds = {tasks.kind: tasks.crd_name} if tasks else {}
    names = (f"{kinds.get(item['kind'], item['kind'].lower())}/{item['metadata']['name']}" for item in agent.objects)
    objects = f"{' '.join(names)} -n {release.namespace} --ignore-not-found"
    return f"kubectl get {objects} --show-managed-fields -o json | jq '{_FORGET}' | kubectl replace -f -"


def meanwhile(line: Line) -> str:
    """What becomes of runs."""
    return _CHARTS[line.chart, line.generation].meanwhile


def _patch(kind: str, manifest: dict[str, Any], patch: dict[str, Any], form: str) -> str:
    metadata, text = manifest["metadata"], json.dumps(patch, separators=(",", ":"))
    return f"kubectl patch {kind} {metadata['name']} -n {metadata['namespace']} --type={form} -p '{text}'"


def _old_pods(deployment: dict[str, Any]) -> str:
    """What becomes of pods while those that replace them wait."""
    spec = deployment["spec"]
    if lookup(spec, "strategy", "type") == "Recreate":
        return "all old ones stop (Recreate), so let it follow at once"
    update = {"maxUnavailable": "25%", "maxSurge": "25%", **(lookup(spec, "strategy", "rollingUpdate") or {})}
    replicas = spec.get("replicas")
    share = str(update["maxUnavailable"])
    if replicas is None:  # as many as an autoscaler says
        return "old ones go on meanwhile" if share in ("0", "0%") else f"up to {share} of the old ones stop, so let it follow at once"
    fewer = replicas * int(share[:-1]) // 100 if share.endswith("%") else int(share)
    if not fewer and str(update["maxSurge"]) in ("0", "0%"):
        fewer = 1  # the Deployment would never get on otherwise
    return f"{min(fewer, replicas)} of {replicas} old ones stop, so let it follow at once" if fewer else "old ones go on meanwhile"


def _out_of_secret(manifest: dict[str, Any], secret: str, plain: Collection[str]) -> dict[str, Any]:
    """A patch that takes the plain values of variables away that come out of our Secret: what Helm has set stays beside what is applied."""
    (container,) = manifest["spec"]["template"]["spec"]["containers"]
    changed = [
        variable | {"value": None}
        for variable in container["env"]
        if variable["name"] in plain and lookup(variable, "valueFrom", "secretKeyRef", "name") == secret
    ]
    return {"spec": {"template": {"spec": {"containers": [{"name": container["name"], "env": changed}]}}}} if changed else {}
