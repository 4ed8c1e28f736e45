"""The types of values: strict enough to catch mistakes, with Helm's meaning of `null`, and open to outputs where that is safe."""

import re
from collections.abc import Callable
from functools import partial
from typing import Annotated, Any, Literal, cast

from pydantic import AfterValidator, BeforeValidator, Field, GetCoreSchemaHandler, WithJsonSchema
from pydantic.fields import FieldInfo
from pydantic_core import CoreSchema, core_schema

from scalr_agents.model import kubernetes_types, quantities
from scalr_agents.model.forms import (
    ENV_NAME,
    LONGEST_LABEL,
    NO_LABEL_VALUE,
    OUTSIDE_OF_NODE,
    REGISTRY,
    REPOSITORY,
    TAG,
    Form,
    Rule,
    integral,
    is_dns_label,
    is_image,
    is_label_key,
    is_label_value,
    is_secret_key,
    is_subdomain,
    refuse,
)
from scalr_agents.model.maps import Deferred, is_deferred, is_set
from scalr_agents.model.release import NEWEST, VERSION
from scalr_agents.model.texts import describe, is_one_line

LONGEST_RELEASE = 53
LARGEST = 2**31 - 1
"""The largest number of most fields of Kubernetes (int32)."""
_LARGEST_NUMBER = 2**64
"""The largest number that YAML and JSON parsers accept as an integer."""


class _OrDeferred:
    """Exempts deferred values from the validation of a `str`."""

    def __get_pydantic_core_schema__(self, _source: object, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_wrap_validator_function(lambda value, inner: value if is_deferred(value) else inner(value), handler(str))


class Prepare(BeforeValidator):
    """A function of the value alone, before validation. pydantic would read its signature for each field, which takes a third of building
    a chart's models."""

    def __get_pydantic_core_schema__(self, source_type: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_before_validator_function(cast(Callable[[Any], Any], self.func), schema=handler(source_type))


class Check(AfterValidator):
    """A function of the value alone, after validation; as above."""

    def __get_pydantic_core_schema__(self, source_type: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_after_validator_function(cast(Callable[[Any], Any], self.func), schema=handler(source_type))


def unset(empty: Any) -> Prepare:
    """Replace `null` by the empty value of the type."""
    return Prepare(lambda value: empty if value is None else value)


def _empty_as(empty: Any) -> Callable[[Any], Any]:
    """Accept an empty map for a list and vice versa: charts have such defaults, and users copy them."""
    return lambda value: empty if value in ({}, []) and isinstance(value, dict | list) else value


def _quote_numbers(value: Any) -> Any:
    if isinstance(value, int | float) and not isinstance(value, bool):
        refuse("quote", "a number; quote it, because YAML reads 1.10 as 1.1")
    return value


def _version(value: Any) -> Any:
    """Accept a number as its text; the reader of the version reports an incomplete one."""
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else value


def _env_text(value: Any) -> Any:
    """Environment values as strings: YAML numbers and booleans are converted as JSON writes them."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float) and abs(value) > _LARGEST_NUMBER:
        refuse("large_number", "a number that is too large; quote it")
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else repr(value)
    return str(value) if isinstance(value, int) else value


def _line(value: str) -> str:
    if not is_one_line(value):
        refuse("line", "contains a line break or another control character; remove it")
    return value


def _object_name(value: str) -> str:
    if not is_subdomain(value):
        refuse(
            "name", "not a valid Kubernetes name: use lower case letters, digits, '-' and '.', starting and ending with a letter or digit"
        )
    return value


def _name(value: str) -> str:
    return _object_name(value) if value else value


def _secret_key(value: str) -> str:
    if not is_secret_key(value):
        refuse("secret_key", "not a valid key of a Secret: use at least one of letters, digits, '-', '_' and '.'")
    return value


def _directory(value: str) -> str:
    if not value.startswith("/") or ":" in value:
        refuse("directory", "not an absolute path (it must start with '/' and contain no ':')")
    return value


def _node_directory(value: str) -> str:
    if ".." in value.split("/"):
        refuse("directory", OUTSIDE_OF_NODE)
    return _directory(value)


def _storage_class(value: str) -> str:
    return value if value == "-" else _name(value)


def _sub_path(value: str) -> str:
    if ".." in value.split("/"):
        refuse("sub_path", "leads out of the volume; give a directory inside it")
    return value


def _image_tag(value: str) -> str:
    if value and not re.fullmatch(f"{TAG}(@sha256:[0-9a-f]{{64}})?", value):
        refuse("image_tag", "not an image tag, for instance 0.57.0 or 0.57.0@sha256:<digest>")
    return value


def _repository(value: str) -> str:
    if value and not REPOSITORY.fullmatch(value):
        refuse("repository", "not an image repository, for instance scalr/agent; set the tag separately")
    return value


def _registry(value: str) -> str:
    if value and not REGISTRY.fullmatch(value):
        refuse("registry", "not an image registry, for instance mirror.example:5000/scalr: no scheme, no login, no slash at the end")
    return value


def _quantity(value: Any) -> str:
    if not quantities.is_quantity(value):
        refuse("quantity", quantities.refusal(value))
    return str(value)


def size_problem(value: object) -> str:
    """Why a value is no size, a quantity greater than zero."""
    if not quantities.is_quantity(value):
        return f"{quantities.refusal(value)}; given {describe(value, repeated=True)}"
    return "" if quantities.parse(str(value)) > 0 else "not a size greater than zero, for instance 512Mi or 40Gi"


def _count_or_percent(value: Any) -> Any:
    value = integral(value)
    is_count = isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= LARGEST
    is_percent = isinstance(value, str) and re.fullmatch(r"([0-9]|[1-9][0-9]|100)%", value)
    if not (value is None or is_count or is_percent):
        refuse("count_or_percent", "not a whole number or a percentage such as 50%")
    return value


def _label_key(key: str) -> str:
    if not is_label_key(key):
        refuse(
            "label_key",
            "not a valid label or annotation key: use [prefix/]name, with a name of at most 63 letters, digits, '-', '_' and '.'",
        )
    return key


def _label_value(value: str) -> str:
    if not is_label_value(value):
        refuse("label_value", NO_LABEL_VALUE)
    return value


def _env_name(name: str) -> str:
    if not ENV_NAME.fullmatch(name):
        refuse("env_name", "not a valid name of an environment variable: use letters, digits, '_', '-' and '.', not starting with a digit")
    return name


def _of_kubernetes(kind: str) -> Prepare:
    """A Kubernetes type, named as in `kubernetes_types`."""
    return Prepare(partial(_checked, kind))


def _checked(kind: str, given: Any) -> Any:
    """A value of a Kubernetes type."""
    if not is_set(given):
        return given
    kubernetes_types.demand(kind, given)
    return kubernetes_types.without_nulls(given)


def kubernetes_type(field: FieldInfo) -> str:
    """The Kubernetes type of a field, for instance `[]Toleration`; empty if it has none."""
    checks = (item.func for item in field.metadata if isinstance(item, Prepare))
    return next((check.args[0] for check in checks if isinstance(check, partial) and check.func is _checked), "")


Text = Annotated[str, unset("")]
"""A string. `null` means the empty string."""
Line = Annotated[str, Check(_line), unset("")]
"""A string without line breaks and other control characters."""
InputText = Annotated[str | Deferred, _OrDeferred(), unset("")]
"""A string, or one that is known only during deployment."""
InputMap = Annotated[dict[str, InputText], unset({})]
"""A map of strings, each of which may be known only during deployment."""
InputList = Annotated[list[InputText], unset([])]
"""A list of strings, each of which may be known only during deployment."""
Texts = Annotated[list[str], unset([])]
"""A list of strings. `null` means the empty list."""
VersionText = Annotated[str, Prepare(_version), unset("")]
"""A version, as a string or a number."""
AgentVersion = Annotated[VersionText, Form(expected=f"a version MAJOR.MINOR.PATCH, for instance {NEWEST}", test=VERSION.pattern)]
"""A version of the agent."""
IMAGE_REFERENCE = Form(expected=f"the reference of an image, for instance scalr/agent:{NEWEST}", test=is_image, repeated=False)
"""The form of a complete image reference."""
ImageTag = Annotated[str, Check(_image_tag), Prepare(_quote_numbers), unset("")]
"""An image tag, optionally with a digest. Numbers are rejected, because YAML may have changed them."""
Repository = Annotated[str, Check(_repository), unset("")]
"""An image's name without registry and tag."""
Registry = Annotated[str, Check(_registry), unset("")]
"""An image registry, optionally with a path, or the empty string."""
SubPath = Annotated[str, Check(_sub_path), unset("")]
"""A directory inside a volume, or the empty string for the whole volume."""
EnvText = Annotated[str, Prepare(_env_text), unset(""), WithJsonSchema({"type": ["string", "number", "boolean"]})]
"""The value of an environment variable: a string, a number or a boolean."""
Flag = Annotated[bool, unset(False)]
"""A boolean. `null` means false; strings such as "yes" are rejected."""
Name = Annotated[str, Check(_name), unset("")]
"""The name of a Kubernetes object, or the empty string."""
ObjectName = Annotated[str, Check(_object_name)]
"""The name of an object, which is needed."""
StorageClassName = Annotated[str, Check(_storage_class), unset("")]
"""The name of a StorageClass, `-` for none, or the empty string."""
LabelText = Annotated[str, Check(_label_value), unset("")]
"""A string that must be valid as the value of a label."""
InputName = Annotated[str | Deferred, _OrDeferred(), Check(lambda v: _name(v) if isinstance(v, str) else v), unset("")]
"""The name of a Kubernetes object, or the empty string; it may be known only during deployment."""
RELEASE = Form(
    expected=f"a release name: at most {LONGEST_RELEASE} lower case letters, digits, '-' and '.'",
    test=is_subdomain,
    longest=LONGEST_RELEASE,
)
NAMESPACE = Form(
    expected=f"a namespace: at most {LONGEST_LABEL} lower case letters, digits and '-'", test=is_dns_label, longest=LONGEST_LABEL
)
ReleaseName = Annotated[str, RELEASE]
"""The name of a release, from which the names of its objects are made."""
Namespace = Annotated[str, NAMESPACE]
SecretKey = Annotated[str, Check(_secret_key)]
Directory = Annotated[str, Check(_directory)]
NodeDirectory = Annotated[str, Check(_node_directory)]
"""An absolute path on a node."""
OptionalDirectory = Annotated[str, Check(lambda value: _node_directory(value) if value else ""), unset("")]
"""An absolute path on a node, or the empty string."""
Quantity = Annotated[str, Prepare(_quantity), WithJsonSchema({"type": ["string", "number"]})]
Size = Annotated[Quantity, Rule(size_problem)]
"""A size: a quantity greater than zero."""
InputSize = Annotated[InputText, Rule(size_problem)]
"""A size, which may be known only during deployment."""
CountOrPercent = Annotated[int | str | None, Prepare(_count_or_percent)]
Count = Annotated[int | None, Field(ge=0, le=LARGEST), Prepare(integral)]
"""A whole number, not negative, for instance of seconds. `null` leaves the field to Kubernetes."""
PullPolicy = Literal["Always", "IfNotPresent", "Never"]
Cloud = Literal["aws", "azure", "gcp"]
"""Where a cluster runs: EKS, AKS or GKE."""
AccessMode = Literal["ReadWriteOnce", "ReadWriteMany", "ReadWriteOncePod", "ReadOnlyMany"]

LabelKey = Annotated[str, Check(_label_key)]
Labels = Annotated[dict[LabelKey, Annotated[str, Check(_label_value)]], unset({})]
"""Labels or a node selector: strings to strings."""
Annotations = Annotated[dict[LabelKey, Annotated[str | Deferred, _OrDeferred()]], unset({})]
"""Annotations; a value may be known only during deployment."""
PlainAnnotations = Annotated[dict[LabelKey, str], unset({})]
"""Annotations that become part of a string, so that they must be known before deployment."""
EnvName = Annotated[str, Check(_env_name)]
"""The name of an environment variable."""
EnvMap = Annotated[dict[EnvName, EnvText], unset({})]
"""Environment variables, name to value."""
SecretEnv = Annotated[dict[EnvName, Annotated[str | Deferred, _OrDeferred()]], unset({})]
"""Environment variables with secret values: only strings, which may be known only during deployment."""
OpenMap = Annotated[dict[str, Any], Prepare(_empty_as({})), unset({})]
"""A map whose content is not checked here."""
_OpenList = Annotated[list[dict[str, Any]], Prepare(_empty_as([])), unset([])]

# Kubernetes types: checked against its schemas and passed on unchanged.
Affinity = Annotated[OpenMap, _of_kubernetes("Affinity")]
Containers = Annotated[_OpenList, _of_kubernetes("[]Container")]
EmptyDir = Annotated[OpenMap, _of_kubernetes("EmptyDirVolumeSource")]
EnvFrom = Annotated[_OpenList, _of_kubernetes("[]EnvFromSource")]
DnsConfig = Annotated[OpenMap, _of_kubernetes("PodDNSConfig")]
EnvList = Annotated[_OpenList, _of_kubernetes("[]EnvVar")]
HostAliases = Annotated[_OpenList, _of_kubernetes("[]HostAlias")]
PodSecurityContext = Annotated[OpenMap, _of_kubernetes("PodSecurityContext")]
PullSecrets = Annotated[_OpenList, _of_kubernetes("[]LocalObjectReference")]
Resources = Annotated[OpenMap, _of_kubernetes("ResourceRequirements")]
SecurityContext = Annotated[OpenMap, _of_kubernetes("SecurityContext")]
Tolerations = Annotated[_OpenList, _of_kubernetes("[]Toleration")]
TopologySpreadConstraints = Annotated[_OpenList, _of_kubernetes("[]TopologySpreadConstraint")]
VolumeMounts = Annotated[_OpenList, _of_kubernetes("[]VolumeMount")]
Volumes = Annotated[_OpenList, _of_kubernetes("[]Volume")]
