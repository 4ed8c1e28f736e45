"""What pods may do: the service account and its permissions, and cross-checks of accounts and of the metadata service."""

from collections.abc import Mapping, Sequence
from typing import Any

from scalr_agents.charts.shared.values import PolicyRule
from scalr_agents.model.findings import Findings, entry, warning
from scalr_agents.model.manifests import Manifest
from scalr_agents.model.release import Release

_GROUP = "rbac.authorization.k8s.io"
_GKE_IDENTITY = "iam.gke.io/gcp-service-account"
_KUBE2IAM_ROLE = "iam.amazonaws.com/role"
_METADATA_ENDPOINT = "AWS_EC2_METADATA_SERVICE_ENDPOINT"


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


def metadata_service(
    opened: str,
    *,
    accounts: Mapping[str, Mapping[str, object]],
    pods: Mapping[str, Mapping[str, object]],
    environments: Mapping[str, Mapping[str, object]],
) -> Findings:
    """Warnings on settings that need the metadata service while it is blocked.

    `opened` is the setting that allows access. The others are annotations of accounts and pods, and variables, by their path in the values.
    """
    reliant = [
        *(entry(path, _GKE_IDENTITY) for path, annotations in accounts.items() if _GKE_IDENTITY in annotations),
        *(entry(path, _KUBE2IAM_ROLE) for path, annotations in pods.items() if _KUBE2IAM_ROLE in annotations),
        *(entry(path, _METADATA_ENDPOINT) for path, variables in environments.items() if _METADATA_ENDPOINT in variables),
    ]
    for path in reliant:
        yield warning(
            path,
            f"takes credentials from the metadata service, which runs cannot reach; set {opened} "
            "(IRSA and EKS Pod Identity need no metadata service)",
        )


def brought_account(*, create: bool, annotations: Mapping[str, object], labels: Mapping[str, object]) -> Findings:
    """Settings that have no effect on a service account that is not created here."""
    for key, given in (("annotations", annotations), ("labels", labels)):
        if given and not create:
            yield warning(f"serviceAccount.{key}", "has no effect: serviceAccount.create is false, so the account is managed elsewhere")
