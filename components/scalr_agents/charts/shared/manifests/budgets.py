"""PodDisruptionBudgets."""

from scalr_agents.charts.shared.manifests.objects import Manifest
from scalr_agents.model.release import Release


def budget(name: str, release: Release, component: str, **limits: int | str | None) -> Manifest:
    """A budget over a component's pods; `limits` are `minAvailable` and `maxUnavailable`, `None` for not given."""
    return {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": release.metadata(name, component),
        "spec": {
            **{limit: value for limit, value in limits.items() if value is not None},
            "selector": {"matchLabels": release.selector(component)},
        },
    }
