"""The namespaces of the stack: whether they exist, and the Pod Security level that they enforce."""

from scalr_agents.cluster.answers import Hidden
from scalr_agents.doctor.facts import Cluster
from scalr_agents.doctor.findings import error, note, warning
from scalr_agents.doctor.needs import Needs
from scalr_agents.doctor.objects import Namespace
from scalr_agents.model.findings import Findings
from scalr_agents.stack.model import Namespace as Entry
from scalr_agents.stack.namespaces import enforced


def check(needs: Needs, cluster: Cluster) -> Findings:
    for name in needs.namespaces:
        entry, found = needs.stack.namespaces.get(name), cluster.namespaces.get(name)
        subject = f"namespace {name}"
        created = entry is not None and entry.create
        if isinstance(found, Hidden):
            yield note(subject, f"cannot see whether it exists and what it enforces: {found.reason}")
        elif found is None:
            if not created:
                yield error(subject, "does not exist, and this stack does not create it", "Create it, or set create: true for it")
        else:
            yield from _existing(subject, found, entry)


def _existing(subject: str, found: Namespace, entry: Entry | None) -> Findings:
    if found.terminating:
        advice = "Wait until it is gone; if it stays, kubectl get namespace -o yaml says under status.conditions what keeps it"
        yield error(subject, "is being deleted, and accepts no new objects", advice)
    stated = enforced(entry) if entry else None
    if entry and entry.create:
        if found.level != stated:
            problem = f"enforces {found.level or 'no Pod Security level'}, and pulumi up will set {stated}"
            yield warning(subject, problem, "Check that this level admits the other pods in it, or set podSecurity to the present level")
    elif stated and found.level != stated:
        advice = "Correct podSecurity in the stack file, or the label of the namespace"
        yield warning(subject, f"enforces {found.level or 'no Pod Security level'}, and the stack file says {stated}", advice)
