"""The arguments of the components for agents as a validated agent: all findings at once, on the argument that is wrong."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Generic

import pulumi

from scalr_agents.charts.agent_job import JobAgent
from scalr_agents.charts.agent_k8s import K8sAgent
from scalr_agents.charts.agent_local import LocalAgent
from scalr_agents.charts.shared.agent import A, Chart
from scalr_agents.charts.shared.external_secrets import layers as layers_of_store
from scalr_agents.charts.shared.inputs import Inputs
from scalr_agents.charts.shared.loading import load, misshapen_sections, shapes
from scalr_agents.charts.shared.settings import Settings, translated
from scalr_agents.model import gone
from scalr_agents.model.findings import Finding, by_severity, dotted, error
from scalr_agents.model.judge import judge
from scalr_agents.model.maps import Values, is_given, is_set, leaves, lookup
from scalr_agents.model.marks import deprecations, without_deprecated_defaults
from scalr_agents.model.origins import Layer, combine, locate
from scalr_agents.model.release import LineError
from scalr_agents.model.section import by_name, in_programs
from scalr_agents.resources import validation
from scalr_agents.resources.arguments.agents import AgentJobArgs, AgentK8sArgs, AgentLocalArgs
from scalr_agents.resources.component import Validated
from scalr_agents.resources.kubernetes import late
from scalr_agents.resources.kubernetes.agent_arguments import AgentArguments, AgentJobArguments, AgentK8sArguments, AgentLocalArguments
from scalr_agents.resources.validation import ArgsError

_NO_RESOURCES: Sequence[pulumi.Resource] = ()
_STORE = ("secrets_from",)
_TOKEN = ("agent", "token")
_URL = ("agent", "url")
_OF_SOME = ("runner_image", "mirror_tokens", "pre_pull", "scaling")
"""Inputs of an agent that only some components have as arguments."""
_MODELS: Mapping[str, type[AgentArguments]] = {
    "AgentJob": AgentJobArguments,
    "AgentLocal": AgentLocalArguments,
    "AgentK8s": AgentK8sArguments,
}


@dataclass(frozen=True)
class AgentRequest(Generic[A]):
    """A validated agent, and how it is rolled out."""

    agent: A
    await_rollout: bool
    rollout_timeout_seconds: int
    mounts: Sequence[pulumi.Resource] = ()
    """Claims of a stack's caches that its pods mount, with their volumes. Its workloads wait for them."""


class AgentComponent(Validated[AgentRequest[A]]):
    """A component that deploys an agent."""

    needed_by_runs = _NO_RESOURCES  # without an annotation, in which the component host would see an output
    """What must stay while runs mount claims: none where runs are in its own pods, which are deleted first, or mount no cache."""


def agent_job(component: str, name: str, args: AgentJobArgs, *, token_needed: bool = True) -> AgentRequest[JobAgent]:
    """The agent that the arguments of `component` describe. Warnings are logged; errors are raised as `ArgsError`."""
    return _validate(JobAgent, AgentJobArguments, component, name, args, token_needed=token_needed)


def agent_local(name: str, args: AgentLocalArgs) -> AgentRequest[LocalAgent]:
    """The agent that the arguments of `AgentLocal` describe, as above."""
    return _validate(LocalAgent, AgentLocalArguments, "AgentLocal", name, args)


def agent_k8s(name: str, args: AgentK8sArgs) -> AgentRequest[K8sAgent]:
    """The agent that the arguments of `AgentK8s` describe, as above."""
    return _validate(K8sAgent, AgentK8sArguments, "AgentK8s", name, args)


def _validate(
    chart: type[A], model: type[AgentArguments], component: str, name: str, args: Mapping[str, Any], *, token_needed: bool = True
) -> AgentRequest[A]:
    plain = validation.plain(component, name, args)
    given, findings = validation.parsed(model, plain)
    if given is None:
        found = {finding.at for finding in findings}
        values = plain.get("values")
        of_values = shapes(chart, Layer(("values",), values)) if isinstance(values, dict) else []
        findings = [_with_place(finding, chart, model) for finding in findings] + [each for each in of_values if each.at not in found]
        raise ArgsError(f"{component} {name!r}", findings)
    request, findings = _check(chart, name, given, token_needed=token_needed)
    if request is None:
        raise ArgsError(f"{component} {name!r}", findings)
    all_findings = [*findings, *deprecations(given, by_name=True), *validation.empty(model, plain, findings)]
    validation.report(component, name, by_severity(all_findings))
    return request


def _with_place(finding: Finding, chart: Chart, model: type[AgentArguments]) -> Finding:
    """The finding on an unknown argument that another component has, or that is a value of the chart: with a better advice."""
    key, *below = finding.at
    if below or key in model.model_fields or gone.of_key(finding.at):
        return finding
    owners = [component for component, known in _MODELS.items() if key in known.model_fields]
    of_others = f"unknown key {key!r}; it is an argument of {' and '.join(owners)} only" if owners else ""
    message = of_others or chart.place_of(str(key))
    return error(finding.at, message) if message else finding


def _check(chart: type[A], name: str, given: AgentArguments, *, token_needed: bool) -> tuple[AgentRequest[A] | None, list[Finding]]:
    try:
        settings = chart.settings(chart.versions, given.agent_version)
    except LineError as problem:
        return None, [error("agent_version", str(problem)), *shapes(chart, Layer(("values",), given.values))]
    flat, flat_findings = _flat_layers(given, settings)
    layers = [Layer(("values",), given.values), *flat]
    findings = [
        *flat_findings,
        *_conflicts(given, flat),
        *judge(given, by_name),
        *misshapen_sections(chart, layers[0]),
    ]
    agent = load(
        chart,
        combine(layers),
        release=given.release or name,
        namespace=given.namespace,
        agent_version=given.agent_version,
        naming=given.names,
        inputs=Inputs(
            given.agent_image,
            secret_env={**given.secret_env, **(given.secrets_from.variables() if given.secrets_from else {})},
            token_needed=token_needed,
            rollout_timeout_seconds=given.rollout_timeout_seconds if given.await_rollout else None,
            network=given.network,
            disk=True,
            **{name: getattr(given, name) for name in _OF_SOME if name in type(given).model_fields},
        ),
    )
    findings += [_at_argument(finding, given, layers, settings) for finding in without_deprecated_defaults(agent.findings, given.values)]
    return AgentRequest(late.with_mirrors(agent), given.await_rollout, given.rollout_timeout_seconds), findings


def _flat_layers(given: AgentArguments, settings: Settings) -> tuple[list[Layer], list[Finding]]:
    """The flat arguments as the values they stand for."""
    translations: dict[str, Callable[[Any], Values]] = {
        "url": settings.url,
        "token": settings.token,
        "ca_bundle": settings.ca_bundle,
        "claim_name": lambda claim: settings.cache({"claimName": claim}),
        "service_account_annotations": lambda annotations: settings.identity(annotations, given.values),
    }
    flat = ((key, getattr(given, key, None)) for key in translations)
    layers, findings = translated((), ((key, partial(translations[key], content)) for key, content in flat if is_set(content)))
    if given.secrets_from:
        stored, of_store = layers_of_store(given.secrets_from, settings, _STORE, in_programs)
        return [*layers, *stored], [*findings, *of_store]
    return layers, findings


_IMAGES = (("agent", "image"), ("task", "worker", "image"), ("image",))
_BEHIND: dict[str, tuple[tuple[str, ...], ...]] = {
    "agent_image": tuple((*image, part) for image in _IMAGES for part in ("repository", "tag")),
    "runner_image": (("task", "runner", "image", "repository"), ("task", "runner", "image", "tag")),
    "service_account_annotations": (("serviceAccount", "annotations"),),
    "claim_name": (("persistence", "persistentVolumeClaim", "claimName"), ("persistence", "enabled")),
}
"""More values that contradict a flat argument, besides those that it is translated to."""


def _conflicts(given: AgentArguments, flat: list[Layer]) -> Iterator[Finding]:
    translated = {dotted(layer.place): list(leaves(layer.values)) for layer in flat}
    behind = {key: paths for key, paths in _BEHIND.items() if is_set(getattr(given, key, None))}
    for key in dict.fromkeys([*translated, *behind]):
        own = translated.get(key, []) if key != "service_account_annotations" else []
        for path in dict.fromkeys([*own, *behind.get(key, ())]):
            if isinstance(lookup(given.values, *path[:-1]), Mapping) and is_given(given.values, path):
                yield error(key, f"given together with values.{dotted(path)}, which it sets; keep one of them")


def _at_argument(finding: Finding, given: AgentArguments, layers: list[Layer], settings: Settings) -> Finding:
    if finding.at == _TOKEN and not any(is_given(layer.values, _TOKEN) for layer in layers):  # what else can be wrong with it?
        existing = dotted(("values", *settings.existing_token))
        return error("token", f"missing; set it (config.require_secret(...)), or set {existing}")
    if finding.at == _URL and given.url == "":
        return replace(finding, at=("url",))
    if finding.at == ("release",) and not given.release:
        return replace(finding, message=f"{finding.message} (the component's name, because release is not set)")
    if finding.at[:1] == ("secret_env",) and given.secrets_from and finding.at[-1] in given.secrets_from.env:
        return replace(finding, at=(*_STORE, "env", finding.at[-1]))
    own = bool(finding.at) and finding.at[0] in type(given).model_fields
    return finding if own else locate(finding, layers, ("values",))
