"""Registers manifests as Pulumi resources.

Objects are registered by their type token: the engine is sent what the typed classes of pulumi-kubernetes would send, without
the time it takes to import them.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from typing import Any

import pulumi

from scalr_agents.manifests.objects import Manifest
from scalr_agents.options import depends_on, known_after
from scalr_agents.values.common import grace_seconds

_SECRET_OUTPUTS = ["data", "stringData"]
_WORKLOADS = ("Deployment", "DaemonSet")
_CLAIM = "PersistentVolumeClaim"
DELETE_MARGIN_SECONDS = 120
"""What a deletion may take beyond what it waits for."""


@dataclass(frozen=True)
class Rollout:
    """How a workload is awaited."""

    await_ready: bool
    timeout_seconds: int
    on_failure: pulumi.ErrorHook
    claims: Sequence[pulumi.Resource] = ()
    """What the workload mounts and others have made."""


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

    A workload waits for everything before it in the group; nobody waits for it unless there is a `rollout`. What the owner depends on,
    the children depend on too: Pulumi does not pass that on. `retain` leaves the objects in the cluster when they leave the program.

    A claim waits for everything before it too. Its deletion waits for the pods that use it, so that it keeps the rest of the agent in
    place while runs are in progress. Timeouts of the owner are those of its claims.
    """
    registered: dict[str, pulumi.CustomResource] = {}
    for role, manifest in group.items():
        workload, claim = manifest["kind"] in _WORKLOADS, manifest["kind"] == _CLAIM
        awaited = rollout if workload else None
        before = [*registered.values(), *(awaited.claims if awaited else ())] if workload or claim else []
        registered[role] = pulumi.CustomResource(
            _type_token(manifest),
            f"{name}-{role}",
            _properties(manifest, awaited=not workload or bool(awaited and awaited.await_ready)),
            pulumi.ResourceOptions(
                parent=owner,
                provider=opts.provider if opts and owner is None else None,
                depends_on=depends_on(opts, before),
                version=_plugin_version(),
                additional_secret_outputs=_SECRET_OUTPUTS if manifest["kind"] == "Secret" else None,
                retain_on_delete=retain or None,
                **(_awaited(awaited, manifest) if awaited else {"custom_timeouts": opts.custom_timeouts if opts and claim else None}),
            ),
        )
    return registered


def register_volume(
    group: Mapping[str, Manifest], owner: pulumi.ComponentResource, name: str, opts: pulumi.ResourceOptions | None
) -> tuple[pulumi.Output[str], pulumi.Output[str]]:
    """Register a volume and the claim on it; their names, for those who wait for them.

    The claim gets the volume's name from the volume: should that have to be replaced, the claim goes first and comes back after it.
    """
    volume = register({"volume": group["volume"]}, owner, name, opts)["volume"]
    volume_name = known_after(volume, group["volume"]["metadata"]["name"])
    bound = group["claim"] | {"spec": group["claim"]["spec"] | {"volumeName": volume_name}}
    claim = register({"claim": bound}, owner, name, opts)["claim"]
    return volume_name, known_after(claim, group["claim"]["metadata"]["name"])


def provider(name: str, properties: Mapping[str, Any]) -> pulumi.ProviderResource:
    """A provider for a cluster. Properties that are not strings travel as JSON, as those of every provider do."""
    encoded = {key: value if isinstance(value, str) else json.dumps(value) for key, value in properties.items() if value is not None}
    return pulumi.ProviderResource("kubernetes", name, encoded, pulumi.ResourceOptions(version=_plugin_version()))


def _type_token(manifest: Manifest) -> str:
    group, _, api_version = manifest["apiVersion"].rpartition("/")
    return f"kubernetes:{group or 'core'}/{api_version}:{manifest['kind']}"


def _properties(manifest: Manifest, *, awaited: bool) -> Manifest:
    if manifest["kind"] == "Secret":
        return manifest | {"stringData": {key: pulumi.Output.secret(value) for key, value in manifest["stringData"].items()}}
    if not awaited:
        annotations = manifest["metadata"].get("annotations", {}) | {"pulumi.com/skipAwait": "true"}
        return manifest | {"metadata": manifest["metadata"] | {"annotations": annotations}}
    return manifest


def _awaited(rollout: Rollout, manifest: Manifest) -> dict[str, Any]:
    timeout = f"{rollout.timeout_seconds}s"
    grace = grace_seconds(manifest["spec"]["template"]["spec"].get("terminationGracePeriodSeconds"))
    return {
        "custom_timeouts": pulumi.CustomTimeouts(create=timeout, update=timeout, delete=f"{grace + DELETE_MARGIN_SECONDS}s"),
        "hooks": pulumi.ResourceHookBinding(on_error=[rollout.on_failure]),
    }


@cache
def _plugin_version() -> str:
    """The provider plugin that belongs to the installed pulumi-kubernetes, as its typed classes would ask for."""
    return version("pulumi-kubernetes")
