"""Cross-checks of agent-job on images."""

from scalr_agents.charts.agent_job import versions
from scalr_agents.charts.agent_job.values import AgentJobValues
from scalr_agents.charts.shared.checks import containers
from scalr_agents.charts.shared.inputs import Inputs
from scalr_agents.charts.shared.values import Image
from scalr_agents.model import checks
from scalr_agents.model.findings import Findings, error
from scalr_agents.model.release import Release

_NO_TAG = "empty: this image is not versioned with the agent; set a tag, or remove the key"


def check(values: AgentJobValues, release: Release, inputs: Inputs) -> Findings:
    """The images of agent, worker and runner."""
    runner = values.task.runner.image
    if inputs.runner_image is None and not runner.tag and not versions.TABLE.row(release.version).runner_with_agent:
        yield error("task.runner.image.tag", _NO_TAG)
    if inputs.agent_image is None:
        yield from containers.image("agent.image", values.agent.image, release.line)
        worker = values.task.worker.image
        yield from containers.tag("task.worker.image.tag", worker.repository, worker.tag, release.line)
    if inputs.runner_image is None:
        yield from containers.image("task.runner.image", values.task.runner.image, release.line)
    yield from checks.image_reference("agent_image", inputs.agent_image)
    yield from checks.image_reference("runner_image", inputs.runner_image)


def of_others(path: str, image: Image) -> Findings:
    """An image that Scalr does not publish, so that it has a repository and a tag of its own."""
    if not image.repository:
        yield error(f"{path}.repository", containers.NO_REPOSITORY)
    if not image.tag:
        yield error(f"{path}.tag", _NO_TAG)
    yield from checks.image_tag(f"{path}.tag", image.tag)
