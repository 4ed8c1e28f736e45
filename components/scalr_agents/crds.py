"""The `AgentCrds` component."""

from typing import NotRequired, TypedDict

import pulumi
from pydantic import ConfigDict

from scalr_agents import kubernetes, lines
from scalr_agents.errors import ArgsError
from scalr_agents.manifests import crds
from scalr_agents.values import Finding, shapes
from scalr_agents.values.section import Section


class AgentCrdsArgs(TypedDict):
    """Arguments of `AgentCrds`."""

    agent_version: NotRequired[str]
    """Version of the agents, 0.57 to 0.60. Default: 0.57.0."""


class AgentCrds(pulumi.ComponentResource):
    """The custom resource definitions that agents need, once for a cluster.

    They stay in the cluster when the stack goes, since deleting one deletes all its objects, those of other stacks too. Agents
    depend on this component: `ResourceOptions(depends_on=[crds])`. For a cluster where another stack may have installed
    them already, give it a provider with `upsert_existing_objects` and `enable_patch_force`.
    """

    crd_names: pulumi.Output[list[str]]
    """Names of the definitions."""

    def __init__(self, name: str, args: AgentCrdsArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        line = _line(name, args)
        super().__init__("scalr-agents:index:AgentCrds", name, {}, opts)

        registered = kubernetes.register(crds.objects(line), self, name, opts, retain=True)
        self.crd_names = pulumi.Output.all(
            *(kubernetes.known_after(crd, f"{plural}.{line.task_resource.group}") for plural, crd in registered.items())
        )
        self.register_outputs({"crdNames": self.crd_names})


class _Arguments(Section):
    model_config = ConfigDict(alias_generator=None)

    agent_version: str | None = None


def _line(name: str, args: AgentCrdsArgs) -> lines.Line:
    given, findings = shapes.parse_whole(_Arguments, dict(args))
    try:
        if given:
            return lines.select("agent-job", given.agent_version)
    except lines.LineError as problem:
        findings = [Finding("error", "agent_version", str(problem))]
    raise ArgsError(f"AgentCrds {name!r}", findings)
