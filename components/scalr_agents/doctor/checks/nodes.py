"""Nodes that the stack's pods may run on, and whether they have room."""

from collections.abc import Sequence

from scalr_agents.cluster.answers import Hidden
from scalr_agents.doctor import scheduling
from scalr_agents.doctor.facts import Cluster, Node
from scalr_agents.doctor.findings import error, note, warning
from scalr_agents.doctor.needs import Needs, Pod
from scalr_agents.model import requests
from scalr_agents.model.findings import Finding, Findings
from scalr_agents.model.manifests import key_of
from scalr_agents.model.messages import listed
from scalr_agents.model.requests import Resources, Spec, shown

_OF_KUBERNETES = "node.kubernetes.io/"
"""Taints of nodes that are not ready or are cordoned."""
_KARPENTER = "karpenter.sh"


def check(needs: Needs, cluster: Cluster) -> Findings:
    if isinstance(cluster.nodes, Hidden):
        yield note("nodes", f"cannot see whether a node matches and has room: {cluster.nodes.reason}")
        return
    if cluster.pods:
        yield note("pods on nodes", f"cannot see what the nodes have left, so room is that of empty nodes: {cluster.pods.reason}")
    # What cannot be seen may be there, so that nothing is called an error for its absence.
    grows = cluster.autoscaler is not False or isinstance(cluster.groups, Hidden) or _KARPENTER in cluster.groups
    for pod in needs.pods:
        yield from _pod(pod, cluster, cluster.nodes, grows=grows)


def _pod(pod: Pod, cluster: Cluster, nodes: Sequence[Node], *, grows: bool) -> Findings:
    subject = f"nodes for {pod.called}"
    spec = cluster.admitted(pod.called, pod.spec)
    selected = [node for node in nodes if scheduling.is_selected(node, spec)]
    if not selected:
        labels = listed(f"{key}={value}" for key, value in (spec.get("nodeSelector") or {}).items()) or "that its affinity requires"
        yield _unless_grown(subject, f"no node has the labels {labels}", "Correct nodes.selector, or label nodes", grows=grows)
        return
    open_nodes = scheduling.open_to(selected, spec)
    if not open_nodes:
        yield _shut(subject, spec, selected)
        return
    needed = requests.of_pod(spec)
    large = [node for node in open_nodes if scheduling.room(node, needed, when_empty=True)]
    if not large:
        problem = f"none of the {len(open_nodes)} nodes that match is large enough for {_listed(needed)}: {_largest(open_nodes, needed)}"
        yield _unless_grown(subject, problem, "Use larger nodes, or lower the requests in the agent's values", grows=grows)
        return
    fits = sum(scheduling.room(node, needed) for node in large)
    if pod.is_task:
        yield _tasks(subject, needed, len(large), fits, grows=grows)
    elif not fits and cluster.owners.get(key_of(pod.maker)) is None:
        yield warning(subject, f"the {len(large)} nodes that match have no room now for {_listed(needed)}", _more(grows=grows))


def _tasks(subject: str, needed: Resources, nodes: int, fits: int, *, grows: bool) -> Finding:
    if fits:
        return note(subject, f"{nodes} {'nodes match' if nodes > 1 else 'node matches'}, with room for {fits} at a time now")
    return warning(subject, f"the {nodes} nodes that match have no room now for {_listed(needed)}: runs would wait", _more(grows=grows))


def _more(*, grows: bool) -> str:
    return "This is fine if an autoscaler may add such nodes" if grows else "Add nodes, or lower the requests in the agent's values"


def _unless_grown(subject: str, problem: str, advice: str, *, grows: bool) -> Finding:
    """An error, or a warning where an autoscaler may add the node that is missing."""
    if grows:
        return warning(subject, problem, f"This is fine if an autoscaler adds such nodes. Otherwise: {advice[0].lower()}{advice[1:]}")
    return error(subject, problem, advice)


def _shut(subject: str, spec: Spec, selected: Sequence[Node]) -> Finding:
    taints = [taint for node in selected for taint in scheduling.in_the_way(node, spec)]
    own = [taint for taint in taints if not taint.get("key", "").startswith(_OF_KUBERNETES)]
    if not own:
        return warning(
            subject, f"all {len(selected)} nodes that match are cordoned or not ready", "Uncordon them, or see kubectl get nodes"
        )
    words = dict.fromkeys(
        f"{taint.get('key', '')}{'=' if taint.get('value') else ''}{taint.get('value', '')}:{taint.get('effect', '')}" for taint in own
    )
    problem = f"all {len(selected)} nodes that match have taints that the pods do not tolerate: {listed(words)}"
    return error(subject, problem, "Add tolerations for them to nodes.tolerations")


def _listed(needed: Resources) -> str:
    return ", ".join(f"{name} {shown(name, amount)}" for name, amount in sorted(needed.items())) or "the pod"


def _largest(nodes: Sequence[Node], needed: Resources) -> str:
    """What the nodes have at most, of what is needed."""
    most = requests.largest(*(node.allocatable for node in nodes))
    return f"they have at most {_listed({name: most[name] for name in needed if name in most})}"
