"""The service account and its permissions."""

from collections.abc import Mapping, Sequence
from typing import Any

from scalr_agents.charts.shared.manifests.objects import Manifest, present
from scalr_agents.charts.shared.values import PolicyRule, Rbac, ServiceAccount
from scalr_agents.model.release import Release

_GROUP = "rbac.authorization.k8s.io"


def objects(account: ServiceAccount, rbac: Rbac, release: Release) -> dict[str, Manifest]:
    """ServiceAccount, Role and ClusterRole with their bindings. Without cluster rules, no cluster-scoped object is made."""
    names = release.names
    made: dict[str, Manifest] = {}
    if account.create:
        made["service-account"] = service_account(release, account.annotations, account.labels)
    if rbac.create:
        made |= namespaced(rbac.rules, release)
    if rbac.create and rbac.cluster_rules:
        made["cluster-role"] = _role("ClusterRole", release.cluster_metadata(names.cluster_role), rbac.cluster_rules)
        made["cluster-role-binding"] = _binding(
            "ClusterRole", names.cluster_role, release.cluster_metadata(names.cluster_role_binding), release
        )
    return made


def namespaced(rules: Sequence[PolicyRule], release: Release) -> dict[str, Manifest]:
    """Role and RoleBinding of the account in the release's namespace."""
    names = release.names
    return {
        "role": _role("Role", release.metadata(names.role), rules),
        "role-binding": _binding("Role", names.role, release.metadata(names.role_binding), release),
    }


def service_account(release: Release, annotations: Mapping[str, Any], labels: Mapping[str, str], **fields: Any) -> Manifest:
    """The service account of a release, with its own annotations and labels added to the common ones."""
    metadata = release.metadata(release.names.service_account, annotations={**release.common_annotations, **annotations})
    return {
        "apiVersion": "v1",
        "kind": "ServiceAccount",
        "metadata": present(metadata | {"labels": metadata["labels"] | labels}),
        **fields,
    }


def _role(kind: str, metadata: Manifest, rules: Sequence[PolicyRule]) -> Manifest:
    return {
        "apiVersion": f"{_GROUP}/v1",
        "kind": kind,
        "metadata": metadata,
        "rules": [rule.plain() for rule in rules],
    }


def _binding(kind: str, role: str, metadata: Manifest, release: Release) -> Manifest:
    return {
        "apiVersion": f"{_GROUP}/v1",
        "kind": f"{kind}Binding",
        "metadata": metadata,
        "roleRef": {"apiGroup": _GROUP, "kind": kind, "name": role},
        "subjects": [{"kind": "ServiceAccount", "name": release.names.service_account, "namespace": release.namespace}],
    }
