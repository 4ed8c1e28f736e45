"""The pods of an agent's workloads, of which each has one container. `made` has its objects by role."""

from collections.abc import Mapping
from typing import Any


def pod(made: Mapping[str, Any], role: str = "deployment") -> dict[str, Any]:
    """The template of the pods of a workload."""
    template: dict[str, Any] = made[role]["spec"]["template"]
    return template


def container(made: Mapping[str, Any], role: str = "deployment") -> dict[str, Any]:
    """The only container of the pods of a workload."""
    (only,) = pod(made, role)["spec"]["containers"]
    return dict(only)


def environment(made: Mapping[str, Any], role: str = "deployment") -> dict[str, Any]:
    """The plain variables of the container."""
    return {variable["name"]: variable["value"] for variable in container(made, role)["env"] if "value" in variable}
