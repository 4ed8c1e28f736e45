"""Answers of a cluster, as far as the credential of the user may see them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias, TypeVar

T = TypeVar("T")
Json = dict[str, Any]
"""An object as the API server answers it."""


@dataclass(frozen=True)
class Hidden:
    """What cannot be seen, and why: a permission is missing, or the API server does not answer."""

    reason: str


Seen: TypeAlias = T | Hidden
Found: TypeAlias = T | Hidden | None
"""`None` if it does not exist."""


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What the API server answers to an object that is submitted with a dry run."""

    status: int
    """Status of HTTP."""
    message: str = ""
    """Why it is refused; empty if it is accepted."""
    fields: Sequence[str] = ()
    """The fields that are refused, as far as the API server names them."""
    warnings: Sequence[str] = ()
    accepted: Mapping[str, Any] = field(default_factory=dict)
    """The object with the defaults of the cluster; empty if it is refused."""

    @property
    def spec(self) -> Mapping[str, Any]:
        """Its spec; empty if it is refused or has none."""
        spec: Mapping[str, Any] = self.accepted.get("spec") or {}
        return spec
