"""The EFS file system of a cache, with what belongs to it for as long as it lives: its policies and its creation token."""

import json
import re
from collections.abc import Mapping
from typing import Any

import pulumi
import pulumi_aws as aws

from scalr_agents.caches import efs
from scalr_agents.resources.options import child, error_hook, optional

_LEFT_BEHIND = re.compile(r"File system '(fs-[0-9a-f]+)' already exists with creation token")


def register(
    name: str,
    settings: efs.EfsSettings,
    owner: pulumi.ComponentResource,
    tags: Mapping[str, Any],
    opts: pulumi.ResourceOptions | None,
    *,
    keep: bool,
) -> tuple[pulumi.Output[str], pulumi.CustomResource]:
    """Register the file system and what belongs to it as children of a component: its id, and its policy to wait for.

    `keep` leaves them when they leave the program.
    """
    # Known before the file system is made: AWS then refuses to make it twice, should a deployment be stopped in between.
    token = pulumi.Stash(
        f"{name}-creation-token",
        input={"kmsKey": settings.kms_key},  # what replaces the file system
        opts=child(owner, opts, replace_on_changes=["input"]),
    )
    file_system = aws.efs.FileSystem(
        f"{name}-file-system",
        creation_token=token.id,
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
            ignore_changes=["creationToken"],  # what is deployed keeps its own
            delete_before_replace=False,  # which the provider asks for where it is told the token; here the new one differs
            hooks=pulumi.ResourceHookBinding(on_error=[error_hook(f"{name}-creation-token", lambda refused: _explain(name, refused))]),
        ),
    )
    kept = child(owner, opts, retain_on_delete=keep)
    aws.efs.BackupPolicy(
        f"{name}-backup-policy",
        file_system_id=file_system.id,
        backup_policy={"status": "DISABLED"},  # what is cached can be downloaded again
        opts=kept,
    )
    policy = aws.efs.FileSystemPolicy(
        f"{name}-policy",
        file_system_id=file_system.id,
        policy=pulumi.Output.all(file_system.arn, settings.driver_role).apply(lambda known: file_system_policy(*known)),
        opts=kept,
    )
    return file_system.id, policy


def _explain(name: str, refused: pulumi.ErrorHookArgs) -> bool:
    """Say what to do about a file system that a deployment has left behind; no second try."""
    for left in filter(None, map(_LEFT_BEHIND.search, refused.errors)):
        pulumi.log.error(left_behind(name, left[1]))
    return False


def left_behind(name: str, file_system: str) -> str:
    """What to do about a file system that has the creation token of a cache and is not in the state."""
    return (
        f"File system {file_system} was made for {name!r} by a deployment that was interrupted, and nothing uses it. Delete it, and run "
        f"`pulumi up` again:\n  aws efs delete-file-system --file-system-id {file_system}\n"
        "If you have taken it out of the state yourself, give its id as the cache's file system instead."
    )


def _lifecycle(days: int | None) -> list[aws.efs.FileSystemLifecyclePolicyArgsDict] | None:
    if days is None:
        return None
    after = "AFTER_1_DAY" if days == 1 else f"AFTER_{days}_DAYS"
    return [{"transition_to_ia": after}, {"transition_to_primary_storage_class": "AFTER_1_ACCESS"}]


def file_system_policy(arn: str, driver_role: str = "") -> str:
    """Who may do what with a file system: the driver, or everybody, mounts and writes by access points.

    Through a mount target and encrypted in transit. An access point decides which directory a client sees and as which user; without
    one, clients would see all of it, as the user they say they are. Root of a client is not root of the files. Denials hold for those
    whom policies of their own allow more; AWS compares no other conditions of who mounts than these.
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
