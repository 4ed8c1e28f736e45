"""A stand-in of the Kubernetes provider and its cluster: existing objects, immutable fields, and failures."""

import base64
from collections.abc import Iterable, Mapping
from importlib.metadata import version
from typing import Any, NoReturn

from google.protobuf.message import Message
from pulumi.runtime.proto import provider_pb2, status_pb2

from tests.engine.provider import Provider, among, changes, difference, grpc, plain, refuse, secret, struct
from tests.helpers.provider_errors import conflict, not_created, not_initialized, timed_out

_SELECTOR = ("spec.selector",)
_ROLE = ("roleRef",)
UNCHANGEABLE: Mapping[str, tuple[str, ...]] = {
    "ClusterRoleBinding": _ROLE,
    "DaemonSet": _SELECTOR,
    "Deployment": _SELECTOR,
    "PersistentVolume": ("spec.csi", "spec.nfs", "spec.hostPath", "spec.local"),
    "PersistentVolumeClaim": ("spec.accessModes", "spec.selector", "spec.storageClassName", "spec.volumeName"),
    "RoleBinding": _ROLE,
    "Secret": ("type",),
    "StatefulSet": (*_SELECTOR, "spec.podManagementPolicy", "spec.serviceName", "spec.volumeClaimTemplates"),
    "StorageClass": ("parameters", "provisioner"),
}
"""Fields whose change makes the provider replace an object, besides its name and namespace."""
_SECRET_CONTENT = ("data", "stringData")
_VARIABLES = {"upsertExistingObjects": "PULUMI_K8S_UPSERT_EXISTING_OBJECTS", "enablePatchForce": "PULUMI_K8S_ENABLE_PATCH_FORCE"}
"""Settings that the provider takes from its environment, if the stack does not set them."""


class Cluster(Provider):
    """The Kubernetes provider and the cluster behind it.

    `cluster` and `cluster-shared` of a stack are two providers with settings of their own; here both reach the same object, and are told
    apart by their connections.
    """

    package = "kubernetes"
    version = version("pulumi-kubernetes")

    def __init__(self, objects: Iterable[tuple[str, dict[str, Any]]] = ()) -> None:
        super().__init__()
        self.objects = dict(objects)
        """Everything that exists, by `<kind>/<namespace>/<name>`."""
        self.refused: dict[str, str] = {}
        """Objects that the API server refuses, with the reason, by `<kind>/<name>`."""
        self.unready: dict[str, list[str]] = {}
        """Objects that never become ready, by `<kind>/<name>`, with the error."""
        self.terminating: set[str] = set()
        """Objects whose deletion has begun and waits for others that use them."""
        self.variables: Mapping[str, str] = {}
        """The environment of the provider."""
        self._settings: dict[str, dict[str, Any]] = {}

    def configure(self, request: Any, context: Any) -> Message:
        self._settings[context.peer()] = plain(request.args)
        return super().configure(request, context)

    def diff_config(self, request: Any, context: Any) -> Message:
        old, new = plain(request.old_inputs), plain(request.news)
        changed = changes(old, new)
        known = [settings.get("clusterIdentifier") for settings in (old, new)]
        if all(known):
            return difference(changed, [path for path in changed if path == "clusterIdentifier"])
        return difference(changed, [path for path in changed if path in {"context", "kubeconfig"}])

    def diff(self, request: Any, context: Any) -> Message:
        old, new = plain(request.old_inputs), plain(request.news)
        changed = changes(old, new)
        fixed = ("metadata.name", "metadata.namespace", *UNCHANGEABLE.get(new["kind"], ()))
        if new["kind"] == "Secret" and (new.get("immutable") or not self._is_set(context, "enableSecretMutable")):
            fixed += _SECRET_CONTENT
        replaced = among(changed, fixed)
        return difference(changed, replaced, delete_first=_key(old) == _key(new))

    def read(self, request: Any, context: Any) -> Message:
        """What is refreshed is as it was; what a program reads has nothing but an id."""
        found = self.objects.get(f"{request.type.rpartition(':')[2]}/{request.id}")
        if found is None or request.properties.fields:
            return super().read(request, context)
        return provider_pb2.ReadResponse(id=request.id, properties=struct(found), inputs=struct(found))

    def made(self, request: Any, inputs: dict[str, Any], context: Any) -> tuple[str, dict[str, Any]]:
        missing = self._missing(inputs)
        if missing:
            refuse(context, f"{request.name}: {missing}")
        there = self.objects.get(_key(inputs), inputs)
        is_patch = request.type.endswith(f":{inputs['kind']}Patch")
        if _key(inputs) in self.objects and not is_patch and not self._is_set(context, "upsertExistingObjects"):
            refuse(context, not_created(request.urn, f"{_key(inputs)} already exists"))
        conflicts = [] if _manager(there) == _manager(inputs) != "" else changes(_common(there, inputs), _common(inputs, there))
        if conflicts and not self._is_set(context, "enablePatchForce"):
            refuse(context, not_created(request.urn, conflict(_manager(there) or "others", inputs["apiVersion"], conflicts)))
        fixed = among(changes(there, inputs), UNCHANGEABLE.get(inputs["kind"], ()))
        if fixed:
            refuse(context, not_created(request.urn, f"{_key(inputs)} is invalid: {', '.join(fixed)}: field is immutable"))
        if why := self.refused.get(_short(inputs)):
            refuse(context, not_created(request.urn, why))
        return _identity(inputs), self._applied("create", request, inputs, context)

    def changed(self, request: Any, inputs: dict[str, Any], context: Any) -> dict[str, Any]:
        if _key(inputs) not in self.objects:
            refuse(context, f"{_key(inputs)} not found")
        if why := self.refused.get(_short(inputs)):
            _fail(context, _identity(inputs), plain(request.olds), [not_initialized("update", request.urn, _identity(inputs), why)])
        return self._applied("update", request, inputs, context)

    def removed(self, request: Any, context: Any) -> None:
        """The deletion of claims that pods mount, and of volumes that claims are bound to, begins but does not end.

        Time stands still here: what is in use when its deletion begins stays in use until the time for it is up.
        """
        key = _key(plain(request.old_inputs))
        if key in self.objects and (users := self._users(key)):
            self.terminating.add(key)
            refuse(context, f"{key} is Terminating, timed out waiting: used by {', '.join(users)}")
        self._gone(key)

    def _gone(self, key: str) -> None:
        """Remove an object and those whose deletion waited for it."""
        self.objects.pop(key, None)
        self.terminating.discard(key)
        for waiting in sorted(self.terminating):
            if not self._users(waiting):
                self._gone(waiting)

    def _waits(self, inputs: dict[str, Any]) -> bool:
        """Whether pods cannot start, because a claim that they mount is being deleted."""
        return any(f"PersistentVolumeClaim/{'/'.join(claim)}" in self.terminating for claim in _mounted(inputs))

    def _users(self, key: str) -> list[str]:
        """What blocks the deletion of a claim or a volume."""
        kind, namespace, name = key.split("/")
        if kind == "PersistentVolume":
            return [other for other, manifest in self.objects.items() if _volume_of(manifest) == name]
        if kind == "PersistentVolumeClaim":
            return [other for other, manifest in self.objects.items() if (namespace, name) in _mounted(manifest)]
        return []

    def _applied(self, operation: str, request: Any, inputs: dict[str, Any], context: Any) -> dict[str, Any]:
        self.objects[_key(inputs)] = inputs
        outputs = _live(inputs)
        reasons = self.unready.get(_short(inputs), [] if self._waits(inputs) else None)
        if reasons is not None:
            late = timed_out(inputs["kind"], inputs["metadata"]["name"])
            first = not_initialized(operation, request.urn, _identity(inputs), late)
            _fail(context, _identity(inputs), outputs, [first, *reasons])
        return outputs

    def _missing(self, inputs: Mapping[str, Any]) -> str:
        """Objects that an object needs and that do not exist."""
        namespace, kind = inputs["metadata"].get("namespace"), inputs["kind"]
        if namespace and f"Namespace//{namespace}" not in self.objects:
            return f'namespaces "{namespace}" not found'
        defined = [crd["spec"]["names"]["kind"] for key, crd in self.objects.items() if key.startswith("CustomResourceDefinition/")]
        if inputs["apiVersion"].startswith("scalr.io/") and kind not in defined:
            return f'no matches for kind "{kind}"'
        return ""

    def _is_set(self, context: Any, setting: str) -> bool:
        variable = self.variables.get(_VARIABLES.get(setting, "")) == "true"
        return bool(self._settings[context.peer()].get(setting, variable))


def _key(inputs: Mapping[str, Any]) -> str:
    return f"{inputs['kind']}/{inputs['metadata'].get('namespace', '')}/{inputs['metadata']['name']}"


def _short(inputs: Mapping[str, Any]) -> str:
    return f"{inputs['kind']}/{inputs['metadata']['name']}"


def _identity(inputs: Mapping[str, Any]) -> str:
    return _key(inputs).partition("/")[2].removeprefix("/")


def _manager(manifest: Mapping[str, Any]) -> str:
    """The field manager of an object. By default, the provider generates one for each resource."""
    manager: str = manifest["metadata"].get("annotations", {}).get("pulumi.com/patchFieldManager", "")
    return manager


def _common(one: Any, other: Any) -> Any:
    """The fields that both objects have. Server-side apply does not change other fields."""
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return {key: _common(value, other[key]) for key, value in one.items() if key in other}
    return one


def _mounted(manifest: Mapping[str, Any]) -> set[tuple[str, str]]:
    """Namespace and name of the claims that an object's pods mount."""
    if manifest["kind"] not in {"Deployment", "StatefulSet", "DaemonSet"} or manifest["spec"].get("replicas") == 0:
        return set()
    volumes = manifest["spec"]["template"]["spec"].get("volumes", ())
    claims = [volume["persistentVolumeClaim"]["claimName"] for volume in volumes if "persistentVolumeClaim" in volume]
    return {(manifest["metadata"]["namespace"], claim) for claim in claims}


def _volume_of(manifest: Mapping[str, Any]) -> str | None:
    """The volume that a claim is bound to."""
    return manifest["spec"].get("volumeName") if manifest["kind"] == "PersistentVolumeClaim" else None


def _live(inputs: dict[str, Any]) -> dict[str, Any]:
    """An object as the provider returns it. Secrets come back in plain, and encoded: it is for the program to say that they are secret.

    Beside it are the inputs once more, as `checkpointObject` of the provider keeps them (provider/pkg/provider/provider.go of
    pulumi/pulumi-kubernetes). It marks in them what is secret.
    """
    encoded = {key: base64.b64encode(value.encode()).decode() for key, value in inputs.get("stringData", {}).items()}
    return inputs | ({"data": encoded} if encoded else {}) | {"__inputs": secret(inputs) if inputs["kind"] == "Secret" else inputs}


def _fail(context: Any, identity: str, outputs: dict[str, Any], reasons: list[str]) -> NoReturn:
    """Fail for an object that exists: the engine keeps it in the state, with the error."""
    failed = provider_pb2.ErrorResourceInitFailed(id=identity, properties=struct(outputs), reasons=reasons)
    status = status_pb2.Status(code=grpc.StatusCode.UNKNOWN.value[0], message=reasons[0])
    status.details.add().Pack(failed)
    context.set_trailing_metadata((("grpc-status-details-bin", status.SerializeToString()),))
    refuse(context, reasons[0])
