"""What a stack knows about a kind of cache. Each kind is a section of the stack file and has a room beside this module."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, ClassVar

from scalr_agents.caches.volumes import claim_name
from scalr_agents.model.fields import Cloud
from scalr_agents.model.findings import Findings
from scalr_agents.model.forms import Form, is_dns_label
from scalr_agents.model.manifests import Manifest
from scalr_agents.model.maps import Deferred, is_set
from scalr_agents.model.section import Section

_LONGEST_NAME = 53
"""As for a release: claims are named after the cache."""
_NAME = Form(
    expected=f"the name of a cache: at most {_LONGEST_NAME} lower case letters, digits and '-'", test=is_dns_label, longest=_LONGEST_NAME
)


class CacheKind(Section):
    """The settings of a cache in a stack file. A kind overrides what does not hold for it."""

    title: ClassVar[str]
    """Its name for people."""
    key_text: ClassVar[str]
    """Description of its key in the stack file."""
    resources: ClassVar[str]
    """The module of `scalr_agents.resources` that creates it, with the functions `look_up`, `file_system` and `claim`."""
    cloud: ClassVar[Cloud | None] = None
    """The cloud that it is on."""
    existing: ClassVar[str] = ""
    """The setting that names an existing file system, which a stack never deletes."""
    is_shared: ClassVar[bool] = False
    """Whether all agents of a cache mount one claim, each a directory of it, so that they must be in one namespace."""
    region_needed: ClassVar[bool] = False
    """Whether its provider needs a region of AWS."""
    outlives_stack: ClassVar[bool] = False
    """Whether `onDelete: keep` keeps the claims in the cluster, so that the next stack takes them over."""

    name_form: ClassVar[Form] = _NAME
    """The form of the names of such caches."""

    def named(self) -> str | Deferred:
        """The existing file system, or the empty string."""
        return getattr(self, self.existing) if self.existing else ""

    def excludes_others(self) -> bool:
        """Whether no other cache can be on the same file system."""
        return True

    def problems_of_agent(self, _namespace: str, _release: str) -> Iterator[str]:
        """Why an agent cannot use the cache."""
        yield from ()

    def problems_of_pod(self, _pod: Mapping[str, Any], _what: str, _place: str) -> Findings:
        """Findings on a pod that mounts the cache. `_what` names the pods, and `_place` is the cache's in the stack file."""
        yield from ()

    def size(self) -> str | None:
        """The capacity of the volume, if it is limited and known."""
        return None

    def gibibytes(self) -> int | None:
        """The capacity that its agents share, if it is known."""
        return None

    def claim_of(self, cache: str, release: str) -> str:
        """The name of the claim that an agent mounts."""
        return claim_name(cache if self.is_shared else release)

    def objects(self, _release: str, _namespace: str, _unknown: Callable[[str], Deferred]) -> dict[str, Manifest]:
        """Volume and claim of an agent, or of all. `_unknown` makes a placeholder for a value that only the cloud knows."""
        raise NotImplementedError


def is_existing(given: CacheKind) -> bool:
    """Whether a cache is on an existing file system."""
    return is_set(given.named())
