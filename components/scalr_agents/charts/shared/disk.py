"""How much of its node's disk a pod may use, from what its containers write: volumes, their own file systems, and logs.

The scheduler then knows what a pod needs, and the kubelet evicts the pod that fills the disk, not its neighbours. It compares the whole
pod with the sum of its containers' limits, so one container has the limits of all volumes.
"""

import math
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from scalr_agents.charts.shared import contract
from scalr_agents.charts.shared.inputs import Inputs
from scalr_agents.model import quantities
from scalr_agents.model.manifests import Manifest
from scalr_agents.model.maps import is_deferred, lookup
from scalr_agents.model.quantities import GIBIBYTE, MEBIBYTE, NOTHING
from scalr_agents.model.release import CACHE_VOLUME

RUN = "20Gi"
"""What Scalr asks for: the limit of what a run writes where nobody has set one."""
CONTROLLER = "2Gi"
"""The same for a controller, which writes its state and temporary files."""
_LOGS, _LAYER, _REQUEST = Decimal(50 * MEBIBYTE), Decimal(GIBIBYTE), Decimal(256 * MEBIBYTE)
"""Of each container: its logs, of which the kubelet keeps five files of 10Mi; its own file system if /tmp is a volume; what it requests at
most."""


def accounted(spec: Manifest, unlimited: str, inputs: Inputs) -> Manifest:
    """The spec of a pod with a limit for each emptyDir, and with requests and limits for the disk, if the inputs ask for that.

    `unlimited` is the limit of what has none. A pod stays as it is if the user limits the disk of one of its containers: that limit is
    the pod's. A container that only requests disk stays as it is, and the others get what they need.
    """
    if not inputs.disk or any(_is_set(each, "limits") for each in spec["containers"]):
        return spec
    volumes = [_limited(volume, unlimited) for volume in spec.get("volumes", ())]
    sizes = {volume["name"]: _size(_known(volume["emptyDir"]).get("sizeLimit"), unlimited) for volume in volumes if _on_disk(volume)}
    given = {volume["name"] for volume in spec.get("volumes", ()) if "sizeLimit" in _known(volume.get("emptyDir"))}
    shared = (
        sum((size for name, size in sizes.items() if name in given and name != CACHE_VOLUME), NOTHING),
        sum(sizes.values(), NOTHING),
    )
    containers = []
    for container in spec["containers"]:
        if _is_set(container, "requests"):
            containers.append(container)
        else:
            containers.append(container | {"resources": _with(container.get("resources") or {}, *shared, _own(container, unlimited))})
            shared = (NOTHING, NOTHING)
    return spec | {"containers": containers, **({"volumes": volumes} if volumes else {})}


def _limited(volume: Manifest, unlimited: str) -> Manifest:
    if not _on_disk(volume) or is_deferred(volume["emptyDir"]):
        return volume
    return volume | {"emptyDir": {"sizeLimit": unlimited, **_known(volume["emptyDir"])}}


def _on_disk(volume: Manifest) -> bool:
    return "emptyDir" in volume and _known(volume["emptyDir"]).get("medium") != "Memory"


def _size(limit: Any, unlimited: str) -> Decimal:
    """The limit of a volume; one that is known only during deployment counts as none."""
    return quantities.parse(limit if quantities.is_quantity(limit) else unlimited)


def _own(container: Manifest, unlimited: str) -> Decimal:
    """What a container writes outside of volumes."""
    if _known(container.get("securityContext")).get("readOnlyRootFilesystem") is True:
        return _LOGS
    mounts = container.get("volumeMounts")
    has_tmp = isinstance(mounts, list) and any(lookup(mount, "mountPath") == "/tmp" for mount in mounts)
    return _LOGS + (_LAYER if has_tmp else quantities.parse(unlimited))


def _with(resources: Mapping[str, Any], requested: Decimal, limit: Decimal, own: Decimal) -> Manifest:
    amounts = {"requests": requested + min(own, _REQUEST), "limits": limit + own}
    return {**resources, **{kind: {**resources.get(kind, {}), contract.DISK: _text(amount)} for kind, amount in amounts.items()}}


def _text(amount: Decimal) -> str:
    return f"{math.ceil(amount / MEBIBYTE)}Mi"


def _is_set(container: Manifest, kind: str) -> bool:
    """Whether the user sets the disk of a container, or may do so during deployment."""
    resources = container.get("resources")
    amounts = resources.get(kind) if isinstance(resources, Mapping) else resources
    return is_deferred(amounts) or contract.DISK in _known(amounts)


def _known(field: Any) -> Mapping[str, Any]:
    """What is known of a field: nothing if it is null, or an output of another resource."""
    return field if isinstance(field, Mapping) else {}
