"""Rules on environment variables and where their values come from."""

import re
from collections.abc import Callable, Mapping
from typing import Any

from scalr_agents.model.findings import nearest
from scalr_agents.model.forms import is_secret_key
from scalr_agents.model.kubernetes_rules.parts import Fields, Problems, known, object_name, one_of

_ENTRY = re.compile(r"metadata\.(labels|annotations)\['[^']+'\]")
_OF_POD = (
    *("metadata.name", "metadata.namespace", "metadata.uid", "metadata.labels['<key>']", "metadata.annotations['<key>']"),
    *("spec.nodeName", "spec.serviceAccountName", "status.hostIP", "status.hostIPs", "status.podIP", "status.podIPs"),
)


def _variable(given: Fields) -> Problems:
    name = known(given, "name")
    if name is not None and ("=" in name or not name or not (name.isascii() and name.isprintable())):
        yield ("name",), "not a valid name of an environment variable"
    if given.get("valueFrom") is not None and known(given, "value"):
        yield ("valueFrom",), "not allowed together with value; remove one of them"


def _source(given: Fields) -> Problems:
    yield from one_of(given, ("secretKeyRef", "configMapKeyRef", "fieldRef", "resourceFieldRef", "fileKeyRef"))
    field = known(known(given, "fieldRef") or {}, "fieldPath")
    if field is not None and field not in _OF_POD and not _ENTRY.fullmatch(field):
        yield ("fieldRef", "fieldPath"), f"not a field that a variable can have; {nearest(field, _OF_POD)}"


def _all_of(given: Fields) -> Problems:
    yield from one_of(given, ("secretRef", "configMapRef"))


def _key_of(kind: str) -> Callable[[Fields], Problems]:
    def rule(given: Fields) -> Problems:
        yield from object_name(given, "name", kind)
        key = known(given, "key")
        if key is not None and not is_secret_key(key):
            yield ("key",), f"not a valid key of a {kind}: use letters, digits, '-', '_' and '.'"

    return rule


RULES: Mapping[str, Callable[[Any], Problems]] = {
    "EnvVar": _variable,
    "EnvVarSource": _source,
    "EnvFromSource": _all_of,
    "SecretKeySelector": _key_of("Secret"),
    "ConfigMapKeySelector": _key_of("ConfigMap"),
    "SecretEnvSource": lambda given: object_name(given, "name", "Secret"),
    "ConfigMapEnvSource": lambda given: object_name(given, "name", "ConfigMap"),
}
