"""Resources of a stack as plain data, as policies see them. What is not known yet is an object of no JSON type.

Policies of single resources see inputs. Those of a whole stack see outputs, which repeat the inputs: of a Kubernetes object, the object.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from scalr_agents import charts
from scalr_agents.charts.shared.agent import Chart
from scalr_agents.model.forms import is_deferred
from scalr_agents.model.merge import lookup

_COMPONENT = re.compile(r"scalr-agents:index:(\w+)")
KINDS = {"AgentJob": "agent-job", "AgentController": "agent-job", "AgentLocal": "agent-local", "AgentK8s": "agent-k8s"}
"""The kind of agent by the component that creates its pods."""


class Pod(NamedTuple):
    """The template of a pod."""

    labels: Any
    """Labels, or what is there in place of them."""
    annotations: Mapping[str, Any]
    spec: Mapping[str, Any]


class Resource(NamedTuple):
    """A resource of a stack."""

    urn: str
    type: str
    inputs: Mapping[str, Any]
    provider: str = ""
    """The URN of its provider: what two Kubernetes providers manage counts as two clusters."""

    @property
    def component(self) -> str:
        """The class of the outermost component of this package that it belongs to, for instance `AgentJob`. Empty if there is none."""
        found = _COMPONENT.search(self.urn.rpartition("::")[0])
        return found[1] if found else ""

    @property
    def kind(self) -> str:
        """The kind of the agent that it belongs to. Empty if it belongs to none in Kubernetes."""
        return KINDS.get(self.component, "")

    @property
    def chart(self) -> Chart | None:
        """The chart of that kind."""
        return charts.find(self.kind) if self.kind else None

    @property
    def what(self) -> str:
        """The kind of a Kubernetes object, or of another resource."""
        return self.type.rpartition(":")[2]

    @property
    def metadata(self) -> Mapping[str, Any]:
        found = self.inputs.get("metadata")
        return found if isinstance(found, Mapping) else {}

    @property
    def namespace(self) -> str:
        """The namespace of an object. Empty if it has none, or if it is not known yet."""
        return text(self.metadata.get("namespace"))

    @property
    def is_placed(self) -> bool:
        """Whether it is known which namespace an object has, or that it has none."""
        return not any(is_deferred(each) for each in (self.inputs.get("metadata"), self.metadata.get("namespace")))

    @property
    def title(self) -> str:
        """What messages call it: `Deployment scalr-dev/runs`."""
        named = text(self.metadata.get("name")) or self.urn.rpartition("::")[2]
        return f"{self.what} {self.namespace}/{named}" if self.namespace else f"{self.what} {named}"

    def pods(self) -> Iterator[Pod]:
        """The templates of pods in it, however deep."""
        yield from _pods(self.inputs)


class Violation(NamedTuple):
    """What breaks a promise: what is wrong, and what to do."""

    urn: str
    message: str


def violation(resource: Resource, problem: str, advice: str) -> Violation:
    return Violation(resource.urn, f"{resource.title}: {problem}. {advice}.")


def _pods(fields: Mapping[str, Any]) -> Iterator[Pod]:
    spec = fields.get("spec")
    if isinstance(spec, Mapping) and isinstance(spec.get("containers"), list):
        metadata = fields.get("metadata")
        labels = metadata if is_deferred(metadata) else lookup(metadata, "labels")
        yield Pod(labels, _map(fields, "metadata", "annotations"), spec)
        return
    for value in fields.values():
        if isinstance(value, Mapping):
            yield from _pods(value)


def _map(fields: Mapping[str, Any], *path: str) -> Mapping[str, Any]:
    found = lookup(fields, *path)
    return found if isinstance(found, Mapping) else {}


def items(value: Any) -> list[Any]:
    """The items of a list. Anything else, such as a list that is not known yet, has none."""
    return value if isinstance(value, list) else []


def text(value: Any) -> str:
    """A value that should be text. Anything else, such as text that is not known yet, counts as empty."""
    return value if isinstance(value, str) else ""
