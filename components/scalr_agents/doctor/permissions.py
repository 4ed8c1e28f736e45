"""Whether the credential may deploy the stack: what it may do to every object, and what it grants to agents."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from scalr_agents.charts.shared.network.policies import wants_api_server
from scalr_agents.cluster import paths
from scalr_agents.cluster.answers import Hidden, Seen
from scalr_agents.doctor import error, note, warning
from scalr_agents.doctor.facts import Access, Cluster
from scalr_agents.doctor.needs import KEPT, Needs
from scalr_agents.model.findings import Findings
from scalr_agents.model.manifests import Manifest

_OWNED = ("create", "get", "list", "watch", "patch", "delete")
"""Verbs that Pulumi needs for what it deploys: it reads, applies, awaits and removes objects."""
_SEEN = ("get", "list", "watch")
"""Verbs for what it only looks at, to see that a workload is ready."""
_AWAITED = {"Deployment": (("", "pods"), ("apps", "replicasets"), ("", "persistentvolumeclaims")), "StatefulSet": (("", "pods"),)}
"""What Pulumi looks at to see that a workload is ready."""
_API_SERVER = (
    Access("get", "", "services", "default", "kubernetes"),
    Access("get", "discovery.k8s.io", "endpointslices", "default", "kubernetes"),
)
"""Where Pulumi looks up the addresses of the API server for network policies."""
_PAGE = "docs/operations.md#a-team-with-one-namespace"


def needed(needs: Needs) -> list[Access]:
    """What whoever deploys the stack must be allowed to do, apart from what is `granted`."""
    found: dict[Access, None] = {}
    for manifest in needs.objects:
        namespace = manifest["metadata"].get("namespace", "")
        group, plural = paths.group(manifest), paths.plural(manifest["kind"])
        verbs = [verb for verb in _OWNED if not (verb == "delete" and manifest["kind"] in KEPT)]
        found |= dict.fromkeys(Access(verb, group, plural, namespace) for verb in verbs)
        for seen in _AWAITED.get(manifest["kind"], ()) if needs.stack.kubernetes.await_rollout else ():
            found |= dict.fromkeys(Access(verb, *seen, namespace) for verb in _SEEN)
    if any(wants_api_server(agent) for agent in needs.stack.agents):
        found |= dict.fromkeys(_API_SERVER)
    return list(found)


def granted(needs: Needs) -> dict[Access, tuple[Access, Access]]:
    """What the stack's roles allow, each with the rights to grant it without having it.

    Kubernetes lets nobody grant what they may not do themselves, except those who may `escalate` roles and `bind` them.
    """
    found: dict[Access, tuple[Access, Access]] = {}
    for manifest in needs.objects:
        if manifest["kind"] in ("Role", "ClusterRole"):
            namespace = manifest["metadata"].get("namespace", "")
            group, plural = paths.group(manifest), paths.plural(manifest["kind"])
            escalate, bind = (Access(verb, group, plural, namespace) for verb in ("escalate", "bind"))
            found |= dict.fromkeys(_of_role(manifest, namespace), (escalate, bind))
    return found


def _of_role(role: Manifest, namespace: str) -> Iterator[Access]:
    for rule in role.get("rules", ()):
        for verb in rule["verbs"]:
            yield from (Access(verb, "", "", path=path) for path in rule.get("nonResourceURLs", ()))
            for group in rule.get("apiGroups", ()):
                for resource in rule.get("resources", ()):
                    names = rule.get("resourceNames") or [""]
                    yield from (Access(verb, group, resource, namespace, name) for name in names)


def ungranted(needs: Needs, allowed: Mapping[Access, Seen[bool]]) -> list[Access]:
    """What the stack's roles allow and whoever deploys it may not grant."""
    return [
        access
        for access, rights in granted(needs).items()
        if allowed.get(access) is False and not all(allowed.get(right) is True for right in rights)
    ]


def reviewed(needs: Needs) -> list[Access]:
    """All accesses of which it must be known whether they are allowed."""
    roles = granted(needs)
    return list(dict.fromkeys([*needed(needs), *roles, *(right for rights in roles.values() for right in rights)]))


def check(needs: Needs, cluster: Cluster) -> Findings:
    if any(isinstance(cluster.allowed.get(access), Hidden) for access in reviewed(needs)):
        yield note("permissions", "cannot see: the API server does not review your permissions, so they are not checked")
    for where, accesses in _by_place(access for access in needed(needs) if cluster.allowed.get(access) is False):
        if lacking := [access for access in accesses if access.verb != "delete"]:
            advice = f"Ask for a role with these verbs; {_PAGE} has the whole list"
            yield error(where, f"pulumi up would fail: you may not {_listed(lacking)}", advice)
        if kept := [access for access in accesses if access.verb == "delete"]:
            problem = f"changes that replace objects and pulumi destroy would fail: you may not {_listed(kept)}"
            yield warning(where, problem, "Ask for a role with this verb")
    for where, accesses in _by_place(ungranted(needs, cluster.allowed)):
        yield error(
            where,
            f"the agents' roles contain permissions that you do not have, so Kubernetes does not let you grant them: {_listed(accesses)}",
            f"Ask for a role with these rules, or let the owner of the cluster create the roles (rbac.create: false): {_PAGE}",
        )


def denied(accesses: Iterable[Access], cluster: Cluster) -> Findings:
    """Errors for accesses that a probe takes."""
    for where, missing in _by_place(each for each in accesses if cluster.allowed.get(each) is False):
        problem = f"the probe needs what you may not do: {_listed(missing)}"
        yield error(where, problem, "Ask for a role with these verbs, or run doctor without --probe")


def _by_place(accesses: Iterable[Access]) -> Iterator[tuple[str, list[Access]]]:
    """Accesses by where they are, as the subject of a finding."""
    found = defaultdict[str, list[Access]](list)
    for access in accesses:
        found[access.namespace].append(access)
    for namespace, of_namespace in found.items():
        yield f"permissions {f'in namespace {namespace}' if namespace else 'in the cluster'}", of_namespace


def _listed(accesses: Iterable[Access]) -> str:
    """Verbs of the same resources together: `create, patch secrets; delete pods`."""
    verbs, resources = defaultdict[str, list[str]](list), defaultdict[str, list[str]](list)
    for access in accesses:
        verbs[access.what].append(access.verb)
    for what, given in verbs.items():
        resources[", ".join(given)].append(what)
    return "; ".join(f"{given} {', '.join(what)}" for given, what in resources.items())
