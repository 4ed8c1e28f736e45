"""What the stack's objects need of the API: CustomResourceDefinitions (whether they exist, what they serve, who owns them), and metrics."""

from scalr_agents.charts.shared.manifests.crds import FIELD_MANAGER
from scalr_agents.cluster.answers import Hidden
from scalr_agents.doctor.facts import Cluster
from scalr_agents.doctor.findings import error, note, warning
from scalr_agents.doctor.needs import Needs
from scalr_agents.doctor.objects import Definition
from scalr_agents.model.findings import Findings
from scalr_agents.model.messages import listed

_METRICS = "metrics.k8s.io"
"""The API group of a metrics server."""


def check(needs: Needs, cluster: Cluster) -> Findings:
    yield from _metrics(needs, cluster)
    for name, versions in needs.definitions.items():
        found = cluster.definitions.get(name)
        subject = f"definition {name}"
        if isinstance(found, Hidden):
            yield from _hidden(subject, name, needs, cluster, found)
        elif found is None:
            if name not in needs.installed:
                advice = (
                    "Let its owner install it, or set kubernetes.crds: install" if name.endswith(".scalr.io") else "Install its operator"
                )
                yield error(subject, "does not exist in the cluster, and this stack does not install it", advice)
        else:
            yield from _existing(subject, found, versions, installed=name in needs.installed)


def _metrics(needs: Needs, cluster: Cluster) -> Findings:
    if isinstance(cluster.groups, Hidden) or _METRICS in cluster.groups:
        return
    for key in needs.own:
        if key.kind == "HorizontalPodAutoscaler":
            problem = "the cluster does not measure what pods use, so the number of agents never changes"
            yield error(f"{key.kind} {key.name}", problem, "Install a metrics server")


def _hidden(subject: str, name: str, needs: Needs, cluster: Cluster, hidden: Hidden) -> Findings:
    """Without permission to read it, its group still shows in the discovery of the API server."""
    group = name.partition(".")[2]
    if not isinstance(cluster.groups, Hidden) and group not in cluster.groups and name not in needs.installed:
        yield error(subject, f"the API server has no group {group}", "Ask the cluster's administrator to install it")
    else:
        yield note(subject, f"cannot see whether it exists and what it serves: {hidden.reason}")


def _existing(subject: str, found: Definition, versions: set[str], *, installed: bool) -> Findings:
    if found.deleted:
        yield error(subject, "is being deleted, and all its objects with it", "Wait until it is gone, then install it again")
    missing = versions - found.served
    if missing and not installed:
        problem = f"serves {listed(sorted(found.served)) or 'no version'}, and the stack needs {listed(sorted(missing))}"
        yield error(subject, problem, "Upgrade it")
    others = sorted(manager for manager in found.managers if not _is_harmless(manager))
    if installed and found.release:
        yield warning(
            subject,
            f"belongs to the Helm release {found.release}; pulumi up fails if its content differs",
            "Set kubernetes.crds: expect, or uninstall the release after you have moved its agents",
        )
    elif installed and others and not found.pulumi:
        advice = "Set kubernetes.crds: expect to use it as it is, or replace it once: docs/operations.md#troubleshooting"
        yield note(subject, f"exists and is managed by {listed(others)}; pulumi up fails if its content differs", advice)


def _is_harmless(manager: str) -> bool:
    """The API server sets the status and the accepted names of every definition."""
    return manager in ("", "kube-apiserver", FIELD_MANAGER) or manager.startswith("pulumi-kubernetes")
