"""The paths of objects below the API server."""

from collections.abc import Iterable

from scalr_agents.charts.shared.agent import AnyAgent
from scalr_agents.model.manifests import Manifest


def path(manifest: Manifest, agents: Iterable[AnyAgent]) -> str:
    """The path of an object. `agents` are those whose tasks may have it as their template."""
    return f"{resource(manifest, agents)}/{manifest['metadata']['name']}"


def resource(manifest: Manifest, agents: Iterable[AnyAgent]) -> str:
    """The path of the objects of this kind, in its namespace if it has one."""
    root = "/api" if "/" not in manifest["apiVersion"] else "/apis"
    namespace = manifest["metadata"].get("namespace")
    within = f"/namespaces/{namespace}" if namespace else ""
    return f"{root}/{manifest['apiVersion']}{within}/{plural(manifest, agents)}"


def plural(manifest: Manifest, agents: Iterable[AnyAgent]) -> str:
    """The resource of an object: the plural that its definition has, or else the usual one of its kind."""
    resources = [agent.release.line.task_resource for agent in agents]
    own = {(each.api_version, each.kind): each.plural for each in resources if each}
    return own.get((manifest["apiVersion"], manifest["kind"]), plural_of(manifest["kind"]))


def plural_of(kind: str) -> str:
    """The plural of a kind by Kubernetes' convention: `networkpolicies`, `storageclasses`, `secrets`."""
    name = kind.lower()
    if name.endswith("s"):
        return f"{name}es"
    return f"{name[:-1]}ies" if name.endswith("y") else f"{name}s"
