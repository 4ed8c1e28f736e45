"""How many agents run, as their load demands."""

from typing import Annotated

from pydantic import Field

from scalr_agents.model.fields import Prepare
from scalr_agents.model.forms import integral
from scalr_agents.model.section import Section

Agents = Annotated[int, Field(ge=1, le=1000), Prepare(integral)]


class Scaling(Section):
    """A number of agents that follows their load (Kubernetes HorizontalPodAutoscaler)."""

    min: Agents = 1
    """Agents that always run, at least 1: without an agent there is no CPU use to scale on."""
    max: Agents
    """Agents that run at most, and so concurrent runs."""
    cpu: Annotated[int, Field(ge=1, le=100), Prepare(integral)] = 50
    """Average CPU utilization of the agents, in percent of their CPU requests. Above it agents are added, below it they are removed."""
