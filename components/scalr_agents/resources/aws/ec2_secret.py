"""The secret of machines on EC2."""

from collections.abc import Mapping
from typing import Any

import pulumi
from pulumi_aws import secretsmanager

from scalr_agents.model.maps import Deferred, is_set
from scalr_agents.resources import machine_group
from scalr_agents.resources.component import child, explained
from scalr_agents.resources.outputs import optional

_UNIQUE = 8


def register(
    owner: pulumi.ComponentResource,
    name: str,
    content: pulumi.Output[str],
    key: str | Deferred,
    tags: Mapping[str, Any],
    opts: pulumi.ResourceOptions | None,
) -> tuple[secretsmanager.Secret, secretsmanager.SecretVersion]:
    """Register the secret of the machines `name`, encrypted with `key` if it is set, and its content, as children of `owner`.

    AWS reserves the name of a deleted secret for seven days, so each deployment has its own name, which is stored before the secret is
    created.
    """
    part = pulumi.Stash(f"{name}-secret-name", input=name, opts=child(owner, opts))
    beginning = machine_group.in_cloud(name)
    hooks = explained(
        name,
        f"a secret of {beginning}",
        f"aws secretsmanager list-secrets --filters Key=name,Values={beginning} --query 'SecretList[].Name'",
        "aws secretsmanager delete-secret --force-delete-without-recovery --secret-id <name>",
    )
    secret = secretsmanager.Secret(
        f"{name}-secret",
        name=part.id.apply(lambda unique: f"{beginning}-{unique[:_UNIQUE]}"),
        description=f"Variables of Scalr agent {name}",
        kms_key_id=optional(key),
        recovery_window_in_days=7,
        tags=tags,
        # Existing secrets keep their names. They also keep a key that is no longer set, because the provider cannot remove it.
        opts=child(owner, opts, ignore_changes=["name", *([] if is_set(key) else ["kmsKeyId"])], hooks=hooks),
    )
    version = secretsmanager.SecretVersion(f"{name}-secret-version", secret_id=secret.id, secret_string=content, opts=child(owner, opts))
    return secret, version
