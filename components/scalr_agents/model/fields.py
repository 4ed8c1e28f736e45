"""The types of values: strict enough to catch a slip, with Helm's meaning of `null`, and open to outputs where it is safe.

A *deferred* value is any object that is no data of Python's own, such as a `pulumi.Output`: its content is known only during
deployment. The core carries it to its place in a manifest and never reads, formats or copies it. Fields typed with `Deferred` allow one.
"""

import re
from collections.abc import Callable
from datetime import date, time
from decimal import Decimal
from pathlib import PurePath
from typing import Annotated, Any, Literal, NoReturn, TypeGuard

from pydantic import AfterValidator, BeforeValidator, Field, GetCoreSchemaHandler, WithJsonSchema
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from scalr_agents.model import quantities

_LARGEST = 2**31 - 1
_LARGEST_NUMBER = 2**64
"""What the readers of YAML and JSON take for a number."""
_LONGEST_NAME = 253
_LONGEST_LABEL = 63
_DATA = (str, int, float, bool, list, tuple, dict, type(None), bytes, bytearray, set, frozenset, complex, date, time, Decimal, PurePath)
"""The types of JSON, and others of which a value can be read at once."""
_SUBDOMAIN = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
_DNS_LABEL = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?")
_LABEL_VALUE = re.compile(r"([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?")
_KEY_NAME = re.compile(r"[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?")
_ENV_NAME = re.compile(r"[-._a-zA-Z][-._a-zA-Z0-9]*")


ESCALATING = "CAP_SYS_ADMIN"
"""The capability beside which Kubernetes refuses `allowPrivilegeEscalation: false`; it knows it by this spelling alone."""


class Deferred:
    """A value that is known only during deployment. A name for types: the values themselves are of any class."""


class Placeholder(Deferred):
    """A deferred value that stands for what is not known where manifests are only printed."""


def is_deferred(value: object) -> TypeGuard[Deferred]:
    return not isinstance(value, _DATA)


def is_set(value: object) -> bool:
    """Whether a value is there: not empty, not zero, or deferred (whose content nobody may ask for yet)."""
    return is_deferred(value) or bool(value)


def is_env_name(name: str) -> bool:
    return bool(_ENV_NAME.fullmatch(name))


def is_dns_label(name: str) -> bool:
    """Whether something may be the name of a container, a volume or a namespace."""
    return len(name) <= _LONGEST_LABEL and bool(_DNS_LABEL.fullmatch(name))


def is_subdomain(name: str) -> bool:
    """Whether something may be the name of an object."""
    return len(name) <= _LONGEST_NAME and bool(_SUBDOMAIN.fullmatch(name))


def refuse(kind: str, message: str) -> NoReturn:
    """Reject the value under validation; `message` says what is allowed."""
    raise PydanticCustomError(kind, "{reason}", {"reason": message})


class _OrDeferred:
    """Lets a deferred value pass by the validation of a `str`."""

    def __get_pydantic_core_schema__(self, _source: object, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_wrap_validator_function(lambda value, inner: value if is_deferred(value) else inner(value), handler(str))


def unset(empty: Any) -> BeforeValidator:
    """`null` is the type's own emptiness."""
    return BeforeValidator(lambda value: empty if value is None else value)


def _empty_as(empty: Any) -> Callable[[Any], Any]:
    """An empty map for a list, or the other way round: charts have such defaults, and people copy them."""
    return lambda value: empty if value in ({}, []) and isinstance(value, dict | list) else value


def integral(value: Any) -> Any:
    """Whole numbers may arrive as floats: component hosts have no other kind."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _quote_numbers(value: Any) -> Any:
    if isinstance(value, int | float) and not isinstance(value, bool):
        refuse("quote", "a number; quote it, since YAML reads 1.10 as 1.1")
    return value


def _version(value: Any) -> Any:
    """A number is taken as it is written: whoever reads the version says how to write it whole."""
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else value


def _env_text(value: Any) -> Any:
    """Environment values are text; YAML's numbers and booleans are taken as they are written in JSON."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float) and abs(value) > _LARGEST_NUMBER:
        refuse("large_number", "a number that is too large; quote it, if that is the text which is meant")
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else repr(value)
    return str(value) if isinstance(value, int) else value


def _name(value: str) -> str:
    if value and not is_subdomain(value):
        refuse("name", "not a Kubernetes name: lower case letters, digits, '-' and '.', starting and ending with a letter or digit")
    return value


def _secret_key(value: str) -> str:
    if not re.fullmatch(r"[-._a-zA-Z0-9]{1,253}", value) or value in (".", ".."):
        refuse("secret_key", "not a key of a Secret: letters, digits, '-', '_' and '.', at least one")
    return value


def _directory(value: str) -> str:
    if not value.startswith("/") or ":" in value:
        refuse("directory", "not an absolute path (it must start with '/' and hold no ':')")
    return value


def _optional_directory(value: str) -> str:
    if ".." in value.split("/"):
        refuse("directory", "holds '..', which Kubernetes refuses in a path of the node")
    return _directory(value) if value else ""


def _sub_path(value: str) -> str:
    if ".." in value.split("/"):
        refuse("sub_path", "leads out of the volume; a directory inside it is meant")
    return value


def _image_tag(value: str) -> str:
    if value and not re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}(@sha256:[0-9a-f]{64})?", value):
        refuse("image_tag", "not an image tag, for instance 0.57.0 or 0.57.0@sha256:<digest>")
    return value


def _repository(value: str) -> str:
    if not re.fullmatch(r"([A-Za-z0-9.-]+(:[0-9]+)?/)?[a-z0-9._/-]*", value):
        refuse("repository", "not an image repository, for instance scalr/agent; the tag has a value of its own")
    return value


def _registry(value: str) -> str:
    if re.search(r"\s|://|@|/$", value):
        refuse("registry", "not an image registry, for instance mirror.example:5000/scalr: no scheme, no login, no slash at the end")
    return value


def _quantity(value: Any) -> str:
    if quantities.is_quantity(value):
        return str(value)
    refuse("quantity", quantities.refusal(value))


def _count_or_percent(value: Any) -> Any:
    value = integral(value)
    if value is None or (isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _LARGEST):
        return value
    if isinstance(value, str) and re.fullmatch(r"([0-9]|[1-9][0-9]|100)%", value):
        return value
    refuse("count_or_percent", "not a whole number or a percentage such as 50%")


def _label_key(key: str) -> str:
    prefix, slash, name = key.rpartition("/")
    if (
        len(name) > _LONGEST_LABEL
        or not _KEY_NAME.fullmatch(name)
        or (slash and (len(prefix) > _LONGEST_NAME or not _SUBDOMAIN.fullmatch(prefix)))
    ):
        refuse("label_key", "not a label or annotation key: [prefix/]name, the name at most 63 letters, digits, '-', '_' and '.'")
    return key


def _label_value(value: str) -> str:
    if len(value) > _LONGEST_LABEL or not _LABEL_VALUE.fullmatch(value):
        refuse("label_value", "not a label value: at most 63 letters, digits, '-', '_' and '.'")
    return value


def _env_name(name: str) -> str:
    if not _ENV_NAME.fullmatch(name):
        refuse("env_name", "not a name of an environment variable: letters, digits, '_', '-' and '.', not starting with a digit")
    return name


def _of_kubernetes(kind: str) -> BeforeValidator:
    """A type of Kubernetes, in the words of `kubernetes_types`. Its schemas are read when there is something to check."""

    def check(given: Any) -> Any:
        if not is_set(given):
            return given
        from scalr_agents.model import kubernetes_types

        kubernetes_types.demand(kind, given)
        return kubernetes_types.without_nulls(given)

    return BeforeValidator(check)


Text = Annotated[str, unset("")]
"""A string; `null` is the empty string."""
InputText = Annotated[str | Deferred, _OrDeferred(), unset("")]
"""A string, or one that is known only during deployment."""
InputMap = Annotated[dict[str, InputText], unset({})]
"""Strings by name, each of which may be known only during deployment."""
InputList = Annotated[list[InputText], unset([])]
"""Strings, each of which may be known only during deployment."""
Texts = Annotated[list[str], unset([])]
"""Strings; `null` is none."""
VersionText = Annotated[str, BeforeValidator(_version), unset("")]
"""A version."""
ImageTag = Annotated[str, AfterValidator(_image_tag), BeforeValidator(_quote_numbers), unset("")]
"""An image tag, with a digest if wished; a number is refused, because YAML has already changed it."""
Repository = Annotated[str, AfterValidator(_repository), unset("")]
"""An image's name without registry and tag."""
Registry = Annotated[str, AfterValidator(_registry), unset("")]
"""A registry, with a path if wished, or the empty string."""
SubPath = Annotated[str, AfterValidator(_sub_path), unset("")]
"""A directory inside a volume, or the empty string for all of it."""
EnvText = Annotated[str, BeforeValidator(_env_text), unset(""), WithJsonSchema({"type": ["string", "number", "boolean"]})]
"""The value of an environment variable: a string, a number or a boolean."""
Flag = Annotated[bool, unset(False)]
"""A boolean; `null` is false. Strings such as "yes" are refused."""
Name = Annotated[str, AfterValidator(_name), unset("")]
"""The name of a Kubernetes object, or the empty string."""
LabelText = Annotated[str, AfterValidator(_label_value), unset("")]
"""A string that becomes the value of a label."""
InputName = Annotated[str | Deferred, _OrDeferred(), AfterValidator(lambda v: _name(v) if isinstance(v, str) else v), unset("")]
"""The name of a Kubernetes object that may be known only during deployment."""
SecretKey = Annotated[str, AfterValidator(_secret_key)]
Directory = Annotated[str, AfterValidator(_directory)]
OptionalDirectory = Annotated[str, AfterValidator(_optional_directory), unset("")]
"""An absolute path, or the empty string."""
Quantity = Annotated[str, BeforeValidator(_quantity), WithJsonSchema({"type": ["string", "number"]})]
CountOrPercent = Annotated[int | str | None, BeforeValidator(_count_or_percent)]
Count = Annotated[int | None, Field(ge=0, le=_LARGEST), BeforeValidator(integral)]
"""A whole number of something, seconds too, not negative; `null` leaves the field to Kubernetes."""
PullPolicy = Literal["Always", "IfNotPresent", "Never"]
AccessMode = Literal["ReadWriteOnce", "ReadWriteMany", "ReadWriteOncePod", "ReadOnlyMany"]

LabelKey = Annotated[str, AfterValidator(_label_key)]
Labels = Annotated[dict[LabelKey, Annotated[str, AfterValidator(_label_value)]], unset({})]
"""Labels or a node selector: strings to strings."""
Annotations = Annotated[dict[LabelKey, Annotated[str | Deferred, _OrDeferred()]], unset({})]
"""Annotations; a value may be known only during deployment."""
PlainAnnotations = Annotated[dict[LabelKey, str], unset({})]
"""Annotations that become part of a text, so that all of them must be known."""
EnvMap = Annotated[dict[Annotated[str, AfterValidator(_env_name)], EnvText], unset({})]
"""Environment variables, name to value."""
SecretEnv = Annotated[dict[Annotated[str, AfterValidator(_env_name)], Annotated[str | Deferred, _OrDeferred()]], unset({})]
"""Environment variables whose values are secret: strings only, and they may be known only during deployment."""
OpenMap = Annotated[dict[str, Any], BeforeValidator(_empty_as({})), unset({})]
"""A map whose content is checked elsewhere."""
_OpenList = Annotated[list[dict[str, Any]], BeforeValidator(_empty_as([])), unset([])]

# Types of Kubernetes: checked against its schemas, and passed on as they are.
Affinity = Annotated[OpenMap, _of_kubernetes("Affinity")]
Containers = Annotated[_OpenList, _of_kubernetes("[]Container")]
EmptyDir = Annotated[OpenMap, _of_kubernetes("EmptyDirVolumeSource")]
EnvFrom = Annotated[_OpenList, _of_kubernetes("[]EnvFromSource")]
EnvList = Annotated[_OpenList, _of_kubernetes("[]EnvVar")]
PodSecurityContext = Annotated[OpenMap, _of_kubernetes("PodSecurityContext")]
PullSecrets = Annotated[_OpenList, _of_kubernetes("[]LocalObjectReference")]
Resources = Annotated[OpenMap, _of_kubernetes("ResourceRequirements")]
SecurityContext = Annotated[OpenMap, _of_kubernetes("SecurityContext")]
Tolerations = Annotated[_OpenList, _of_kubernetes("[]Toleration")]
TopologySpreadConstraints = Annotated[_OpenList, _of_kubernetes("[]TopologySpreadConstraint")]
VolumeMounts = Annotated[_OpenList, _of_kubernetes("[]VolumeMount")]
Volumes = Annotated[_OpenList, _of_kubernetes("[]Volume")]
