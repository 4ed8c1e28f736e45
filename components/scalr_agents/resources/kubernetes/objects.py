"""Registers manifests as Pulumi resources.

Objects are registered by their type token: the engine gets what the typed classes of pulumi-kubernetes would send, without the time
that it takes to import them.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from typing import Any, NamedTuple

import pulumi

from scalr_agents.charts.shared import external_secrets
from scalr_agents.charts.shared.pods import WORKLOADS
from scalr_agents.charts.shared.values import grace_seconds
from scalr_agents.model.manifests import Manifest
from scalr_agents.model.maps import Deferred, is_deferred
from scalr_agents.resources.component import child, depends_on, timeouts
from scalr_agents.resources.outputs import as_output, known_after, parsed, when_registered
from scalr_agents.resources.validation import ADVICE, EMPTY_OUTPUT

_SECRET_OUTPUTS = ["data", "stringData"]
_CLAIM = "PersistentVolumeClaim"
_MOUNTED = ("PersistentVolume", _CLAIM)
DELETE_MARGIN_SECONDS = 120
"""Extra time for a deletion, in addition to what it waits for."""


@dataclass(frozen=True)
class Rollout:
    """How a workload is awaited."""

    await_ready: bool
    timeout_seconds: int
    on_failure: pulumi.ErrorHook
    mounts: Sequence[pulumi.Resource] = ()
    """Claims that the workload mounts and other components have registered, with their volumes."""


def register(
    group: Mapping[str, Manifest],
    owner: pulumi.ComponentResource | None,
    name: str,
    opts: pulumi.ResourceOptions | None,
    *,
    rollout: Rollout | None = None,
    retain: bool = False,
    claim_timeouts: pulumi.CustomTimeouts | None = None,
) -> dict[str, pulumi.CustomResource]:
    """Register a group of objects as children of a component, or of the stack, each called `<name>-<role>`.

    A workload waits for everything before it in the group. The readiness of workloads and ExternalSecrets is awaited only with a
    `rollout`. Children depend on what the owner depends on, because Pulumi does not pass that on. `retain` keeps the objects in the
    cluster when they are removed from the program.

    A claim waits for everything before it too. Its deletion waits for the pods that use it, so that it keeps the rest of the agent in
    place while runs are in progress. It may take as long as `claim_timeouts`, unless the owner's options set other timeouts.

    To replace a volume, its claim is deleted before it and created after it. Likewise, to replace either of them, the workload that
    mounts them is deleted first and created again.
    """
    registered: dict[str, pulumi.CustomResource] = {}
    mounted = [*rollout.mounts] if rollout else []
    for role, manifest in group.items():
        workload, claim = manifest["kind"] in WORKLOADS, manifest["kind"] == _CLAIM
        before = [*registered.values(), *(mounted if workload else [])] if workload or claim else []
        registered[role] = pulumi.CustomResource(
            type_token(manifest),
            f"{name}-{role}",
            _properties(manifest, owner, registered, awaited=bool(rollout and rollout.await_ready)),
            pulumi.ResourceOptions(
                parent=owner,
                provider=opts.provider if opts and owner is None else None,
                depends_on=depends_on(opts, before),
                version=plugin_version(),
                retain_on_delete=retain or None,
                **_options_of_kind(manifest, opts, rollout, mounted, claim_timeouts),
            ),
        )
        mounted += [registered[role]] if manifest["kind"] in _MOUNTED else []
    return registered


class Volume(NamedTuple):
    """A volume and the claim on it, and their names as outputs that wait for them."""

    mounts: list[pulumi.Resource]
    volume_name: pulumi.Output[str]
    claim_name: pulumi.Output[str]


def register_volume(
    group: Mapping[str, Manifest], owner: pulumi.ComponentResource, name: str, opts: pulumi.ResourceOptions | None
) -> Volume:
    """Register a volume and the claim on it."""
    registered = register(group, owner, name, opts)
    volume, claim = (known_after(registered[role], group[role]["metadata"]["name"]) for role in ("volume", "claim"))
    return Volume([*registered.values()], volume, claim)


def read(
    kind: str, name: str, place: str, fields: Sequence[str], owner: pulumi.ComponentResource, opts: pulumi.ResourceOptions | None
) -> dict[str, pulumi.Output[Any]]:
    """Fields of an object that the cluster has, which is never changed. `place` is its namespace and name, `kind` its type token."""
    found = pulumi.CustomResource(kind, name, dict.fromkeys(fields), child(owner, opts, id=place, version=plugin_version()))
    return {field: getattr(found, field) for field in fields}


def provider(name: str, properties: Mapping[str, Any]) -> pulumi.ProviderResource:
    """A provider for a cluster. Properties that are not strings are passed as JSON, as for every provider."""
    encoded = {key: value if isinstance(value, str) else json.dumps(value) for key, value in properties.items() if value is not None}
    return pulumi.ProviderResource("kubernetes", name, encoded, pulumi.ResourceOptions(version=plugin_version()))


def type_token(manifest: Manifest) -> str:
    group, _, api_version = manifest["apiVersion"].rpartition("/")
    return f"kubernetes:{group or 'core'}/{api_version}:{manifest['kind']}"


def _properties(manifest: Manifest, owner: pulumi.Resource | None, before: Mapping[str, pulumi.Resource], *, awaited: bool) -> Manifest:
    if manifest["kind"] == "Secret":
        return manifest | {"stringData": {key: _secret(manifest, owner, key, value) for key, value in manifest["stringData"].items()}}
    if manifest["kind"] == "ServiceAccount" and (annotations := manifest["metadata"].get("annotations")):
        checked = {key: _annotation(manifest, key, value) if is_deferred(value) else value for key, value in annotations.items()}
        return manifest | {"metadata": manifest["metadata"] | {"annotations": checked}}
    if _is_bound(manifest):  # the engine replaces a claim with its volume only if the claim takes an output from it
        volume_name = known_after(before["volume"], manifest["spec"]["volumeName"])
        return manifest | {"spec": manifest["spec"] | {"volumeName": volume_name}}
    if manifest["kind"] in WORKLOADS and not awaited:
        return annotated(manifest, "pulumi.com/skipAwait", "true")
    if manifest["kind"] == external_secrets.KIND and awaited:  # not awaited otherwise: it is no kind that the provider knows
        return annotated(manifest, "pulumi.com/waitFor", "condition=Ready")
    return manifest


def forced(manifest: Manifest) -> Manifest:
    """An object whose fields Pulumi sets also where somebody else has set them in the meantime."""
    return annotated(manifest, "pulumi.com/patchForce", "true")


def annotated(manifest: Manifest, key: str, value: str) -> Manifest:
    """The object with an annotation for the provider."""
    annotations = manifest["metadata"].get("annotations", {}) | {key: value}
    return manifest | {"metadata": manifest["metadata"] | {"annotations": annotations}}


def _secret(manifest: Manifest, owner: pulumi.Resource | None, key: str, value: Any) -> pulumi.Output[str]:
    """The content of a key. Fails if it is not a string: the API server would reject it, and print it."""

    def text(known: Any) -> str:
        if isinstance(known, str):
            return known
        raise ValueError(f"Secret {manifest['metadata']['name']!r} cannot be deployed: the output for this key is not a string: {key}")

    content: pulumi.Output[Any] = pulumi.Output.secret(value)
    return parsed(when_registered(owner, content) if owner else content, text)


def _annotation(manifest: Manifest, key: str, value: Deferred) -> pulumi.Output[Any]:
    """An annotation of a service account. It may be its role: the provider leaves out one without content."""

    def noted(known: Any) -> Any:
        if not isinstance(known, str) or not known:
            place = f"ServiceAccount {manifest['metadata']['name']!r}: annotation {key}"
            pulumi.log.warn(f"{place}: {EMPTY_OUTPUT}, so that the annotation has no effect; {ADVICE}")
        return known

    return as_output(value).apply(noted)


def _is_bound(manifest: Manifest) -> bool:
    """Whether it is a claim on a volume that is registered here."""
    return manifest["kind"] == _CLAIM and "volumeName" in manifest["spec"]


def _options_of_kind(
    manifest: Manifest,
    opts: pulumi.ResourceOptions | None,
    rollout: Rollout | None,
    mounted: list[pulumi.Resource],
    claim_timeouts: pulumi.CustomTimeouts | None,
) -> dict[str, Any]:
    match manifest["kind"]:
        case "Secret":
            return {"additional_secret_outputs": _SECRET_OUTPUTS}
        case "StorageClass":  # the provider would try to update it, which the API server rejects
            return {"replace_on_changes": ["reclaimPolicy"], "delete_before_replace": True}
        case "PersistentVolume":
            # Mount options can change in place, but pods that mount the volume would keep the old ones, and may then lose access.
            return {"replace_on_changes": ["spec.mountOptions"], "delete_before_replace": True}
        case "PersistentVolumeClaim":  # a claim bound here never changes in place; only one that a StorageClass provisions can grow
            whole = ["spec"] if _is_bound(manifest) else None
            return {"custom_timeouts": timeouts(opts, claim_timeouts), "replace_on_changes": whole, "delete_before_replace": True}
        case "Deployment" | "StatefulSet" | "DaemonSet" | external_secrets.KIND if rollout:
            return _options_of_awaited(manifest, rollout, mounted)
    return {}


def _options_of_awaited(manifest: Manifest, rollout: Rollout, mounted: list[pulumi.Resource]) -> dict[str, Any]:
    timeout = f"{rollout.timeout_seconds}s"
    hooks = pulumi.ResourceHookBinding(on_error=[rollout.on_failure])
    if manifest["kind"] not in WORKLOADS:
        return {"custom_timeouts": pulumi.CustomTimeouts(create=timeout, update=timeout), "hooks": hooks}
    grace = grace_seconds(manifest["spec"]["template"]["spec"].get("terminationGracePeriodSeconds"))
    return {
        "custom_timeouts": pulumi.CustomTimeouts(create=timeout, update=timeout, delete=f"{grace + DELETE_MARGIN_SECONDS}s"),
        "hooks": hooks,
        "replace_with": [*mounted],
        # Set here, because the provider does not ask for it if an earlier attempt has deleted the object already: the object
        # would be created again, and then be deleted as the old one, because both have the same name.
        "delete_before_replace": True if mounted or manifest["kind"] == "StatefulSet" else None,
    }


@cache
def plugin_version() -> str:
    """The version of the provider plugin that the typed classes of the installed pulumi-kubernetes would request."""
    return version("pulumi-kubernetes")
