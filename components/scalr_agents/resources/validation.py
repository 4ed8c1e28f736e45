"""Validates the arguments of components: all findings at once, before anything is registered."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

import pulumi
from pulumi import _types  # the SDK itself uses it to convert argument classes

from scalr_agents.model import parse
from scalr_agents.model.findings import Finding, by_severity, errors
from scalr_agents.model.section import Section

S = TypeVar("S", bound=Section)


class ArgsError(pulumi.RunError, pulumi.InputPropertiesError):
    """Arguments that cannot be used; the text lists every finding.

    A Python program ends with the text and without a traceback; a program in another language gets it as an error of that language. The
    error names no property besides the text, because the engine would print the property's value, even if it is a secret.
    """

    def __init__(self, subject: str, findings: Sequence[Finding]) -> None:
        self.findings = by_severity(findings)
        text = "\n".join(f"  {finding}" for finding in self.findings)
        super().__init__(f"{subject} cannot be deployed:\n{text}", [])


def validate(component: str, name: str, model: type[S], args: Mapping[str, Any], check: Callable[[S], Iterable[Finding]]) -> S:
    """The arguments of a component as its `model`, checked. Warnings are logged; errors are raised as `ArgsError`."""
    given, findings = parse.parse_whole(model, plain(args))
    if given is None:
        raise ArgsError(f"{component} {name!r}", findings)
    report(component, name, list(check(given)))
    return given


def report(component: str, name: str, findings: Sequence[Finding]) -> None:
    """Raise the findings if there is an error among them, and log them otherwise."""
    if errors(findings):
        raise ArgsError(f"{component} {name!r}", findings)
    for finding in findings:
        pulumi.log.warn(f"{name}: {finding.text}")


def plain(args: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments with mappings as dicts and sequences as lists, without those that are `None`. All other values stay as they are.

    Objects of the SDKs' argument classes (`ResourceRequirementsArgs`) become dicts with the keys of Kubernetes.
    """
    return {key: _plain(value) for key, value in args.items() if value is not None}


def _plain(value: Any) -> Any:
    if _types.is_input_type(type(value)):
        value = _types.input_type_to_dict(value)
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list | tuple) else value
