"""Whether the credential may deploy the stack: what it may do to every object, and what it grants to agents."""

from collections import defaultdict
from collections.abc import Iterable

from scalr_agents.cluster.answers import Hidden
from scalr_agents.doctor.facts import Access, Cluster
from scalr_agents.doctor.findings import error, note, warning
from scalr_agents.doctor.needs import Needs
from scalr_agents.model.findings import Findings

_PAGE = "docs/operations.md#a-team-with-one-namespace"


def check(needs: Needs, cluster: Cluster) -> Findings:
    answers = {access: cluster.allowed.get(access) for access in needs.reviewed}
    if any(isinstance(answer, Hidden) for answer in answers.values()):
        yield note("permissions", "cannot see: the API server does not review your permissions, so they are not checked")
    yield from _own([access for access in needs.accesses if answers[access] is False])
    for namespace, accesses in _by_namespace(needs.ungranted(cluster.allowed)).items():
        yield error(
            f"permissions {_where(namespace)}",
            f"the agents' roles contain permissions that you do not have, so Kubernetes does not let you grant them: {_listed(accesses)}",
            f"Ask for a role with these rules, or let the owner of the cluster create the roles (rbac.create: false): {_PAGE}",
        )


def _own(missing: Iterable[Access]) -> Findings:
    for namespace, accesses in _by_namespace(missing).items():
        needed = [access for access in accesses if access.verb != "delete"]
        if needed:
            advice = f"Ask for a role with these verbs; {_PAGE} has the whole list"
            yield error(f"permissions {_where(namespace)}", f"pulumi up would fail: you may not {_listed(needed)}", advice)
        kept = [access for access in accesses if access.verb == "delete"]
        if kept:
            problem = f"changes that replace objects and pulumi destroy would fail: you may not {_listed(kept)}"
            yield warning(f"permissions {_where(namespace)}", problem, "Ask for a role with this verb")


def _by_namespace(accesses: Iterable[Access]) -> dict[str, list[Access]]:
    found = defaultdict[str, list[Access]](list)
    for access in accesses:
        found[access.namespace].append(access)
    return found


def _where(namespace: str) -> str:
    return f"in namespace {namespace}" if namespace else "in the cluster"


def _listed(accesses: Iterable[Access]) -> str:
    """Verbs of the same resources together: `create, patch secrets; delete pods`."""
    verbs = defaultdict[str, list[str]](list)
    for access in accesses:
        verbs[access.what].append(access.verb)
    resources = defaultdict[str, list[str]](list)
    for what, given in verbs.items():
        resources[", ".join(given)].append(what)
    return "; ".join(f"{given} {', '.join(what)}" for given, what in resources.items())


def denied(accesses: Iterable[Access], cluster: Cluster) -> Findings:
    """Errors for accesses that a probe takes."""
    for namespace, missing in _by_namespace(each for each in accesses if cluster.allowed.get(each) is False).items():
        problem = f"the probe needs what you may not do: {_listed(missing)}"
        yield error(f"permissions {_where(namespace)}", problem, "Ask for a role with these verbs, or run doctor without --probe")
