"""Amazon EFS as a cache of a stack: each agent has its own access point, volume and claim."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, ClassVar

from scalr_agents.caches.efs import checks, volume
from scalr_agents.caches.efs.settings import EfsSettings, PosixId, access_path
from scalr_agents.caches.kind import CacheKind
from scalr_agents.caches.volumes import OWNER
from scalr_agents.model.clouds import Cloud
from scalr_agents.model.findings import Findings
from scalr_agents.model.forms import Deferred, is_set
from scalr_agents.model.manifests import Manifest
from scalr_agents.model.spelling import Spelling


class EfsKind(EfsSettings, CacheKind):
    """A cache on Amazon EFS. Every agent gets its own directory, volume and claim."""

    title: ClassVar[str] = "Amazon EFS"
    key_text: ClassVar[str] = "A new or existing file system on Amazon EFS."
    resources: ClassVar[str] = "aws.efs"
    cloud: ClassVar[Cloud | None] = "aws"
    existing: ClassVar[str] = "file_system_id"
    region_needed: ClassVar[bool] = True

    uid: PosixId = OWNER
    """Numeric ID of the user that owns the files. The agents' pods must run as this user."""
    gid: PosixId = OWNER
    """Numeric ID of the group that owns the files."""

    def check(self, spelling: Spelling) -> Findings:
        return checks.check(self, spelling)

    def excludes_others(self) -> bool:
        """Access points exclude nobody, but mount targets do."""
        return self.has_network

    def problems_of_agent(self, namespace: str, release: str) -> Iterator[str]:
        return checks.path_problems(access_path(namespace, release))

    def problems_of_pod(self, pod: Mapping[str, Any], what: str, place: str) -> Findings:
        return checks.check_users(pod, what, place, self.uid)

    def objects(self, release: str, namespace: str, unknown: Callable[[str], Deferred]) -> dict[str, Manifest]:
        return volume.volume_manifests(release, namespace, unknown("volumeHandle"), iam=is_set(self.driver_role), zone=self.zone)


KIND = EfsKind
