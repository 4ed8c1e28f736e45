"""The `AgentCrds` component."""

from collections.abc import Iterator
from typing import NotRequired, TypedDict

import pulumi
from pydantic import ConfigDict

from scalr_agents.charts.agent_job.versions import TABLE
from scalr_agents.charts.shared.manifests import crds
from scalr_agents.model.findings import Finding, error
from scalr_agents.model.lines import LineError
from scalr_agents.model.section import Section
from scalr_agents.resources import kubernetes
from scalr_agents.resources.component import Component
from scalr_agents.resources.options import known_after
from scalr_agents.resources.validation import validate


class AgentCrdsArgs(TypedDict):
    """Arguments of `AgentCrds`."""

    agent_version: NotRequired[str]
    """Version of the agents whose definition to install. Default: the definitions for all versions, which can coexist."""


_ALL_VERSIONS: AgentCrdsArgs = {}


class AgentCrds(Component):
    """The custom resource definitions that agents need. Create them once per cluster.

    They stay in the cluster when the stack is destroyed, because deleting one deletes all its objects, also those of other stacks.
    Let agents depend on this component, with the resource option `depends_on`. If another stack may have installed them already, use
    a provider with `upsert_existing_objects` and `enable_patch_force`.
    """

    crd_names: pulumi.Output[list[str]]
    """Names of the definitions."""

    def __init__(self, name: str, args: AgentCrdsArgs = _ALL_VERSIONS, opts: pulumi.ResourceOptions | None = None) -> None:
        version = validate("AgentCrds", name, _Arguments, args, _check).agent_version
        wanted = [TABLE.line(version)] if version else TABLE.lines
        super().__init__("scalr-agents:index:AgentCrds", name, {}, opts)

        group = {plural: manifest for line in wanted for plural, manifest in crds.objects(line).items()}
        registered = kubernetes.register(group, self, name, opts, retain=True)
        self.crd_names = pulumi.Output.all(*(known_after(crd, group[plural]["metadata"]["name"]) for plural, crd in registered.items()))
        self.publish()


class _Arguments(Section):
    model_config = ConfigDict(alias_generator=None)

    agent_version: str | None = None


def _check(given: _Arguments) -> Iterator[Finding]:
    try:
        TABLE.line(given.agent_version)
    except LineError as problem:
        yield error("agent_version", str(problem))
