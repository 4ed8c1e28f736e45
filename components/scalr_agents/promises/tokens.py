"""Secrets in plain text, recognized as in the stack file: by the name of a variable, or by the form of a text."""

import base64
import binascii
import gzip
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from scalr_agents.model import signs
from scalr_agents.model.merge import lookup
from scalr_agents.promises.resources import Resource, Violation, items, violation

_ASSIGNMENT = re.compile(r"""^\W*(?:(?:export |Environment=)\s*)?["']?([A-Z_][A-Z0-9_]*)=["']?([^$"'].*)$""")
"""A variable with a literal value, in a shell, a unit or a file of variables."""
_CONTAINERS = ("initContainers", "containers")
_LONGEST = 1 << 20
"""Bytes of unpacked user data that are read."""


def violations(resources: Sequence[Resource], _excepted: Sequence[str]) -> Iterator[Violation]:
    for resource in resources:
        if resource.component:
            yield from (violation(resource, f"{place} is in plain text", advice) for place, advice in _places(resource))


def _places(resource: Resource) -> Iterator[tuple[str, str]]:
    yield from _texts("annotation", resource.metadata.get("annotations"))
    for pod in resource.pods():
        yield from _texts("annotation of the pods", pod.annotations)
        for container in (each for key in _CONTAINERS for each in items(pod.spec.get(key)) if isinstance(each, Mapping)):
            yield from _variables(container)
    if resource.what == "ConfigMap":
        yield from _texts("key", resource.inputs.get("data"), named=True)
    for line in _user_data(resource):
        yield f"the secret in line {line} of the user data", "Store it in the cloud's secret manager, from where the machine reads it"


def _variables(container: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for variable in items(container.get("env")):
        name, value = lookup(variable, "name"), lookup(variable, "value")
        if isinstance(name, str) and signs.is_secret(name, value):
            yield f"variable {name} of container {container.get('name')!r}", "Set it as a secret, so that the pod reads it from a Secret"


def _texts(what: str, texts: Any, *, named: bool = False) -> Iterator[tuple[str, str]]:
    for key, text in texts.items() if isinstance(texts, Mapping) else ():
        if isinstance(text, str) and ((named and signs.is_secret(key, text)) or _is_secret(text)):
            yield f"the secret in {what} {key!r}", "Move it into a Secret"


def _is_secret(text: str) -> bool:
    return bool(signs.in_text(text)) or signs.announces_secret(text)


def _user_data(resource: Resource) -> Iterator[int]:
    """The lines of a machine's user data that contain a secret."""
    packed, plain = resource.inputs.get("userData"), lookup(resource.inputs, "metadata", "user-data")
    text = unpacked(packed) if isinstance(packed, str) else plain
    for number, line in enumerate(text.splitlines() if isinstance(text, str) else (), 1):
        assigned = _ASSIGNMENT.match(line)
        if signs.in_text(line) or (assigned and signs.named_like_a_secret(assigned[1]) and signs.is_plain(assigned[2])):
            yield number


def unpacked(data: str) -> str:
    """User data of EC2 as text: base64, and compressed if it is long. Empty if it is neither."""
    try:
        content = base64.b64decode(data, validate=True)
        if content.startswith(b"\x1f\x8b"):
            with gzip.GzipFile(fileobj=io.BytesIO(content)) as opened:
                content = opened.read(_LONGEST)
        return content.decode()
    except (binascii.Error, OSError, EOFError, UnicodeDecodeError):
        return ""
