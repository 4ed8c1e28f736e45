"""`scalr-agents doctor`: is a cluster ready for a stack?

`needs` says what a stack asks of a cluster, and `facts` reads what the cluster has. The checks compare the two: `permissions`, `existing`
(namespaces, what pods name, objects of others), `addons` (what else must be installed), `nodes`, and `dry_run`, in which the API server
judges itself. `command` has them all, in their order. `probing` runs the `probe`, a pod like that of a run, which tries what only a pod
can try.
"""

from scalr_agents.model.findings import Finding


def error(subject: str, problem: str, advice: str) -> Finding:
    """The stack does not work on this cluster as it is: what it is about, what is wrong, and what to do."""
    return Finding("error", (), problem, subject=subject, advice=advice)


def warning(subject: str, problem: str, advice: str) -> Finding:
    """The stack may not work on this cluster."""
    return Finding("warning", (), problem, subject=subject, advice=advice)


def note(subject: str, problem: str, advice: str = "") -> Finding:
    """What could not be seen, or is good to know."""
    return Finding("note", (), problem, subject=subject, advice=advice)
