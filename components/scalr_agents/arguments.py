"""The flat arguments of the components, and how they become a validated agent."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal, NotRequired, TypedDict, cast

import pulumi
from pydantic import BeforeValidator, ConfigDict, Field

from scalr_agents import lines, manifests, validation, values
from scalr_agents.errors import ArgsError
from scalr_agents.manifests import secrets
from scalr_agents.options import deferred
from scalr_agents.values import Checked, Finding, shapes
from scalr_agents.values.fields import (
    Annotations,
    Deferred,
    InputText,
    KubernetesMap,
    SecretEnv,
    Text,
    integral,
    is_deferred,
    is_set,
)
from scalr_agents.values.findings import dotted
from scalr_agents.values.inputs import Inputs
from scalr_agents.values.layers import Layer, combine, locate, says
from scalr_agents.values.merge import Values
from scalr_agents.values.section import Section

ROLLOUT_SECONDS = 300


class AgentJobArgs(TypedDict):
    """Arguments of `AgentJob` and of the components it is made of."""

    namespace: str
    """Namespace of the agent; it must exist."""
    release: NotRequired[str]
    """Name of the release, first part of all object names. Default: the component's name."""
    agent_version: NotRequired[str]
    """Version of the agent, 0.57 to 0.60: the contract line and the default image tag. Default: 0.57.0."""
    names: NotRequired[str]
    """`scoped` (default), or `chart` for the names that the Helm chart uses, to take a Helm release over."""
    values: NotRequired[Mapping[str, Any]]
    """Values of the chart `agent-job`, as in a values file. Leaves that are not read may be outputs. Nulls unset defaults."""
    url: NotRequired[pulumi.Input[str]]
    """Address of the account, `https://<account>.scalr.io`. Value `agent.url`."""
    token: NotRequired[pulumi.Input[str]]
    """Token of the agent pool; becomes a Secret. Value `agent.token`."""
    ca_bundle: NotRequired[pulumi.Input[str]]
    """PEM certificates to trust, instead of the public ones. Value `global.tls.caBundle`."""
    agent_image: NotRequired[pulumi.Input[str]]
    """Complete reference of the agent's image, a digest too. Replaces what `agent.image` makes."""
    runner_image: NotRequired[pulumi.Input[str]]
    """Complete reference of the runner's image, a digest too. Replaces what `task.runner.image` makes."""
    cache_claim_name: NotRequired[pulumi.Input[str]]
    """Name of the claim for the shared cache; turns value `persistence.cache` on."""
    service_account_annotations: NotRequired[Mapping[str, pulumi.Input[str]]]
    """Annotations of the service account, for instance an IAM role. Value `serviceAccount.annotations`."""
    secret_env: NotRequired[Mapping[str, pulumi.Input[str]]]
    """Environment variables that become a Secret; runs get those that are not named `SCALR_*`."""
    await_rollout: NotRequired[bool]
    """Whether a deployment waits until the controllers are ready. Default: true."""
    rollout_timeout_seconds: NotRequired[int]
    """Seconds that it waits. Default: 300."""


class _Arguments(Section):
    """The same arguments, as they are checked."""

    model_config = ConfigDict(alias_generator=None)

    namespace: str
    release: Text = ""
    agent_version: str | None = None
    names: Literal["scoped", "chart"] = "scoped"
    values: KubernetesMap = {}
    url: InputText | None = None
    token: InputText | None = None
    ca_bundle: InputText | None = None
    agent_image: InputText | None = None
    runner_image: InputText | None = None
    cache_claim_name: InputText | None = None
    service_account_annotations: Annotations = {}
    secret_env: SecretEnv = {}
    await_rollout: bool = True
    rollout_timeout_seconds: Annotated[int, BeforeValidator(integral), Field(gt=0)] = ROLLOUT_SECONDS


@dataclass(frozen=True)
class Agent:
    """A validated agent, ready to be registered."""

    checked: Checked
    inputs: Inputs
    await_rollout: bool
    rollout_timeout_seconds: int

    def as_args(self) -> AgentJobArgs:
        """Arguments for a component that shall not validate again."""
        return cast(AgentJobArgs, _Validated(self))


class _Validated(dict[str, Any]):
    def __init__(self, agent: Agent) -> None:
        super().__init__()
        self.agent = agent


def prepare(component: str, name: str, args: AgentJobArgs, *, token_needed: bool = True) -> Agent:
    """The agent that a component's arguments describe. Warnings are logged; errors are raised as `ArgsError`."""
    if isinstance(args, _Validated):
        return args.agent
    agent, findings = _check(name, dict(args), token_needed=token_needed)
    if agent is None:
        raise ArgsError(f"{component} {name!r}", findings)
    validation.report(component, name, findings)
    return agent


def _check(name: str, args: Mapping[str, Any], *, token_needed: bool) -> tuple[Agent | None, list[Finding]]:
    given, findings = shapes.parse_whole(_Arguments, validation.plain(args))
    if given is None:
        return None, findings
    layers = [Layer("values", given.values), *_flat_layers(given)]
    findings += [*_conflicts(given), *values.misshapen_sections("agent-job", layers[0])]
    inputs = Inputs(
        given.agent_image,
        given.runner_image,
        given.secret_env,
        token_needed=token_needed,
        rollout_timeout_seconds=given.rollout_timeout_seconds if given.await_rollout else None,
    )
    try:
        checked = values.load(
            "agent-job",
            combine(layers),
            release=given.release or name,
            namespace=given.namespace,
            agent_version=given.agent_version,
            naming=given.names,
            inputs=inputs,
        )
    except lines.LineError as problem:
        return None, [*findings, Finding("error", "agent_version", str(problem))]
    findings += [_at_argument(finding, layers) for finding in checked.findings]
    inputs = replace(inputs, secrets_digest=_digest(checked, inputs))
    return Agent(checked, inputs, given.await_rollout, given.rollout_timeout_seconds), findings


def _flat_layers(given: _Arguments) -> list[Layer]:
    """The flat arguments as the values they stand for."""
    claim = {"enabled": True, "persistentVolumeClaim": {"claimName": given.cache_claim_name}}
    translated: dict[str, Values] = {
        "url": {"agent": {"url": given.url}},
        "token": {"agent": {"token": given.token}},
        "ca_bundle": {"global": {"tls": {"caBundle": given.ca_bundle}}},
        "cache_claim_name": {"persistence": {"cache": claim}},
        "service_account_annotations": {"serviceAccount": {"annotations": given.service_account_annotations}},
    }
    return [Layer(word, content, word=True) for word, content in translated.items() if is_set(getattr(given, word))]


_BEHIND: dict[str, tuple[tuple[str, ...], ...]] = {
    "url": (("agent", "url"),),
    "token": (("agent", "token"),),
    "ca_bundle": (("global", "tls", "caBundle"),),
    "agent_image": (
        ("agent", "image", "repository"),
        ("agent", "image", "tag"),
        ("task", "worker", "image", "repository"),
        ("task", "worker", "image", "tag"),
    ),
    "runner_image": (("task", "runner", "image", "repository"), ("task", "runner", "image", "tag")),
    "cache_claim_name": (("persistence", "cache", "enabled"), ("persistence", "cache", "persistentVolumeClaim", "claimName")),
    "service_account_annotations": (("serviceAccount", "annotations"),),
}
"""Flat arguments and the values behind them."""


def _conflicts(given: _Arguments) -> Iterator[Finding]:
    for word, paths in _BEHIND.items():
        for path in paths:
            if is_set(getattr(given, word)) and says(given.values, path):
                yield Finding("error", word, f"given together with values.{dotted(path)}, which it stands for; keep one of them")


def _at_argument(finding: Finding, layers: list[Layer]) -> Finding:
    own = finding.path.partition(".")[0] in _Arguments.model_fields
    return finding if own else locate(finding, layers, "values")


def _digest(checked: Checked, inputs: Inputs) -> Deferred | None:
    """Rolls the pods when a secret changes that is known only during deployment. A digest tells nothing, so diffs may show it."""
    held = secrets.contents(manifests.held(checked, inputs))
    if not any(map(is_deferred, held)):
        return None
    return deferred(pulumi.Output.unsecret(pulumi.Output.all(*held).apply(manifests.digest)))
