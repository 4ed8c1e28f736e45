"""The forms that values have: names, labels, hosts and images as Kubernetes and registries accept them, and what is known only later.

A *deferred* value is any object that is not plain Python data, such as a `pulumi.Output`: its content is known only during
deployment. The core passes it on into a manifest and never reads, formats or copies it. Fields typed with `Deferred` allow one.
"""

import re
from datetime import date, time
from decimal import Decimal
from ipaddress import IPv6Address
from pathlib import PurePath
from typing import Any, NoReturn, TypeGuard

from pydantic_core import PydanticCustomError

_LONGEST_NAME = 253
LONGEST_LABEL = 63
_DATA = (str, int, float, bool, list, tuple, dict, type(None), bytes, bytearray, set, frozenset, complex, date, time, Decimal, PurePath)
"""Types of plain data: those of JSON, and others whose content is known at once."""
_SUBDOMAIN = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
_HOST = re.compile(r"[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*")
_DNS_LABEL = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?")
_LABEL_VALUE = re.compile(r"([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?")
_KEY_NAME = re.compile(r"[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?")
NO_LABEL_VALUE = "not a valid label value: use at most 63 letters, digits, '-', '_' and '.'"
OUTSIDE_OF_NODE = "contains '..', which Kubernetes rejects in a path of the node"
_SECRET_KEY = re.compile(r"[-._a-zA-Z0-9]{1,253}")
_PART = "[a-z0-9]+(?:(?:[.]|_{1,2}|-+)[a-z0-9]+)*"
_REGISTRY_HOST = r"(?:[A-Za-z0-9]+(?:[.-]+[A-Za-z0-9]+)*|\[[0-9a-fA-F:]+\])(?::[0-9]+)?"
REPOSITORY = re.compile(f"(?:{_REGISTRY_HOST}/)?{_PART}(?:/{_PART})*")
TAG = "[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}"
_IMAGE = re.compile(f"{REPOSITORY.pattern}(?::{TAG})?(?:@[a-z0-9+._-]+:[0-9a-f]{{32,}})?")
REGISTRY = re.compile(f"(?:{_REGISTRY_HOST}|{_PART})(?:/{_PART})*")
ENV_NAME = re.compile(r"[-._a-zA-Z][-._a-zA-Z0-9]*")
ESCALATING = "CAP_SYS_ADMIN"
"""The capability with which Kubernetes rejects `allowPrivilegeEscalation: false`; it compares this exact spelling."""


class Deferred:
    """A value that is known only during deployment. Only for type annotations: the values can be of any class."""


class Placeholder(Deferred):
    """A deferred value in place of one that is unknown when manifests are only printed."""


def is_deferred(value: object) -> TypeGuard[Deferred]:
    return not isinstance(value, _DATA)


def is_set(value: object) -> bool:
    """Whether a value is set: not empty and not zero, or deferred (its content is not known yet)."""
    return is_deferred(value) or bool(value)


def is_env_name(name: str) -> bool:
    return bool(ENV_NAME.fullmatch(name))


def is_dns_label(name: str) -> bool:
    """Whether a string is a valid name of a container, a volume or a namespace."""
    return len(name) <= LONGEST_LABEL and bool(_DNS_LABEL.fullmatch(name))


def is_subdomain(name: str) -> bool:
    """Whether a string is a valid name of an object."""
    return len(name) <= _LONGEST_NAME and bool(_SUBDOMAIN.fullmatch(name))


def is_label_key(key: str) -> bool:
    """Whether a string is a valid key of a label, an annotation or a taint."""
    prefix, slash, name = key.rpartition("/")
    return len(name) <= LONGEST_LABEL and bool(_KEY_NAME.fullmatch(name)) and (not slash or is_subdomain(prefix))


def is_label_value(value: str) -> bool:
    """Whether a string is a valid value of a label or a taint."""
    return len(value) <= LONGEST_LABEL and bool(_LABEL_VALUE.fullmatch(value))


def is_secret_key(key: str) -> bool:
    """Whether a string is a valid key of a Secret or ConfigMap."""
    return bool(_SECRET_KEY.fullmatch(key)) and key not in (".", "..")


def is_host(name: str) -> bool:
    """Whether a string in lower case is a host name, which may have underscores, or an IP address."""
    if ":" not in name:
        return len(name) <= _LONGEST_NAME and bool(_HOST.fullmatch(name))
    try:
        return IPv6Address(name).scope_id is None
    except ValueError:
        return False


def is_image(text: str) -> bool:
    """Whether a string has the form of a complete image reference: repository, then tag and digest if it has them."""
    return bool(_IMAGE.fullmatch(text))


def refuse(kind: str, message: str) -> NoReturn:
    """Reject the value that is being validated; `message` says what is allowed."""
    raise PydanticCustomError(kind, "{reason}", {"reason": message})


def integral(value: Any) -> Any:
    """Whole floats as integers, because component hosts pass all numbers as floats."""
    return int(value) if isinstance(value, float) and value.is_integer() else value
