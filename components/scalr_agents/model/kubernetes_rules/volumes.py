"""Rules on volumes and their mounts."""

from collections.abc import Callable, Mapping
from typing import Any

from scalr_agents.model import quantities
from scalr_agents.model.forms import OUTSIDE_OF_NODE
from scalr_agents.model.kubernetes_rules.parts import Fields, Problems, known, number, object_name, one_of, relative_path
from scalr_agents.model.maps import is_set

_LARGEST_MODE = 0o777
_NO_SIZE = "not a size greater than zero, for instance 512Mi or 40Gi"
_SHORTEST_TOKEN_SECONDS = 600


def _volume(given: Fields) -> Problems:
    """A volume without a source is an emptyDir."""
    yield from one_of(given, [field for field in given if field != "name"], needed=False)


def _mount(given: Fields) -> Problems:
    if known(given, "mountPath") == "/":
        yield ("mountPath",), "hides all files of the image, so that nothing can start; mount the volume on another directory"
    yield from one_of(given, [field for field in ("subPath", "subPathExpr") if is_set(given.get(field))], needed=False)
    for field in ("subPath", "subPathExpr"):
        yield from relative_path(given, field)


def _mode(field: str) -> Callable[[Fields], Problems]:
    def rule(given: Fields) -> Problems:
        mode = number(given, field)
        if mode is None or 0 <= mode <= _LARGEST_MODE:
            return
        digits = str(mode)
        octal = f"; octal 0{digits} is {int(digits, 8)}" if set(digits) <= set("01234567") and int(digits, 8) <= _LARGEST_MODE else ""
        yield (field,), f"given {mode}; allowed: 0 to {_LARGEST_MODE} (octal 0777){octal}"

    return rule


def _of_object(field: str, kind: str) -> Callable[[Fields], Problems]:
    def rule(given: Fields) -> Problems:
        yield from object_name(given, field, kind)
        yield from _mode("defaultMode")(given)

    return rule


def _file(given: Fields) -> Problems:
    if known(given, "key") == "":
        yield ("key",), "empty; set the key of the content"
    yield from _path(given)
    yield from _mode("mode")(given)


def _path(given: Fields) -> Problems:
    if known(given, "path") == "":
        yield ("path",), "empty; set the path of a file in the volume"
    yield from relative_path(given, "path")


def _token(given: Fields) -> Problems:
    yield from _path(given)
    seconds = number(given, "expirationSeconds")
    if seconds is not None and seconds < _SHORTEST_TOKEN_SECONDS:
        yield ("expirationSeconds",), f"given {seconds}; allowed: {_SHORTEST_TOKEN_SECONDS} or more"


def _empty_dir(given: Fields) -> Problems:
    medium, size = known(given, "medium"), known(given, "sizeLimit")
    if medium not in (None, "", "Memory", "HugePages") and not medium.startswith("HugePages-"):
        yield ("medium",), "not a supported medium; allowed: Memory, HugePages, HugePages-<size>"
    if size is not None and quantities.parse(size) < 0:
        yield ("sizeLimit",), _NO_SIZE


def _host_path(given: Fields) -> Problems:
    path = known(given, "path")
    if path == "":
        yield ("path",), "empty; set a directory or file of the node"
    elif path is not None and ".." in path.split("/"):
        yield ("path",), OUTSIDE_OF_NODE


def _nfs(given: Fields) -> Problems:
    path = known(given, "path")
    if known(given, "server") == "":
        yield ("server",), "empty; set the address of the server"
    if path is not None and not path.startswith("/"):
        yield ("path",), "not an absolute path; use / for everything that the server exports"


def _projection(given: Fields) -> Problems:
    yield from one_of(given, [*given], needed=False)


def _field(given: Fields) -> Problems:
    yield from _path(given)
    yield from one_of(given, ("fieldRef", "resourceFieldRef"))


def _ephemeral(given: Fields) -> Problems:
    if given.get("volumeClaimTemplate") is None:
        yield ("volumeClaimTemplate",), "missing; set the claim that is created with the pod"


def _claim(given: Fields) -> Problems:
    """The claim of an ephemeral volume."""
    if not is_set(given.get("accessModes")):
        yield ("accessModes",), "missing; set for instance [ReadWriteOnce]"
    requests = known(known(given, "resources") or {}, "requests") or {}
    size = requests.get("storage")
    if size is None:
        yield ("resources", "requests", "storage"), "missing; set the size of the volume"
    elif quantities.is_quantity(size) and quantities.parse(size) <= 0:
        yield ("resources", "requests", "storage"), _NO_SIZE


RULES: Mapping[str, Callable[[Any], Problems]] = {
    "Volume": _volume,
    "VolumeMount": _mount,
    "ConfigMapVolumeSource": _of_object("name", "ConfigMap"),
    "SecretVolumeSource": _of_object("secretName", "Secret"),
    "PersistentVolumeClaimVolumeSource": lambda given: object_name(given, "claimName", "PersistentVolumeClaim"),
    "ConfigMapProjection": lambda given: object_name(given, "name", "ConfigMap"),
    "SecretProjection": lambda given: object_name(given, "name", "Secret"),
    "ServiceAccountTokenProjection": _token,
    "VolumeProjection": _projection,
    "DownwardAPIVolumeFile": _field,
    "EphemeralVolumeSource": _ephemeral,
    "PersistentVolumeClaimSpec": _claim,
    "KeyToPath": _file,
    "ProjectedVolumeSource": _mode("defaultMode"),
    "DownwardAPIVolumeSource": _mode("defaultMode"),
    "EmptyDirVolumeSource": _empty_dir,
    "HostPathVolumeSource": _host_path,
    "NFSVolumeSource": _nfs,
}
