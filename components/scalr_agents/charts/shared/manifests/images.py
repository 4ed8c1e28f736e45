"""Image references."""

from scalr_agents.charts.shared.values import Image, WorkerImage
from scalr_agents.model.fields import Deferred


def reference(registry: str, image: Image, version: str, complete: str | Deferred | None = None, *, namespace: str = "") -> str | Deferred:
    """`[registry/]repository:tag`, the tag defaulting to the agent's version, or the complete reference handed in instead.

    A `namespace` takes the place of all of the repository but its last part.
    """
    if complete is not None:
        return complete
    repository = f"{namespace}/{image.repository.rpartition('/')[2]}" if namespace else image.repository
    return f"{registry}/{repository}:{image.tag or version}" if registry else f"{repository}:{image.tag or version}"


def inherited(image: WorkerImage, parent: Image) -> Image:
    """The worker's image, every empty field taken from its parent."""
    return Image.model_construct(
        repository=image.repository or parent.repository,
        tag=image.tag or parent.tag,
        pull_policy=image.pull_policy or parent.pull_policy,
    )
