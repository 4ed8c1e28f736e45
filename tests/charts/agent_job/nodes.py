"""What keeps nodes ready for tasks, for tests to vary."""

from typing import Any

from scalr_agents.charts.shared.inputs import Inputs
from scalr_agents.model.maps import merge

from tests.helpers.agent_job import CURRENT, LEGACY, MINIMUM, nested, objects
from tests.helpers.schemas import assert_valid

HARDENED = {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}}
BUFFER: dict[str, Any] = nested("task.buffer.replicas", 2)
CACHE = nested("persistence.cache", {"enabled": True, "hostPath": {"path": "/mnt/cache", "preparation": {"enabled": True}}})
MIRROR = {"imageRegistry": "mirror.acme:5000", "imageNamespace": "acme/mirrored"}
COMPONENT = "app.kubernetes.io/component"
NAMES = {LEGACY: "agent-job", CURRENT: "scalr-agent"}
PLACEMENT = {
    "nodeSelector": {"pool": "runs"},
    "tolerations": [{"key": "pool", "value": "runs", "effect": "NoSchedule"}],
    "affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [{}]}}},
}


def made_of(
    given: dict[str, Any], version: str = CURRENT, inputs: Inputs | None = None, naming: str = "scoped", base: dict[str, Any] = BUFFER
) -> dict[str, dict[str, Any]]:
    made = objects(merge(merge(MINIMUM, base), given), inputs, naming, version)
    for manifest in made.values():
        assert_valid(manifest)
    return made


def pod_of(manifest: dict[str, Any]) -> dict[str, Any]:
    template: dict[str, Any] = manifest["spec"].get("jobTemplate", manifest)["spec"]["template"]
    return template


def containers(manifest: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {container["name"]: container for container in pod_of(manifest)["spec"]["containers"]}


def labels_of(version: str, component: str | None) -> dict[str, str]:
    labels = {"app.kubernetes.io/name": NAMES[version], "app.kubernetes.io/instance": "runs"}
    return labels | {COMPONENT: component} if component else labels


def metadata(version: str, name: str, component: str | None) -> dict[str, Any]:
    common = {"app.kubernetes.io/version": version, "app.kubernetes.io/managed-by": "pulumi"}
    namespace = {"namespace": "scalr"} if component else {}
    return {"name": name, **namespace, "labels": labels_of(version, component) | common}
