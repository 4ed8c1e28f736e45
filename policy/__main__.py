"""The policy pack: what SECURITY.md promises, as policies. The rules are in the package, in `scalr_agents.promises`."""

import sys
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from pulumi_policy import (
    EnforcementLevel,
    Policy,
    PolicyConfigSchema,
    PolicyPack,
    PolicyResource,
    ReportViolation,
    ResourceValidationArgs,
    ResourceValidationPolicy,
    StackValidationArgs,
    StackValidationPolicy,
)
from pulumi_policy.proxy import UnknownValueError

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "components"))  # requirements.txt cannot list the package, which has no hash

from scalr_agents.promises import EXCEPTIONS, PROMISES, Promise, violations_of
from scalr_agents.promises.resources import Resource

_UNKNOWN = object()
"""In place of a value that is not known before a deployment. The engine asks again during the deployment, when it is."""


def _plain(value: Any) -> Any:
    """Inputs as maps and lists. Those of the SDK raise an error where a value is not known."""
    if isinstance(value, Mapping):
        return {key: _item(value, key) for key in value}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_item(value, index) for index in range(len(value))]
    return value


def _item(values: Any, key: Any) -> Any:
    try:
        return _plain(values[key])
    except UnknownValueError:
        return _UNKNOWN


def _resource(given: ResourceValidationArgs | PolicyResource) -> Resource:
    """A resource without what providers keep for themselves: that of Kubernetes repeats an object as `__inputs` of its outputs."""
    props = {key: value for key, value in _plain(given.props).items() if not key.startswith("__")}
    return Resource(given.urn, given.resource_type, props, given.provider.urn if given.provider else "")


def _of_resource(promise: Promise, given: ResourceValidationArgs, report: ReportViolation) -> None:
    for violation in violations_of(promise, [_resource(given)], given.get_config()):
        report(violation.message, None)


def _of_stack(promise: Promise, given: StackValidationArgs, report: ReportViolation) -> None:
    for violation in violations_of(promise, [_resource(each) for each in given.resources], given.get_config()):
        report(violation.message, violation.urn)


def _policy(promise: Promise) -> Policy:
    level = EnforcementLevel.MANDATORY if promise.mandatory else EnforcementLevel.ADVISORY
    schema = None
    if promise.exceptions:
        exceptions = {"type": "array", "items": {"type": "string"}, "description": EXCEPTIONS[promise.exceptions]}
        schema = PolicyConfigSchema({promise.exceptions: exceptions})
    if promise.whole_stack:
        return StackValidationPolicy(promise.name, promise.description, partial(_of_stack, promise), level, schema)
    return ResourceValidationPolicy(promise.name, promise.description, partial(_of_resource, promise), level, schema)


PolicyPack("scalr-agents", [_policy(promise) for promise in PROMISES])
