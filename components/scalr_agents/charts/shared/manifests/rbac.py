"""The service account and its permissions."""

from collections.abc import Mapping, Sequence
from typing import Any

from scalr_agents.charts.shared.values import PolicyRule
from scalr_agents.model.manifests import Manifest
from scalr_agents.model.release import Release

_GROUP = "rbac.authorization.k8s.io"


def namespaced(rules: Sequence[PolicyRule], release: Release) -> dict[str, Manifest]:
    """Role and RoleBinding of the account in the release's namespace."""
    names = release.names
    return {
        "role": role("Role", release.metadata(names.role), rules),
        "role-binding": binding("Role", names.role, release.metadata(names.role_binding), release),
    }


def service_account(release: Release, annotations: Mapping[str, Any], labels: Mapping[str, str], **fields: Any) -> Manifest:
    """The service account of a release, with its own annotations and labels added to the common ones."""
    return {
        "apiVersion": "v1",
        "kind": "ServiceAccount",
        "metadata": release.metadata(release.names.service_account, annotations=annotations, labels=labels),
        **fields,
    }


def role(kind: str, metadata: Manifest, rules: Sequence[PolicyRule]) -> Manifest:
    return {
        "apiVersion": f"{_GROUP}/v1",
        "kind": kind,
        "metadata": metadata,
        "rules": [rule.plain() for rule in rules],
    }


def binding(kind: str, role: str, metadata: Manifest, release: Release, account: str = "") -> Manifest:
    """The binding of a role to an account in the release's namespace. Default: that of the release."""
    return {
        "apiVersion": f"{_GROUP}/v1",
        "kind": f"{kind}Binding",
        "metadata": metadata,
        "roleRef": {"apiGroup": _GROUP, "kind": kind, "name": role},
        "subjects": [{"kind": "ServiceAccount", "name": account or release.names.service_account, "namespace": release.namespace}],
    }
