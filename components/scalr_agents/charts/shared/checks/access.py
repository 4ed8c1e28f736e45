"""Cross-checks of what agents may do: rules of roles, service accounts, the metadata service."""

from collections.abc import Mapping

from scalr_agents.model.findings import Findings, entry, warning

_GKE_IDENTITY = "iam.gke.io/gcp-service-account"
_KUBE2IAM_ROLE = "iam.amazonaws.com/role"
_METADATA_ENDPOINT = "AWS_EC2_METADATA_SERVICE_ENDPOINT"


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
