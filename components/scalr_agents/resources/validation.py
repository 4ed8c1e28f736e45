"""Validates the arguments of components: all findings at once, before anything is registered."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import pulumi
from pulumi import _types  # nothing public tells the keys of an argument class: Kubernetes has hostIP for its host_ip

from scalr_agents.model import parse
from scalr_agents.model.findings import Finding, by_severity, dotted, error, errors, warning
from scalr_agents.model.forms import Form
from scalr_agents.model.judge import judge
from scalr_agents.model.maps import Deferred, everything, is_deferred
from scalr_agents.model.marks import deprecations
from scalr_agents.model.section import Section, by_name
from scalr_agents.model.texts import describe
from scalr_agents.resources.component import Component
from scalr_agents.resources.outputs import as_output, deferred, when_registered

S = TypeVar("S", bound=Section)
_OF_CLOUD = ("kms_key", "reserved_ip_range", "protocol", "storage_class_name")
"""Arguments that may be missing, because the cloud or the driver has a default."""
EMPTY_OUTPUT = "this output is empty or not a string"
ADVICE = "if it comes from a StackReference, check its name there"


class ArgsError(pulumi.RunError, pulumi.InputPropertiesError):
    """Arguments that cannot be used; the text lists every finding.

    A Python program ends with the text and without a traceback; a program in another language gets it as an error of that language. The
    error names no property besides the text, because the engine would print the property's value, even if it is a secret.
    """

    def __init__(self, subject: str, findings: Sequence[Finding]) -> None:
        self.findings = by_severity(findings)
        text = "\n".join(f"  {_line(finding)}" for finding in self.findings)
        super().__init__(f"{subject} cannot be deployed:\n{text}", [])


def validate(
    component: str,
    name: str,
    model: type[S],
    args: Mapping[str, Any],
    *,
    names: Form | None = None,
    then: Callable[[S], Iterable[Finding]] = lambda _: (),
    facts: Mapping[str, object] | None = None,
) -> S:
    """The arguments of a component as its `model`, judged. Warnings are logged; errors are raised as `ArgsError`.

    `names` is the form of the component's name, and `then` judges arguments that have no error.
    """
    arguments = plain(component, name, args)
    given, findings = parsed(model, arguments)
    if given is None:
        raise ArgsError(f"{component} {name!r}", findings)
    found = [error("", text) for _, text in (names.problems(name) if names else ())] + list(judge(given, by_name, facts=facts))
    found += [] if errors(found) else then(given)
    report(component, name, by_severity([*found, *deprecations(given, by_name=True), *empty(model, arguments, found)]))
    return given


def empty(model: type[Section], arguments: Mapping[str, Any], found: Iterable[Finding]) -> Iterator[Finding]:
    """Findings on arguments that are empty strings, without those that have a finding already."""
    reported = {finding.at for finding in found}
    for key in (key for key, value in arguments.items() if value == "" and (key,) not in reported):
        if model.model_fields[key].default:
            yield error(key, "empty; set it, or leave it out for the default")
        else:
            yield warning(key, "empty, so it has no effect; set it, or leave it out")


def report(component: str, name: str, findings: Sequence[Finding]) -> None:
    """Raise the findings if there is an error among them, and log them otherwise."""
    if errors(findings):
        raise ArgsError(f"{component} {name!r}", findings)
    for finding in findings:
        pulumi.log.warn(f"{name}: {_line(finding).removeprefix('warning: ')}")


def with_text(owner: pulumi.ComponentResource, name: str, given: S, of: type[Section] | None = None) -> S:
    """Arguments with outputs that end the program, without a traceback, if they turn out to be empty or not a string.

    An output that does not exist in the stack of a `StackReference` is `None`. `owner` is the component, called `name`. With `of`, only
    the arguments of that model are checked.
    """
    return given.model_copy(update=later_text(owner, name, given, (of or type(given)).model_fields))


def later_text(owner: pulumi.ComponentResource, name: str, given: object, keys: Iterable[str]) -> dict[str, Any]:
    """Those of some arguments that are outputs, checked. A section is no plain data either."""
    values = {key: getattr(given, key) for key in keys}
    return {key: _text(owner, name, key, value) for key, value in values.items() if is_deferred(value) and not isinstance(value, Section)}


def _text(owner: pulumi.ComponentResource, name: str, key: str, value: Deferred) -> Deferred:
    def checked(known: Any) -> Any:
        if isinstance(known, str) and known.strip():
            return known
        if key in _OF_CLOUD and known in (None, ""):
            pulumi.log.warn(f"{name}: {key}: {EMPTY_OUTPUT}, so the default is used; {ADVICE}")
            return known
        raise ArgsError(f"{type(owner).__name__} {name!r}", [error(key, f"{EMPTY_OUTPUT}; {ADVICE}")])

    return deferred(when_registered(owner, as_output(value)).apply(checked))


def _line(finding: Finding) -> str:
    """A finding as text. Keys with dots are quoted as Pulumi quotes them, unless the finding is on a values file."""
    if finding.position or not finding.at:
        return str(finding)
    return f"{finding.severity}: {dotted(finding.at, quoted=True)}: {finding.message}"


def plain(component: str, name: object, args: object) -> dict[str, Any]:
    """Arguments with mappings as dicts and sequences as lists, without those that are `None`. All other values stay as they are.

    Objects of the SDKs' argument classes (`ResourceRequirementsArgs`) become dicts with the keys of Kubernetes. Raises `ArgsError` if
    name and arguments are not what their places need.
    """
    if not isinstance(name, str):
        raise ArgsError(component, [error("name", f"expected a string, given {describe(name, repeated=False)}")])
    if not isinstance(args, Mapping):
        advice = "; pass options as the third argument, or as opts=..." if isinstance(args, pulumi.ResourceOptions) else ""
        given = "None" if args is None else type(args).__name__
        raise ArgsError(f"{component} {name!r}", [error("args", f"expected a dict, given {given}{advice}")])
    return {key: _plain(value) for key, value in args.items() if value is not None}


def parsed(model: type[S], given: Mapping[str, Any]) -> tuple[S | None, list[Finding]]:
    """Plain arguments as a `model`, or the findings on their types."""
    resources = {finding.at: finding for finding in _resources(given)}
    arguments, findings = parse.parse_arguments(model, given)
    others = [_with_advice(finding) for finding in findings if finding.at not in resources]
    return None if resources else arguments, [*resources.values(), *others]


def _resources(given: Mapping[str, Any]) -> Iterator[Finding]:
    """Errors for resources in place of their outputs. Pulumi would pass the URN of a component."""
    for at, value in everything(given):
        if isinstance(value, pulumi.Resource):
            yield error(at, f"given a resource ({type(value).__name__}); pass one of its outputs{_example(value, at[-1])}")


def _example(resource: pulumi.Resource, argument: str | int) -> str:
    names = resource.output_names() if isinstance(resource, Component) else []
    return f", for instance {argument if argument in names else names[0]}" if names else ""


def _with_advice(finding: Finding) -> Finding:
    if finding.at == ("namespace",) and finding.message == parse.UNKNOWN:
        return replace(finding, message=f"{finding.message}; write the name as a string, and add the option depends_on=[namespace]")
    return finding


def _plain(value: Any) -> Any:
    if _types.is_input_type(type(value)):
        value = _types.input_type_to_dict(value)
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list | tuple) else value
