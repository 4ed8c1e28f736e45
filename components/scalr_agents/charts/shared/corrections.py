"""Differences between our objects and those of a published chart. Each rule belongs to a row of docs/helm-differences.md.

Every chart has its own rules. `adopt` uses them to explain why a field of a release changes.
"""

import re
from collections.abc import Callable, Collection, Mapping
from typing import Any, NamedTuple

from scalr_agents.charts.shared.contract import MIRRORS_VARIABLE
from scalr_agents.charts.shared.pods import HARDENED
from scalr_agents.model.maps import is_set, lookup

ORDER, TIMES = " (order)", " (times)"
"""Path suffixes: the order of a list, and how many times an item occurs in it."""


class _Absent:
    """Marks a missing value, as opposed to `null`."""

    def __repr__(self) -> str:
        return "nothing"


ABSENT = _Absent()


class Change(NamedTuple):
    """A field that differs. The path is empty if the whole object differs."""

    kind: str
    name: str
    """Name of the object."""
    path: str
    """Dotted path. Keys with dots or slashes, and list items (by name or mount path), are in brackets."""
    was: Any
    becomes: Any
    component: str
    """Label `app.kubernetes.io/component` of the object; empty where it has none."""


_VARIABLES = "-env"
"""Suffix of the name of the Secret with environment variables, which no chart has."""


def anything(_was: Any, _becomes: Any) -> bool:
    return True


def new(was: Any, _becomes: Any) -> bool:
    return was is ABSENT


def gone(_was: Any, becomes: Any) -> bool:
    return becomes is ABSENT


def changed(was: Any, becomes: Any) -> bool:
    return was is not ABSENT and becomes is not ABSENT


def hardened(was: Any, becomes: Any) -> bool:
    return was is ABSENT and becomes in (HARDENED, False, {"drop": ["ALL"]}, ["ALL"])


def empty(was: Any, becomes: Any) -> bool:
    return all(value is ABSENT or value in ({}, [], "") for value in (was, becomes))


def same_number(was: Any, becomes: Any) -> bool:
    try:
        return float(was) == float(becomes)
    except (TypeError, ValueError):
        return False


def our_secret(was: Any, becomes: Any) -> bool:
    return was is ABSENT and becomes["metadata"]["name"].endswith(_VARIABLES)


def out_of_our_secret(_was: Any, becomes: Any) -> bool:
    return str(lookup(becomes, "valueFrom", "secretKeyRef", "name") or "").endswith(_VARIABLES)


class Rule(NamedTuple):
    """The effect of one row on one field."""

    row: str
    """Subject of the row."""
    path: str
    """Regular expression for the path of the field; empty for whole objects."""
    kinds: Collection[str] = ()
    """Kinds of objects. Default: all."""
    test: Callable[[Any, Any], bool] = anything
    """Test on the old and the new value of the field."""
    component: str = ""
    """Only objects of this component. Default: all."""
    given: str = ""
    """A value that must be set for the correction to have an effect."""
    charts: Collection[str] = ()
    """Versions of the chart. Default: all."""

    def fits(self, change: Change, values: Mapping[str, Any], chart_version: str) -> bool:
        return (
            re.fullmatch(self.path, change.path) is not None
            and (not self.kinds or change.kind in self.kinds)
            and self.test(change.was, change.becomes)
            and self.component in ("", change.component)
            and (not self.given or is_set(lookup(values, *self.given.split("."))))
            and (not self.charts or chart_version in self.charts)
        )


TEMPLATE = r"spec\.(jobTemplate\.spec\.)?template\."
ENV = rf"{TEMPLATE}spec\.containers\[.*?\]\.env"
_OUR_LABELS = r"metadata\.labels\[app\.kubernetes\.io/(name|instance|version|component)\]"
_UNLABELLED = (
    "Role",
    "RoleBinding",
    "ClusterRole",
    "ClusterRoleBinding",
    "NetworkPolicy",
    "PersistentVolume",
    "PersistentVolumeClaim",
    "StorageClass",
)

ALL = (
    Rule("Label `helm.sh/chart`", r"metadata\.labels\[helm\.sh/chart\]", test=gone),
    Rule("Label `app.kubernetes.io/managed-by`", r"metadata\.labels\[app\.kubernetes\.io/managed-by\]"),
    Rule("Labels of objects", _OUR_LABELS, _UNLABELLED, new),
    Rule("CustomResourceDefinitions", r".*", ("CustomResourceDefinition",)),
    Rule("Secret environment variables", rf"{ENV}\[.*\]", test=out_of_our_secret),
    Rule("Secret environment variables", "", ("Secret",), our_secret),
    Rule("Duplicated variables", rf"{ENV}\[.*\]{re.escape(TIMES)}"),
    Rule("Disk of pods", rf"{TEMPLATE}spec\.containers\[.*\]\.resources(\.(requests|limits)(\.ephemeral-storage)?)?", test=new),
    Rule("Disk of pods", rf"{TEMPLATE}spec\.volumes\[.*\]\.emptyDir\.sizeLimit", test=new),
    Rule("Large numbers in `extraEnv`", rf"{ENV}\[.*\]\.value", test=same_number),
    Rule("Order of variables and mounts", rf".*\.(env|volumeMounts|volumes){re.escape(ORDER)}"),
    Rule("Empty fields", rf"{TEMPLATE}.+", test=empty),
)
MIRRORS = Rule("Tokens of provider mirrors", rf"{ENV}\[{MIRRORS_VARIABLE}\]", test=out_of_our_secret)
CHECKSUM = rf"{TEMPLATE}metadata\.annotations\[checksum/secrets\]"
