"""The EFS file system of a cache, with its policies and its creation token."""

import json
import re
from collections.abc import Mapping
from typing import Any

import pulumi
from pulumi_aws import efs

from scalr_agents.caches.efs import EfsSettings
from scalr_agents.resources.component import child, error_hook
from scalr_agents.resources.outputs import answered, optional

_LEFT_BEHIND = re.compile(r"File system '(fs-[0-9a-f]+)' already exists with creation token")


def register(
    name: str,
    settings: EfsSettings,
    owner: pulumi.ComponentResource,
    tags: Mapping[str, Any],
    opts: pulumi.ResourceOptions | None,
    *,
    keep: bool,
) -> tuple[pulumi.Output[str], pulumi.CustomResource]:
    """Register the file system and its policies as children of a component. Returns its id, and the policy to wait for.

    With `keep`, they stay in AWS when they are removed from the program.
    """
    # Stored before the file system is created: if a deployment is interrupted, AWS refuses to create a second one with this token.
    token = pulumi.Stash(
        f"{name}-creation-token",
        # A change of it replaces the file system.
        input={"kmsKey": settings.kms_key, **({"zone": settings.zone} if settings.zone else {})},
        opts=child(owner, opts, replace_on_changes=["input"]),
    )
    file_system = efs.FileSystem(
        f"{name}-file-system",
        creation_token=token.id,
        availability_zone_name=optional(settings.zone),
        encrypted=True,
        kms_key_id=optional(settings.kms_key),
        throughput_mode=settings.throughput_mode,
        provisioned_throughput_in_mibps=settings.provisioned_throughput_mibps,
        lifecycle_policies=_lifecycle(settings.infrequent_access_after_days),
        tags=tags,
        opts=child(
            owner,
            opts,
            retain_on_delete=keep,
            ignore_changes=["creationToken"],  # existing file systems keep theirs
            delete_before_replace=False,  # the provider asks for true if there is a token; here a replacement gets a new token
            hooks=pulumi.ResourceHookBinding(on_error=[error_hook(f"{name}-creation-token", lambda refused: _explain(name, refused))]),
        ),
    )
    kept = child(owner, opts, retain_on_delete=keep)
    efs.BackupPolicy(
        f"{name}-backup-policy",
        file_system_id=file_system.id,
        backup_policy={"status": "DISABLED"},  # cached files can be downloaded again
        opts=kept,
    )
    arn = answered("aws:efs/fileSystem:FileSystem", file_system.arn, "arn")
    policy = efs.FileSystemPolicy(
        f"{name}-policy",
        file_system_id=file_system.id,
        policy=pulumi.Output.all(arn, settings.driver_role).apply(lambda known: file_system_policy(*known)),
        opts=kept,
    )
    return file_system.id, policy


def _explain(name: str, refused: pulumi.ErrorHookArgs) -> bool:
    """Log what to do about a file system that a deployment has left behind. No retry."""
    for left in filter(None, map(_LEFT_BEHIND.search, refused.errors)):
        pulumi.log.error(left_behind(name, left[1]))
    return False


def left_behind(name: str, file_system: str) -> str:
    """What to do about a file system that has the creation token of a cache and is not in the state."""
    return (
        f"File system {file_system} was created for {name!r} by a deployment that was interrupted, and nothing uses it. Delete it, and "
        f"run `pulumi up` again:\n  aws efs delete-file-system --file-system-id {file_system}\n"
        "If you removed it from the state yourself, set its id as the existing file system of the cache instead."
    )


def _lifecycle(days: int | None) -> list[efs.FileSystemLifecyclePolicyArgsDict] | None:
    if days is None:
        return None
    after = "AFTER_1_DAY" if days == 1 else f"AFTER_{days}_DAYS"
    return [{"transition_to_ia": after}, {"transition_to_primary_storage_class": "AFTER_1_ACCESS"}]


def file_system_policy(arn: str, driver_role: str = "") -> str:
    """The policy of a file system: the driver's role, or every client, may mount and write, but only through access points.

    Clients must use a mount target and encryption in transit. An access point sets the directory that a client sees, and its user;
    without one, clients would see the whole file system as any user that they choose. Root of a client is not root of the files. The
    denials also apply to identities whose own policies allow more. AWS evaluates no other conditions for a mount.
    """
    access_points = f"{arn.rpartition(':file-system/')[0]}:access-point/*"
    return json.dumps(
        {
            "Version": "2012-10-17",
            "Statement": [
                {
                    "Sid": "MountTargetsOnly",
                    "Effect": "Allow",
                    "Principal": {"AWS": driver_role or "*"},
                    "Action": ["elasticfilesystem:ClientMount", "elasticfilesystem:ClientWrite"],
                    "Resource": arn,
                    "Condition": {"Bool": {"elasticfilesystem:AccessedViaMountTarget": "true"}},
                },
                {
                    "Sid": "AccessPointsOnly",
                    "Effect": "Deny",
                    "Principal": {"AWS": "*"},
                    "Action": "elasticfilesystem:Client*",
                    "Resource": arn,
                    "Condition": {"StringNotLike": {"elasticfilesystem:AccessPointArn": access_points}},  # true without one, too
                },
                {
                    "Sid": "EncryptedInTransit",
                    "Effect": "Deny",
                    "Principal": {"AWS": "*"},
                    "Action": "*",
                    "Resource": arn,
                    "Condition": {"Bool": {"aws:SecureTransport": "false"}},
                },
            ],
        }
    )
