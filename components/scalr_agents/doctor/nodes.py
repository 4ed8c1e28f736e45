"""Whether the cluster is new enough for the agents, and has nodes that their pods may run on, with room for them.

Which nodes match and how many pods fit is decided as Kubernetes' scheduler does, for what our pods use.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any

from scalr_agents.cluster.answers import Hidden
from scalr_agents.doctor import error, note, warning
from scalr_agents.doctor.facts import AUTOSCALER, Cluster
from scalr_agents.doctor.needs import Needs, Pod
from scalr_agents.doctor.objects import Node, Occupant
from scalr_agents.model import quantities
from scalr_agents.model.findings import Finding, Findings
from scalr_agents.model.quantities import NOTHING, Resources, Spec, shown
from scalr_agents.model.texts import listed

_UNSCHEDULABLE = ("NoSchedule", "NoExecute")
_OF_KUBERNETES = "node.kubernetes.io/"
"""Taints of nodes that are not ready or are cordoned."""
_KARPENTER = "karpenter.sh"
_IMAGE_VOLUMES = {"containerd": (2, 1), "cri-o": (1, 31)}
"""The container runtimes that can mount an image as a volume, from these versions on."""
_NUMBERS = re.compile(r"(\d+)\.(\d+)")


def numbers(text: str) -> tuple[int, int] | None:
    """Major and minor number of a version such as `v1.36.3-eks-1a2b3c`."""
    found = _NUMBERS.search(text)
    return (int(found[1]), int(found[2])) if found else None


def is_selected(node: Node, spec: Spec) -> bool:
    """Whether a node has the labels that a pod asks for."""
    selector = spec.get("nodeSelector") or {}
    if any(node.labels.get(key) != value for key, value in selector.items()):
        return False
    affinity = (spec.get("affinity") or {}).get("nodeAffinity") or {}
    required = affinity.get("requiredDuringSchedulingIgnoredDuringExecution")
    return required is None or any(_fits_term(node, term) for term in required.get("nodeSelectorTerms", ()))


def _fits_term(node: Node, term: Spec) -> bool:
    parts = ((node.labels, "matchExpressions"), ({"metadata.name": node.name}, "matchFields"))
    expressions = [(labels, each) for labels, part in parts for each in term.get(part) or ()]
    return bool(expressions) and all(_fits(labels, each) for labels, each in expressions)


def _fits(labels: Mapping[str, str], expression: Spec) -> bool:
    has, values = labels.get(expression["key"]), expression.get("values") or []
    match expression["operator"]:
        case "In" | "NotIn" as operator:
            return (has in values) is (operator == "In")
        case "Exists" | "DoesNotExist" as operator:
            return (has is not None) is (operator == "Exists")
        case "Gt" | "Lt" as operator:
            try:
                number, limit = int(has or ""), int(values[0])
            except (ValueError, IndexError):
                return False
            return number > limit if operator == "Gt" else number < limit
    return False


def in_the_way(node: Node, spec: Spec) -> list[Mapping[str, Any]]:
    """The taints that keep a pod from a node."""
    tolerations = spec.get("tolerations") or ()
    hard = [taint for taint in node.taints if taint.get("effect") in _UNSCHEDULABLE]
    return [taint for taint in hard if not any(_tolerates(each, taint) for each in tolerations)]


def _tolerates(toleration: Spec, taint: Mapping[str, Any]) -> bool:
    effect, key = toleration.get("effect"), toleration.get("key")
    if effect and effect != taint.get("effect"):
        return False
    if key and key != taint.get("key"):
        return False
    if toleration.get("operator", "Equal") == "Exists":
        return True
    return bool(key) and (toleration.get("value") or "") == (taint.get("value") or "")


def open_to(nodes: Iterable[Node], spec: Spec) -> list[Node]:
    """The nodes that a pod may run on, whether they have room or not."""
    return [node for node in nodes if is_selected(node, spec) and not in_the_way(node, spec)]


def room(node: Node, needed: Resources, used: Resources) -> int:
    """How many pods with these requests fit on a node beside those that run there."""
    needed = {**needed, "pods": Decimal(1)}
    free = {name: node.allocatable.get(name, NOTHING) - used.get(name, NOTHING) for name in needed}
    return max(0, min(int(free[name] / amount) for name, amount in needed.items() if amount > 0))


def check(needs: Needs, cluster: Cluster) -> Findings:
    """Whether there are nodes for the pods."""
    nodes = cluster.view.seen(Node)
    if isinstance(nodes, Hidden):
        yield note("nodes", f"cannot see whether a node matches and has room: {nodes.reason}")
        return
    if hidden := cluster.view.hidden(Occupant):
        yield note("pods on nodes", f"cannot see what the nodes have left, so room is that of empty nodes: {hidden.reason}")
    # What cannot be seen may be there, so that nothing is called an error for its absence.
    groups = cluster.groups
    grows = cluster.view.objects.get(AUTOSCALER) is not None or isinstance(groups, Hidden) or _KARPENTER in groups
    for pod in needs.pods:
        yield from _for_pod(pod, cluster, nodes, grows=grows)


def _for_pod(pod: Pod, cluster: Cluster, nodes: Sequence[Node], *, grows: bool) -> Findings:
    subject, spec = f"nodes for {pod.called}", cluster.admitted(pod.called, pod.spec)
    selected = [node for node in nodes if is_selected(node, spec)]
    if not selected:
        labels = listed(f"{key}={value}" for key, value in (spec.get("nodeSelector") or {}).items()) or "that its affinity requires"
        yield _unless_grown(subject, f"no node has the labels {labels}", "Correct nodes.selector, or label nodes", grows=grows)
        return
    open_nodes, needed = open_to(selected, spec), quantities.of_pod(spec)
    if not open_nodes:
        yield _shut(subject, spec, selected)
        return
    large = [node for node in open_nodes if room(node, needed, {})]
    if not large:
        most = quantities.largest(*(node.allocatable for node in open_nodes))
        largest = _listed({name: most[name] for name in needed if name in most})
        problem = f"none of the {len(open_nodes)} nodes that match is large enough for {_listed(needed)}: they have at most {largest}"
        yield _unless_grown(subject, problem, "Use larger nodes, or lower the requests in the agent's values", grows=grows)
        return
    fits = sum(room(node, needed, cluster.requested.get(node.name, {})) for node in large)
    if fits and pod.is_task:
        yield note(subject, f"{len(large)} {'nodes match' if len(large) > 1 else 'node matches'}, with room for {fits} at a time now")
    elif not fits and (pod.is_task or cluster.existing(pod.maker) is None):
        problem = f"the {len(large)} nodes that match have no room now for {_listed(needed)}{': runs would wait' if pod.is_task else ''}"
        advice = "This is fine if an autoscaler may add such nodes" if grows else "Add nodes, or lower the requests in the agent's values"
        yield warning(subject, problem, advice)


def _unless_grown(subject: str, problem: str, advice: str, *, grows: bool) -> Finding:
    """An error, or a warning where an autoscaler may add the node that is missing."""
    if grows:
        return warning(subject, problem, f"This is fine if an autoscaler adds such nodes. Otherwise: {advice[0].lower()}{advice[1:]}")
    return error(subject, problem, advice)


def _shut(subject: str, spec: Spec, selected: Sequence[Node]) -> Finding:
    taints = [taint for node in selected for taint in in_the_way(node, spec)]
    own = [taint for taint in taints if not taint.get("key", "").startswith(_OF_KUBERNETES)]
    if not own:
        problem = f"all {len(selected)} nodes that match are cordoned or not ready"
        return warning(subject, problem, "Uncordon them, or see kubectl get nodes")
    words = dict.fromkeys(
        f"{taint.get('key', '')}{'=' if taint.get('value') else ''}{taint.get('value', '')}:{taint.get('effect', '')}" for taint in own
    )
    problem = f"all {len(selected)} nodes that match have taints that the pods do not tolerate: {listed(words)}"
    return error(subject, problem, "Add tolerations for them to nodes.tolerations")


def _listed(needed: Resources) -> str:
    return ", ".join(f"{name} {shown(name, amount)}" for name, amount in sorted(needed.items())) or "the pod"


def check_versions(needs: Needs, cluster: Cluster) -> Findings:
    """Whether the API server, the nodes and their container runtimes are new enough."""
    server, nodes = numbers(cluster.view.version), cluster.view.of(Node)
    if server is None:
        yield note("API server", "its version cannot be seen, so it is not checked")
    for agent in needs.stack.agents:
        table, version = agent.versions, agent.release.version
        minimum = table.row(version).kubernetes
        least = numbers(minimum)
        if server and server < (least or server):
            older = table.running_on(server)
            yield error(
                "API server",
                f"it is {cluster.view.version}, and agent {agent.name} ({agent.kind} {version}) needs {minimum}",
                f"Upgrade the cluster, or choose {f'agents {older}' if older else 'another cluster'}",
            )
        pod = needs.task_pod(agent)
        if pod is None:
            continue
        fitting = open_to(nodes, cluster.admitted(pod.called, pod.spec))
        if old := [node for node in fitting if least and (numbers(node.kubelet) or least) < least]:
            what = f"their kubelet is older than Kubernetes {minimum}, which agents {version} need"
            yield _some(pod, fitting, old, f"{what}: {listed(f'{node.name} ({node.kubelet})' for node in old)}", "Upgrade these nodes")
        old = [node for node in fitting if not _mounts_images(node)]
        if old and any("image" in volume for volume in pod.spec.get("volumes", ())):
            which = listed(f"{node.name} ({node.runtime})" for node in old)
            advice = f"Upgrade to {' or '.join(f'{name} {major}.{minor}' for name, (major, minor) in _IMAGE_VOLUMES.items())}"
            yield _some(pod, fitting, old, f"their container runtime cannot mount images as volumes: {which}", advice)


def _mounts_images(node: Node) -> bool:
    """Whether the runtime can. One that is not known may."""
    name, _, version = node.runtime.partition("://")
    least, given = _IMAGE_VOLUMES.get(name), numbers(version)
    return least is None or given is None or given >= least


def _some(pod: Pod, nodes: Sequence[Node], bad: Sequence[Node], problem: str, advice: str) -> Finding:
    """An error if no other node is left for the pods, else a warning."""
    subject = f"nodes of {pod.called}"
    if len(bad) == len(nodes):
        return error(subject, problem, advice)
    return warning(subject, problem, f"{advice}, or keep the pods off them with nodes.selector")
