"""The types of the argument `values`, one for each chart.

Type checkers and editors see the types of this folder's modules. At run time the argument is any map: the component host would drop the
unknown keys of a typed one before they are reported, and outputs in place of sections. Its schema has the types nevertheless
(`components/schema.json`).
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scalr_agents.resources.values.agent_job import AgentJobValues
    from scalr_agents.resources.values.agent_k8s import AgentK8sValues
    from scalr_agents.resources.values.agent_local import AgentLocalValues
else:
    from collections.abc import Mapping
    from typing import Any

    AgentJobValues = AgentK8sValues = AgentLocalValues = Mapping[str, Any]

__all__ = ["AgentJobValues", "AgentK8sValues", "AgentLocalValues"]
