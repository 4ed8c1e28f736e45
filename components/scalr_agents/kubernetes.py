"""Registers manifests as Pulumi resources.

Objects are registered by their type token: the engine is sent what the typed classes of pulumi-kubernetes would send, without
the time it takes to import them.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from typing import Any, cast

import pulumi

from scalr_agents.manifests.objects import Manifest

_SECRET_OUTPUTS = ["data", "stringData"]


@dataclass(frozen=True)
class Rollout:
    """How a workload is awaited."""

    await_ready: bool
    timeout_seconds: int
    delete_seconds: int
    on_failure: pulumi.ErrorHook


def register(
    group: Mapping[str, Manifest],
    owner: pulumi.ComponentResource | None,
    name: str,
    opts: pulumi.ResourceOptions | None,
    *,
    rollout: Rollout | None = None,
    retain: bool = False,
) -> dict[str, pulumi.CustomResource]:
    """Register a group of objects as children of a component, or of the stack, each called `<name>-<role>`.

    A workload waits for everything before it in the group. What the owner depends on, the children depend on too: Pulumi does not
    pass that on. `retain` leaves the objects in the cluster when they leave the program.
    """
    registered: dict[str, pulumi.CustomResource] = {}
    for role, manifest in group.items():
        workload = manifest["kind"] == "Deployment"
        registered[role] = pulumi.CustomResource(
            _type_token(manifest),
            f"{name}-{role}",
            _properties(manifest, rollout if workload else None),
            pulumi.ResourceOptions(
                parent=owner,
                provider=opts.provider if opts and owner is None else None,
                depends_on=depends_on(opts, list(registered.values()) if workload else []),
                version=_plugin_version(),
                additional_secret_outputs=_SECRET_OUTPUTS if manifest["kind"] == "Secret" else None,
                retain_on_delete=retain or None,
                **(_awaited(rollout) if workload and rollout else {}),
            ),
        )
    return registered


def provider(name: str, properties: Mapping[str, Any]) -> pulumi.ProviderResource:
    """A provider for a cluster. Properties that are not strings travel as JSON, as those of every provider do."""
    encoded = {key: value if isinstance(value, str) else json.dumps(value) for key, value in properties.items() if value is not None}
    return pulumi.ProviderResource("kubernetes", name, encoded, pulumi.ResourceOptions(version=_plugin_version()))


def depends_on(opts: pulumi.ResourceOptions | None, others: Sequence[pulumi.Resource]) -> Any:
    """`others` and what the options depend on, in any of the forms that the option takes."""
    given = opts.depends_on if opts else None
    if given is None:
        return list(others)
    if isinstance(given, pulumi.Resource):
        return [given, *others]
    if isinstance(given, Sequence):
        return [*given, *others]
    later: pulumi.Output[Any] = pulumi.Output.from_input(cast(Any, given))
    return later.apply(lambda resources: [*(resources if isinstance(resources, Sequence) else [resources]), *others])


def known_after(resource: pulumi.Resource, value: Any) -> pulumi.Output[Any]:
    """A value that is known at once, as an output: whoever uses it waits for the resource."""
    return resource.urn.apply(lambda _: value)


def _type_token(manifest: Manifest) -> str:
    group, _, api_version = manifest["apiVersion"].rpartition("/")
    return f"kubernetes:{group or 'core'}/{api_version}:{manifest['kind']}"


def _properties(manifest: Manifest, rollout: Rollout | None) -> Manifest:
    if manifest["kind"] == "Secret":
        return manifest | {"stringData": {key: pulumi.Output.secret(value) for key, value in manifest["stringData"].items()}}
    if rollout and not rollout.await_ready:
        annotations = manifest["metadata"].get("annotations", {}) | {"pulumi.com/skipAwait": "true"}
        return manifest | {"metadata": manifest["metadata"] | {"annotations": annotations}}
    return manifest


def _awaited(rollout: Rollout) -> dict[str, Any]:
    timeout = f"{rollout.timeout_seconds}s"
    return {
        "custom_timeouts": pulumi.CustomTimeouts(create=timeout, update=timeout, delete=f"{rollout.delete_seconds}s"),
        "hooks": pulumi.ResourceHookBinding(on_error=[rollout.on_failure]),
    }


@cache
def _plugin_version() -> str:
    """The provider plugin that belongs to the installed pulumi-kubernetes, as its typed classes would ask for."""
    return version("pulumi-kubernetes")
