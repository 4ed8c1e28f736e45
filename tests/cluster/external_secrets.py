"""A stand-in for the External Secrets Operator, with a store in memory.

It does with an ExternalSecret what `pkg/controllers/externalsecret/externalsecret_controller.go` and `..._template.go` of v1.3.2 do: the
finalizer, the label on a Secret that it finds, owner, content and metadata of the Secret, the condition and the event. It has no Go
templates: texts that would need them are refused.
"""

import base64
import hashlib
import threading
from collections.abc import Mapping
from datetime import UTC, datetime
from types import TracebackType
from typing import Any, Self

from tests import definitions as others
from tests.cluster import definitions
from tests.cluster.client import ApiError, Client, Manifest, wait

_FINALIZER = "externalsecrets.external-secrets.io/externalsecret-cleanup"
_MANAGED = {"reconcile.external-secrets.io/managed": "true"}
_HASH = "reconcile.external-secrets.io/data-hash"
_KIND = "ExternalSecret"
_SECONDS = 0.1


class Operator:
    """Reconciles the ExternalSecrets of a namespace while the context lasts. `store` has values by key and property."""

    def __init__(self, cluster: Client, namespace: str, name: str, store: Mapping[tuple[str, str], str]) -> None:
        self._cluster, self._namespace, self._name, self.store = cluster, namespace, name, dict(store)
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._ended.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._ended.wait(_SECONDS):
            for resource in self._cluster.list(_KIND, self._namespace):
                try:
                    self._reconcile(resource)
                except ApiError as problem:
                    if problem.status not in (404, 409):  # it has changed or gone meanwhile
                        raise

    def _reconcile(self, resource: Manifest) -> None:
        metadata, spec = resource["metadata"], resource["spec"]
        if "deletionTimestamp" in metadata:
            self._set_finalizers(metadata, [each for each in metadata.get("finalizers", ()) if each != _FINALIZER])
            return
        if _FINALIZER not in metadata.get("finalizers", ()):
            self._set_finalizers(metadata, [*metadata.get("finalizers", ()), _FINALIZER])
        name = spec["target"].get("name", metadata["name"])
        found = self._cluster.find("Secret", name, self._namespace)
        if found and not _MANAGED.items() <= found["metadata"].get("labels", {}).items():
            self._patch("Secret", name, {"metadata": {"labels": _MANAGED}})
            return
        version = f"{metadata['generation']}"
        if resource.get("status", {}).get("syncedResourceVersion") == version and _is_valid(found):
            return
        owner = next((each for each in (found or {"metadata": {}})["metadata"].get("ownerReferences", ()) if each.get("controller")), None)
        if owner and owner["uid"] != metadata["uid"]:
            self._fail(resource, "failed to take ownership of target secret", f"already owned by {owner['kind']} {owner['name']}")
            return
        try:
            data = self._content(spec)
        except LookupError as problem:
            self._fail(resource, "could not get secret data from provider", str(problem))
            return
        self._write(resource, name, found, data)
        status = {"syncedResourceVersion": version, "refreshTime": _now(), "binding": {"name": name}}
        self._report(resource, "True", "SecretSynced", "secret synced", status)

    def _set_finalizers(self, metadata: Manifest, finalizers: list[str]) -> None:
        """The garbage collector has finalizers too: the version keeps those that it sets meanwhile."""
        updated = {"finalizers": finalizers, "resourceVersion": metadata["resourceVersion"]}
        self._patch(_KIND, metadata["name"], {"metadata": updated})

    def _content(self, spec: Manifest) -> dict[str, str]:
        store = spec["secretStoreRef"]
        if store != {"name": self._name, "kind": "ClusterSecretStore"}:
            raise LookupError(f'could not get {store["kind"]} "{store["name"]}", not found')
        template = spec["target"].get("template", {})
        texts = [*template.get("data", {}).values(), *template.get("metadata", {}).get("annotations", {}).values()]
        assert not any("{{" in text for text in texts), "this stand-in knows no templates"
        data = {}
        for index, each in enumerate(spec["data"]):
            remote = each["remoteRef"]["key"], each["remoteRef"].get("property", "")
            if remote not in self.store:
                raise LookupError(f"error processing spec.data[{index}] (key: {remote[0]}), err: Secret does not exist")
            data[each["secretKey"]] = self.store[remote]
        added = template.get("data", {})
        return {**(data if template.get("mergePolicy") == "Merge" or not added else {}), **added}

    def _write(self, resource: Manifest, name: str, found: Manifest | None, data: Mapping[str, str]) -> None:
        template, policy = resource["spec"]["target"].get("template"), resource["spec"]["target"]["creationPolicy"]
        described = resource["metadata"] if template is None else template.get("metadata", {})
        encoded = {key: base64.b64encode(value.encode()).decode() for key, value in data.items()}
        owner = {
            "apiVersion": resource["apiVersion"],
            "kind": _KIND,
            "name": resource["metadata"]["name"],
            "uid": resource["metadata"]["uid"],
        }
        metadata = {
            "labels": {**described.get("labels", {}), **_MANAGED},
            "annotations": {**described.get("annotations", {}), _HASH: _hash(encoded)},
            "ownerReferences": [{**owner, "controller": True, "blockOwnerDeletion": True}] if policy == "Owner" else [],
        }
        if found is None:
            made = {"name": name, "namespace": self._namespace, **metadata}
            kind = (template or {}).get("type", "Opaque")
            self._cluster.create({"apiVersion": "v1", "kind": "Secret", "metadata": made, "type": kind, "data": encoded})
        else:
            gone = dict.fromkeys(found.get("data", {}).keys() - encoded.keys())
            self._patch("Secret", name, {"metadata": metadata, "data": {**gone, **encoded}})

    def _fail(self, resource: Manifest, message: str, why: str) -> None:
        before = _ready(resource)
        self._report(resource, "False", "SecretSyncedError", message, {})
        if before.get("message") != message:  # the operator's recorder counts the others
            self._event(resource, why)

    def _report(self, resource: Manifest, ready: str, reason: str, message: str, more: Mapping[str, Any]) -> None:
        condition = {"type": "Ready", "status": ready, "reason": reason, "message": message}
        if not condition.items() <= _ready(resource).items() or more:
            status = {"conditions": [{**condition, "lastTransitionTime": _now()}], **more}
            self._cluster.patch_status(_KIND, resource["metadata"]["name"], self._namespace, status)

    def _event(self, resource: Manifest, message: str) -> None:
        metadata = {"generateName": f"{resource['metadata']['name']}.", "namespace": self._namespace}
        of = {
            "apiVersion": resource["apiVersion"],
            "kind": _KIND,
            **{key: resource["metadata"][key] for key in ("name", "namespace", "uid")},
        }
        content = {"type": "Warning", "reason": "UpdateFailed", "message": message, "source": {"component": "external-secrets"}}
        times = {"firstTimestamp": _now(), "lastTimestamp": _now(), "count": 1}
        self._cluster.create({"apiVersion": "v1", "kind": "Event", "metadata": metadata, "involvedObject": of, **content, **times})

    def _patch(self, kind: str, name: str, patch: Manifest) -> None:
        self._cluster.patch(kind, name, self._namespace, patch)


def install(cluster: Client) -> None:
    """Make a cluster serve ExternalSecrets."""
    definitions.install(cluster, others.definitions()[_KIND], force=True)


def remove(cluster: Client) -> None:
    """Remove the definition of ExternalSecrets, and finalizers that no operator removes any more."""
    name = others.definitions()[_KIND]["metadata"]["name"]
    if not cluster.find("CustomResourceDefinition", name):
        return
    for left in cluster.list(_KIND):
        cluster.patch(_KIND, left["metadata"]["name"], left["metadata"]["namespace"], {"metadata": {"finalizers": []}})
    cluster.delete("CustomResourceDefinition", name)
    wait(lambda: cluster.find("CustomResourceDefinition", name) is None, "the end of the definition")


def _ready(resource: Manifest) -> Mapping[str, str]:
    return next(iter(resource.get("status", {}).get("conditions", ())), {})


def _is_valid(secret: Manifest | None) -> bool:
    return secret is not None and secret["metadata"].get("annotations", {}).get(_HASH) == _hash(secret.get("data", {}))


def _hash(data: Mapping[str, str]) -> str:
    return hashlib.sha3_224(repr(sorted(data.items())).encode()).hexdigest()


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
