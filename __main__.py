"""The deployable program: the agents that the selected stack's configuration asks for."""

from pathlib import Path

from scalr_agents.resources.deploy import deploy

deploy(Path(__file__).parent)
