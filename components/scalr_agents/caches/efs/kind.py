"""Amazon EFS as a cache of a stack: each agent has its own access point, volume and claim."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, ClassVar

from scalr_agents.caches.efs import volume
from scalr_agents.caches.efs.settings import EfsSettings, PosixId, access_path, path_problem
from scalr_agents.caches.kind import CacheKind
from scalr_agents.caches.volumes import OWNER
from scalr_agents.model.fields import Cloud
from scalr_agents.model.findings import Findings, error
from scalr_agents.model.manifests import Manifest
from scalr_agents.model.maps import Deferred, is_set, lookup
from scalr_agents.model.release import CACHE_VOLUME


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

    def excludes_others(self) -> bool:
        """Access points exclude nobody, but mount targets do."""
        return self.has_network

    def problems_of_agent(self, namespace: str, release: str) -> Iterator[str]:
        yield from filter(None, [path_problem(access_path(namespace, release))])

    def problems_of_pod(self, pod: Mapping[str, Any], what: str, place: str) -> Findings:
        """An error for a pod that mounts the cache as another user than the owner of its files."""
        users = sorted(_users(pod) - {self.uid})
        if users:
            yield error(
                "",
                f"its {what} run as user {' and '.join(map(str, users))}, but all files of the cache belong to user {self.uid}; "
                f"set {place}.efs.uid, or change the agent's securityContext",
            )

    def objects(self, release: str, namespace: str, unknown: Callable[[str], Deferred]) -> dict[str, Manifest]:
        return volume.volume_manifests(release, namespace, unknown("volumeHandle"), iam=is_set(self.driver_role), zone=self.zone)


def _users(pod: Mapping[str, Any]) -> set[int]:
    """The user ids of the containers that mount the cache, as far as the pod sets them."""
    mounting = [
        container
        for container in pod["containers"]
        if any(mount.get("name") == CACHE_VOLUME for mount in container.get("volumeMounts", ()))
    ]
    of_pod = lookup(pod, "securityContext", "runAsUser")
    users = [container.get("securityContext", {}).get("runAsUser", of_pod) for container in mounting]
    return {user for user in users if isinstance(user, int)}


KIND = EfsKind
