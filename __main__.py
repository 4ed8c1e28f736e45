"""The deployable program: deploys the agents of the selected stack's configuration."""

from pathlib import Path

from scalr_agents.resources.deploy import deploy

deploy(Path(__file__).parent)
