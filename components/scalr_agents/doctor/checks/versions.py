"""The versions of the API server, of the nodes, and of their container runtimes."""

import re

from scalr_agents.cluster.answers import Hidden
from scalr_agents.doctor import scheduling
from scalr_agents.doctor.facts import Cluster, Node
from scalr_agents.doctor.findings import error, note, warning
from scalr_agents.doctor.needs import Needs, Pod
from scalr_agents.model.findings import Finding, Findings
from scalr_agents.model.messages import listed

_IMAGE_VOLUMES = {"containerd": (2, 1), "cri-o": (1, 31)}
"""The container runtimes that can mount an image as a volume, from these versions on."""
_NUMBERS = re.compile(r"(\d+)\.(\d+)")

Version = tuple[int, int]


def numbers(text: str) -> Version | None:
    """Major and minor number of a version such as `v1.36.3-eks-1a2b3c`."""
    found = _NUMBERS.search(text)
    return (int(found[1]), int(found[2])) if found else None


def check(needs: Needs, cluster: Cluster) -> Findings:
    server = numbers(cluster.version)
    if server is None:
        yield note("API server", "its version cannot be seen, so it is not checked")
    for agent in needs.stack.agents:
        table, version = agent.versions, agent.release.version
        least = table.row(version).kubernetes
        if server and server < (numbers(least) or server):
            older = table.running_on(server)
            yield error(
                "API server",
                f"it is {cluster.version}, and agent {agent.name} ({agent.kind} {version}) needs {least}",
                f"Upgrade the cluster, or choose {f'agents {older}' if older else 'another cluster'}",
            )
        pod = needs.task_pod(agent)
        if pod and not isinstance(cluster.nodes, Hidden):
            fitting = scheduling.open_to(cluster.nodes, cluster.admitted(pod.called, pod.spec))
            yield from _nodes(pod, fitting)
            yield from _runtimes(pod, fitting)


def _nodes(pod: Pod, nodes: list[Node]) -> Findings:
    minimum = pod.agent.versions.row(pod.agent.release.version).kubernetes
    least = numbers(minimum)
    old = [node for node in nodes if least and (numbers(node.kubelet) or least) < least]
    if old:
        what = f"their kubelet is older than Kubernetes {minimum}, which agents {pod.agent.release.version} need"
        yield _some(pod, nodes, old, f"{what}: {listed(f'{node.name} ({node.kubelet})' for node in old)}", "Upgrade these nodes")


def _runtimes(pod: Pod, nodes: list[Node]) -> Findings:
    if not any("image" in volume for volume in pod.spec.get("volumes", ())):
        return
    old = [node for node in nodes if not _mounts_images(node)]
    if old:
        which = listed(f"{node.name} ({node.runtime})" for node in old)
        advice = f"Upgrade to {' or '.join(f'{name} {major}.{minor}' for name, (major, minor) in _IMAGE_VOLUMES.items())}"
        yield _some(pod, nodes, old, f"their container runtime cannot mount images as volumes: {which}", advice)


def _mounts_images(node: Node) -> bool:
    """Whether the runtime can. One that is not known may."""
    name, _, version = node.runtime.partition("://")
    least, given = _IMAGE_VOLUMES.get(name), numbers(version)
    return least is None or given is None or given >= least


def _some(pod: Pod, nodes: list[Node], bad: list[Node], problem: str, advice: str) -> Finding:
    """An error if no other node is left for the pods, else a warning."""
    make = error if len(bad) == len(nodes) else warning
    hint = "" if len(bad) == len(nodes) else ", or keep the pods off them with nodes.selector"
    return make(f"nodes of {pod.called}", problem, f"{advice}{hint}")
