"""The `AgentCrds` component."""

import re
from collections.abc import Iterator, Sequence

import pulumi

from scalr_agents.charts.agent_job.versions import TABLE
from scalr_agents.charts.shared import crds
from scalr_agents.model.findings import Finding, error
from scalr_agents.model.release import LineError
from scalr_agents.resources.arguments.agents import AgentCrdsArgs
from scalr_agents.resources.component import Component, child, error_hook
from scalr_agents.resources.kubernetes import objects
from scalr_agents.resources.kubernetes.agent_arguments import CrdsArguments
from scalr_agents.resources.outputs import known_after
from scalr_agents.resources.validation import validate

_ALL_VERSIONS: AgentCrdsArgs = {}
_OWNER = re.compile(r'conflicts? with "([-./\w]+)"')
"""A field manager that the API server names in a conflict."""


class AgentCrds(Component):
    """The custom resource definitions that agents need. Create them once per cluster.

    They stay in the cluster when the stack is destroyed, because deleting one deletes all its objects, also those of other stacks.
    A later deployment, of this stack or another, uses them again. A definition that another tool has installed with other content,
    for instance Helm, is not changed: the deployment fails and says what to do.

    Let agents depend on this component, with the resource option `depends_on`.
    """

    crd_names: pulumi.Output[list[str]]
    """Names of the definitions."""

    def __init__(self, name: str, args: AgentCrdsArgs = _ALL_VERSIONS, opts: pulumi.ResourceOptions | None = None) -> None:
        version = validate("AgentCrds", name, CrdsArguments, args, then=_check).agent_version
        lines = [TABLE.line(version)] if version else TABLE.lines
        super().__init__("scalr-agents:index:AgentCrds", name, {}, opts)

        definitions = {plural: manifest for line in lines for plural, manifest in crds.objects(line).items()}
        hooks = pulumi.ResourceHookBinding(on_error=[error_hook(f"{name}-conflict", _explain)])
        # The provider creates an object only if there is none. A patch it applies to what there is, or creates it. All stacks apply theirs
        # as one field manager, so that the API server refuses only to change what others maintain.
        patches = {
            plural: pulumi.CustomResource(
                f"{objects.type_token(manifest)}Patch",
                f"{name}-{plural}",
                objects.annotated(manifest, "pulumi.com/patchFieldManager", crds.FIELD_MANAGER),
                child(self, opts, version=objects.plugin_version(), retain_on_delete=True, hooks=hooks),
            )
            for plural, manifest in definitions.items()
        }
        self.crd_names = pulumi.Output.all(*(known_after(crd, definitions[role]["metadata"]["name"]) for role, crd in patches.items()))
        self.publish()


def conflict(definition: str, errors: Sequence[str]) -> str | None:
    """What to do about a definition that could not be applied. `None` if no conflict with another field manager was the reason."""
    owners = sorted(set(_OWNER.findall("\n".join(errors))))
    if not owners:
        return None
    advice = (
        f"The cluster has a CustomResourceDefinition {definition!r} with other content, which {' and '.join(owners)} installed. To use "
        "it as it is, remove AgentCrds from the program, or set kubernetes.crds to expect in the stack file. To replace it, also for "
        "everybody else who uses it, run once:"
    )
    return f"{advice}\n  PULUMI_K8S_ENABLE_PATCH_FORCE=true pulumi up"


def _explain(refused: pulumi.ErrorHookArgs) -> bool:
    advice = conflict(refused.new_inputs["metadata"]["name"], refused.errors) if refused.new_inputs else None
    if advice:
        pulumi.log.error(advice)
    return False  # no retry: the user must decide


def _check(given: CrdsArguments) -> Iterator[Finding]:
    try:
        TABLE.line(given.agent_version)
    except LineError as problem:
        yield error("agent_version", str(problem))
