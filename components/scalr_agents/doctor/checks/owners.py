"""Objects of the stack that exist already and belong to somebody else, a Helm release of the same name above all."""

from collections import defaultdict

from scalr_agents.cluster.answers import Hidden
from scalr_agents.doctor.facts import Cluster
from scalr_agents.doctor.findings import error, note, warning
from scalr_agents.doctor.needs import Needs
from scalr_agents.doctor.objects import Owned
from scalr_agents.model.findings import Findings
from scalr_agents.model.manifests import Key
from scalr_agents.model.messages import listed

_ADOPT = "To take it over, see docs/adopting.md; otherwise give the agent another release name"


def check(needs: Needs, cluster: Cluster) -> Findings:
    upserts = needs.stack.kubernetes.upsert_existing
    of_migration, of_others = defaultdict[str, list[Key]](list), defaultdict[str, list[Key]](list)
    hidden: list[Key] = []
    for key, found in cluster.owners.items():
        if isinstance(found, Hidden):
            hidden.append(key)
        elif isinstance(found, Owned) and found.release:
            of_migration[found.release].append(key)
        elif isinstance(found, Owned) and not found.pulumi:
            of_others[listed(sorted(found.managers)) or "an unknown field manager"].append(key)
    for release, keys in of_migration.items():
        problem = f"owns objects of this stack: {listed(map(str, keys))}"
        if upserts:
            yield note(f"Helm release {release}", f"{problem}; pulumi up takes them over (upsertExisting)")
        else:
            yield error(f"Helm release {release}", f"{problem}; pulumi up would fail, because they exist", _ADOPT)
    for managers, keys in of_others.items():
        problem = f"exist already, and Pulumi did not create them: {listed(map(str, keys))}"
        if not upserts:
            advice = "pulumi up would fail: delete them, or set kubernetes.upsertExisting. This is fine if a GitOps tool deploys this stack"
            yield warning(f"objects of {managers}", problem, advice)
    yield from _releases(needs, cluster, set(of_migration))
    if hidden:
        yield note(listed(map(str, hidden)), "cannot see whether they exist already: your credential lacks the permission")


def _releases(needs: Needs, cluster: Cluster, known: set[str]) -> Findings:
    """Helm releases with the name of an agent's, as Helm's own records tell."""
    for namespace, releases in cluster.releases.items():
        if isinstance(releases, Hidden):
            yield note(f"Helm releases in namespace {namespace}", f"cannot see them: {releases.reason}")
            continue
        for agent in needs.stack.agents:
            release = agent.release
            if release.namespace == namespace and release.name in releases and f"{namespace}/{release.name}" not in known:
                problem = f"has the same name as agent {agent.name}, but none of its objects; both may serve the same agent pool"
                yield warning(f"Helm release {namespace}/{release.name}", problem, _ADOPT)
