"""EFS as AWS documents it: it takes time to create and delete file systems and mount targets; until then they cannot be used."""

import time
from typing import Any

from moto.core.responses import ActionResult
from moto.efs import urls
from moto.efs.exceptions import EFSError, FileSystemInUse, FileSystemNotFound, MountTargetNotFound, PolicyNotFound, SecurityGroupNotFound
from moto.efs.models import EFSBackend, FileSystem, MountTarget
from moto.efs.responses import EFSResponse

_FILE_SYSTEM_SECONDS, _MOUNT_TARGET_SECONDS = 0.3, 1.0
MANAGED_KEY = "arn:aws:kms:eu-west-1:123456789012:key/00000000-aaaa-bbbb-cccc-0000000000ef"
"""The key that AWS manages."""


class NotReadyError(EFSError):
    """A request for a file system that is being created or deleted."""

    code = 409

    def __init__(self, message: str) -> None:
        super().__init__("IncorrectFileSystemLifeCycleState", message)


class TakenError(EFSError):
    """A file system with this creation token exists. The error contains its id."""

    code = 409

    def __init__(self, identity: str, token: str) -> None:
        super().__init__("FileSystemAlreadyExists", f"File system '{identity}' already exists with creation token '{token}'")


class FileSystems(EFSBackend):
    """File systems, mount targets and access points."""

    _url_module: Any = urls  # which moto looks for beside the class

    def __init__(self, region_name: str, account_id: str) -> None:
        super().__init__(region_name, account_id)
        self._since: dict[str, float] = {}
        """When the creation of a resource began."""
        self._leaving: dict[str, float] = {}
        """When the deletion of a mount target began."""
        self._backups: dict[str, str] = {}

    def state(self, identity: str, seconds: float) -> str:
        """The state of a resource whose creation takes this many seconds."""
        if identity in self._leaving:
            return "deleting"
        return "available" if time.monotonic() - self._since[identity] > seconds else "creating"

    def create_file_system(self, creation_token: str, *args: Any, **given: Any) -> FileSystem:
        for other in self.file_systems_by_id.values():
            if other.creation_token == creation_token:
                raise TakenError(other.file_system_id, creation_token)
        made = super().create_file_system(creation_token, *args, **given)
        if made.encrypted and not made.kms_key_id:
            made.kms_key_id = MANAGED_KEY
        self._since[made.file_system_id] = time.monotonic()
        return made

    def delete_file_system(self, file_system_id: str) -> None:
        self._sweep()
        if file_system_id in self.file_systems_by_id and self.file_systems_by_id[file_system_id].number_of_mount_targets:
            raise FileSystemInUse("Must delete all mount targets before deleting file system.")
        super().delete_file_system(file_system_id)
        for access_point in [each for each in self.access_points.values() if each.file_system_id == file_system_id]:
            del self.access_points[access_point.access_point_id]

    def create_mount_target(self, file_system_id: str, subnet_id: str, **given: Any) -> MountTarget:
        self.demand(file_system_id)
        for group in given.get("security_groups") or []:
            found = self.ec2_backend.get_security_group_from_id(group)
            if found is None or found.vpc_id != self.ec2_backend.get_subnet(subnet_id).vpc_id:
                raise SecurityGroupNotFound(group)
        made = super().create_mount_target(file_system_id, subnet_id, **given)
        self._since[made.mount_target_id] = time.monotonic()
        return made

    def describe_mount_targets(self, *args: Any, **given: Any) -> tuple[str | None, list[MountTarget]]:
        self._sweep()
        marker, targets = super().describe_mount_targets(*args, **given)
        for target in targets:
            target.life_cycle_state = self.state(target.mount_target_id, _MOUNT_TARGET_SECONDS)
        return marker, targets

    def delete_mount_target(self, mount_target_id: str) -> None:
        if mount_target_id not in self.mount_targets_by_id:
            raise MountTargetNotFound(mount_target_id)
        self._leaving[mount_target_id] = time.monotonic()

    def create_access_point(self, client_token: str, tags: Any, file_system_id: str, *args: Any, **given: Any) -> Any:
        self.demand(file_system_id)
        return super().create_access_point(client_token, tags, file_system_id, *args, **given)

    def put_lifecycle_configuration(self, file_system_id: str, policies: list[dict[str, str]]) -> None:
        self.demand(file_system_id)
        super().put_lifecycle_configuration(file_system_id, policies)

    def put_file_system_policy(self, file_system_id: str, *args: Any, **given: Any) -> None:
        self.demand(file_system_id)
        super().put_file_system_policy(file_system_id, *args, **given)

    def describe_file_system_policy(self, file_system_id: str) -> str:
        self._known(file_system_id)
        return str(super().describe_file_system_policy(file_system_id))

    def demand(self, file_system_id: str) -> FileSystem:
        """A file system that is available."""
        found = self._known(file_system_id)
        if (state := self.state(file_system_id, _FILE_SYSTEM_SECONDS)) != "available":
            raise NotReadyError(f"file system {file_system_id} is {state}")
        return found

    def describe_file_systems(self, *args: Any, **given: Any) -> tuple[str | None, list[FileSystem]]:
        marker, systems = super().describe_file_systems(*args, **given)
        for system in systems:
            system.life_cycle_state = self.state(system.file_system_id, _FILE_SYSTEM_SECONDS)
        return marker, systems

    # What moto lacks

    def put_backup_policy(self, given: dict[str, Any]) -> dict[str, Any]:
        self.demand(given["FileSystemId"])
        self._backups[given["FileSystemId"]] = given["BackupPolicy"]["Status"]
        return {"BackupPolicy": given["BackupPolicy"]}

    def describe_backup(self, given: dict[str, Any]) -> dict[str, Any]:
        self._known(given["FileSystemId"])
        if given["FileSystemId"] not in self._backups:
            raise PolicyNotFound("None")
        return {"BackupPolicy": {"Status": self._backups[given["FileSystemId"]]}}

    def update_file_system(self, given: dict[str, Any]) -> dict[str, Any]:
        system = self.demand(given["FileSystemId"])
        system.throughput_mode = given.get("ThroughputMode", system.throughput_mode)
        rate = given.get("ProvisionedThroughputInMibps", system.provisioned_throughput_in_mibps)
        system.provisioned_throughput_in_mibps = rate if system.throughput_mode == "provisioned" else None
        answer: dict[str, Any] = system.info_json()
        return answer

    def delete_file_system_policy(self, given: dict[str, Any]) -> dict[str, Any]:
        self._known(given["FileSystemId"]).file_system_policy = None
        return {}

    def _known(self, file_system_id: str) -> FileSystem:
        if file_system_id not in self.file_systems_by_id:
            raise FileSystemNotFound(file_system_id)
        return self.file_systems_by_id[file_system_id]

    def _sweep(self) -> None:
        """Remove the mount targets whose deletion is complete."""
        for target, since in list(self._leaving.items()):
            if time.monotonic() - since > _MOUNT_TARGET_SECONDS:
                super().delete_mount_target(target)
                del self._leaving[target]


def install() -> None:
    """Delegate other requests to moto."""
    for operation, method in (
        ("put_backup_policy", FileSystems.put_backup_policy),
        ("describe_backup_policy", FileSystems.describe_backup),
        ("update_file_system", FileSystems.update_file_system),
        ("delete_file_system_policy", FileSystems.delete_file_system_policy),
    ):
        setattr(EFSResponse, operation, _answering(method))


def _answering(method: Any) -> Any:
    def answer(response: EFSResponse) -> ActionResult:
        given = {word: value for word in _WORDS if (value := response._get_param(word)) is not None}
        return ActionResult(method(response.efs_backend, given))

    return answer


_WORDS = ("FileSystemId", "BackupPolicy", "ThroughputMode", "ProvisionedThroughputInMibps")
