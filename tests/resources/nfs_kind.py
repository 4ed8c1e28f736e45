"""A kind of cache that does not exist: an NFS server. All that a stack needs to know about it is in this module."""

from collections.abc import Callable
from typing import Annotated, Any, ClassVar

import pulumi
from scalr_agents.caches.kind import CacheKind
from scalr_agents.caches.volumes import claim_name
from scalr_agents.model.fields import Text
from scalr_agents.model.forms import REQUIRED
from scalr_agents.model.manifests import Manifest
from scalr_agents.model.maps import Deferred
from scalr_agents.stack.caches import Claim


class NfsKind(CacheKind):
    """A cache on an NFS server."""

    title: ClassVar[str] = "NFS"
    key_text: ClassVar[str] = "A directory of an NFS server."
    resources: ClassVar[str] = "nfs"

    nfs_server: Annotated[Text, REQUIRED] = ""
    """Name of the server. Required."""

    def objects(self, release: str, namespace: str, _unknown: Callable[[str], Deferred]) -> dict[str, Manifest]:
        return {"claim": {"kind": "PersistentVolumeClaim", "metadata": {"name": claim_name(release), "namespace": namespace}}}


KIND = NfsKind


class NfsClaim(pulumi.ComponentResource):
    """What deploys it; in the package it would be in `resources/`."""

    def __init__(self, name: str, server: str, opts: pulumi.ResourceOptions) -> None:
        super().__init__("tests:index:NfsClaim", name, {"server": server}, opts)
        self.mounts = [self]


def subject(_settings: NfsKind) -> str:
    return ""


def file_system(_name: str, _settings: NfsKind, _found: Any, *, keep: bool) -> None:
    del keep


def claim(name: str, _wanted: Claim, settings: NfsKind, _system: None, opts: pulumi.ResourceOptions, *, keep: bool) -> NfsClaim:
    assert keep
    return NfsClaim(name, settings.nfs_server, opts)
