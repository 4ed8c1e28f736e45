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
    """Agents that always run, at least 1: the processor of no agent tells nothing about runs that wait."""
    max: Agents
    """Agents that run at most, and so concurrent runs."""
    cpu: Annotated[int, Field(ge=1, le=100), Prepare(integral)] = 50
    """Mean use of the agents' processors in percent of their requests, above which agents are added, and below which they are removed."""
