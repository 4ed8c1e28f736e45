"""The service account and its permissions."""

from scalr_agents.charts.agent_job import names
from scalr_agents.charts.agent_job.values.access import Rbac, ServiceAccount
from scalr_agents.charts.shared.manifests import rbac
from scalr_agents.model.manifests import Manifest
from scalr_agents.model.release import Release


def objects(account: ServiceAccount, permissions: Rbac, release: Release) -> dict[str, Manifest]:
    """ServiceAccount, Role and ClusterRole with their bindings. Without cluster rules, no cluster-scoped object is made."""
    own = names.of(release)
    made: dict[str, Manifest] = {}
    if account.create:
        made["service-account"] = rbac.service_account(release, account.annotations, account.labels)
    if permissions.create:
        made |= rbac.namespaced(permissions.rules, release)
    if permissions.create and permissions.cluster_rules:
        made["cluster-role"] = rbac.role("ClusterRole", release.cluster_metadata(own.cluster_role), permissions.cluster_rules)
        made["cluster-role-binding"] = rbac.binding(
            "ClusterRole", own.cluster_role, release.cluster_metadata(own.cluster_role_binding), release
        )
    return made
