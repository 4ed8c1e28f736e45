"""Image references."""

from scalr_agents.charts.shared.values import Image
from scalr_agents.model.maps import Deferred


def reference(registry: str, image: Image, version: str, complete: str | Deferred | None = None, *, namespace: str = "") -> str | Deferred:
    """The complete reference if one is given, else `[registry/]repository:tag`, where the tag defaults to the agent version.

    A `namespace` replaces everything before the last part of the repository.
    """
    if complete is not None:
        return complete
    repository = f"{namespace}/{image.repository.rpartition('/')[2]}" if namespace else image.repository
    return f"{registry}/{repository}:{image.tag or version}" if registry else f"{repository}:{image.tag or version}"
