"""Programs for tests on the clouds: that of stack files, and the examples. Functions of a module, which another process imports."""

import runpy
from pathlib import Path
from typing import Any

from scalr_agents.resources.deploy import deploy

REPOSITORY = Path(__file__).parents[2]
_BETA = {
    "gcp:compute/instanceTemplate:InstanceTemplate": ("scheduling", "graceful_shutdown"),
    "gcp:compute/regionInstanceGroupManager:RegionInstanceGroupManager": ("update_policy", "min_ready_sec"),
}
"""Fields of pulumi-gcp that only Google's beta provider has, by type."""


def deployed(project: Path) -> None:
    """The stack of a stack file."""
    _only_known()
    deploy(project)


def example(name: str) -> None:
    """An example of this repository."""
    _only_known()
    runpy.run_path(str(REPOSITORY / "examples" / name / "__main__.py"), run_name="__main__")


def with_subnetwork(word: str) -> None:
    """A group of machines in a subnetwork that is an output: its `id`, `name` or `self_link`."""
    import pulumi_gcp as gcp
    from scalr_agents import GceAgents

    _only_known()
    found = gcp.compute.get_subnetwork_output(name="agents", region="europe-west1")
    GceAgents(
        "legacy",
        {
            "url": "https://acme.scalr.io",
            "token": "token-of-legacy",
            "region": "europe-west1",
            "machine_type": "e2-standard-2",
            "subnetwork": getattr(found, word),
        },
    )


def _only_known() -> None:
    # The newer transforms of the SDK for Python lose `delete_before_replace=False`.
    from pulumi.runtime import register_stack_transformation

    register_stack_transformation(_without_beta_fields)


def _without_beta_fields(given: Any) -> Any:
    """What the provider that the tests build does not know."""
    import pulumi

    if given.type_ not in _BETA:
        return None
    block, field = _BETA[given.type_]
    kept = {key: value for key, value in given.props[block].items() if key != field}
    return pulumi.ResourceTransformationResult({**given.props, block: kept}, given.opts)
