"""Secrets in plain text, recognized as in the stack file: by the name of a variable, or by the form of a text."""

import base64
import gzip
import io
import re
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from scalr_agents.model import signs
from scalr_agents.model.merge import lookup
from scalr_agents.promises.resources import Resource, Violation, items, text, violation

_QUOTED = r"""(?P<quote>["'])(?P<quoted>(?!\$)(?:(?!(?P=quote)).)+)(?P=quote)"""
_WORD = r"""(?P<word>[^\s"'`$=<>{}()\[\]|&;,%*!][^\s"'`<>{}()\[\]|&;,]{2,})"""
_ASSIGNMENTS = tuple(
    re.compile(pattern)
    for pattern in (
        rf"""(?P<name>[A-Za-z_][\w.-]*)=(?={_QUOTED}|{_WORD}(?:[\s"'&;,]|$))""",
        rf"""["'](?P<name>[A-Za-z_][\w.-]*)["']\s*:\s*(?={_QUOTED})""",
        rf"""^[\s-]*(?P<name>[A-Za-z_][\w.-]*)\s*[:=]\s+(?=(?:{_QUOTED}|{_WORD})\s*(?:\#.*)?$)""",
    )
)
"""Literal values: of variables, options and parameters anywhere in a line; of JSON; and of YAML and INI files, on a line of their own."""
_NO_SECRET = re.compile(r"(?i)true|false|yes|no|none|null|[a-z][a-z0-9+.-]*://.*")
_CONTAINERS = ("initContainers", "containers")
_LONGEST = 1 << 20
"""Bytes of unpacked user data that are read."""
Test = Callable[[str, Any], bool]
"""Whether what has a name contains a secret."""


def violations(resources: Sequence[Resource], excepted: Sequence[str]) -> Iterator[Violation]:
    """Of variables and keys with an excepted name, only the recognizable form of a text counts."""
    for resource in resources:
        if resource.component:
            yield from (violation(resource, f"{place} is in plain text", advice) for place, advice in _places(resource, excepted))


def _places(resource: Resource, excepted: Sequence[str]) -> Iterator[tuple[str, str]]:
    is_secret = partial(_is_secret, excepted)
    yield from _texts("annotation", resource.metadata.get("annotations"), _has_form)
    for pod in resource.pods():
        yield from _texts("annotation of the pods", pod.annotations, _has_form)
        for container in (each for key in _CONTAINERS for each in items(pod.spec.get(key)) if isinstance(each, Mapping)):
            yield from _variables(container, is_secret)
    if resource.what == "ConfigMap":
        yield from _texts("key", resource.inputs.get("data"), is_secret)
        packed = resource.inputs.get("binaryData")
        unpacked_texts = {key: unpacked(text(each)) for key, each in packed.items()} if isinstance(packed, Mapping) else {}
        yield from _texts("binary key", unpacked_texts, is_secret)
    for line in _user_data(resource, excepted):
        yield f"the secret in line {line} of the user data", "Store it in the cloud's secret manager, from where the machine reads it"


def _variables(container: Mapping[str, Any], is_secret: Test) -> Iterator[tuple[str, str]]:
    for variable in items(container.get("env")):
        name, value = lookup(variable, "name"), lookup(variable, "value")
        if isinstance(name, str) and is_secret(name, value):
            yield (
                f"variable {name} of container {text(container.get('name'))!r}",
                "Set it as a secret, so that the pod reads it from a Secret",
            )


def _texts(what: str, texts: Any, is_secret: Test) -> Iterator[tuple[str, str]]:
    for key, given in texts.items() if isinstance(texts, Mapping) else ():
        if isinstance(given, str) and is_secret(key, given):
            yield f"the secret in {what} {key!r}", "Move it into a Secret"


def _is_secret(excepted: Sequence[str], name: str, value: Any) -> bool:
    """Whether a variable or key contains a secret, by its name or by the form of its value."""
    return signs.is_secret("" if name in excepted else name, value)


def _has_form(_name: str, value: Any) -> bool:
    return signs.is_secret("", value)


def _user_data(resource: Resource, excepted: Sequence[str]) -> Iterator[int]:
    """The lines of a machine's user data that contain a secret."""
    packed, plain = resource.inputs.get("userData"), lookup(resource.inputs, "metadata", "user-data")
    given = unpacked(packed) if isinstance(packed, str) else text(plain)
    for number, line in enumerate(given.splitlines(), 1):
        assigned = (found for each in _ASSIGNMENTS for found in each.finditer(line) if found["name"] not in excepted)
        if signs.in_text(line) or any(map(_is_assigned_secret, assigned)):
            yield number


def _is_assigned_secret(found: re.Match[str]) -> bool:
    value = found["quoted"] or found["word"]
    return signs.named_like_a_secret(found["name"]) and signs.is_plain(value) and not _NO_SECRET.fullmatch(value)


def unpacked(data: str) -> str:
    """User data of EC2 as text: base64, and compressed if it is long. Empty if it is neither."""
    try:
        content = base64.b64decode("".join(data.split()), validate=True)
        if content.startswith(b"\x1f\x8b"):
            with gzip.GzipFile(fileobj=io.BytesIO(content)) as opened:
                content = opened.read(_LONGEST)
        return content.decode()
    except (ValueError, OSError, EOFError, zlib.error):
        return ""
