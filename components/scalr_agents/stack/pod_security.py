"""Kubernetes' Pod Security Standards, for pods that do not exist yet.

Evaluates a pod's spec as the admission plugin would (standards of Kubernetes 1.33), so that a pod that its namespace would reject is
found before a deployment. Otherwise the controller would be deployed, and its Jobs would never start.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Literal

Level = Literal["restricted", "baseline", "privileged"]
Spec = Mapping[str, Any]

_BASELINE_CAPABILITIES = {
    "AUDIT_WRITE", "CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "MKNOD", "NET_BIND_SERVICE", "SETFCAP", "SETGID", "SETPCAP",
    "SETUID", "SYS_CHROOT",
}  # fmt: skip
_SELINUX_TYPES = {"", "container_t", "container_init_t", "container_kvm_t", "container_engine_t"}
_SAFE_SYSCTLS = {
    "kernel.shm_rmid_forced", "net.ipv4.ip_local_port_range", "net.ipv4.ip_local_reserved_ports", "net.ipv4.ip_unprivileged_port_start",
    "net.ipv4.ping_group_range", "net.ipv4.tcp_fin_timeout", "net.ipv4.tcp_keepalive_intvl", "net.ipv4.tcp_keepalive_probes",
    "net.ipv4.tcp_keepalive_time", "net.ipv4.tcp_rmem", "net.ipv4.tcp_syncookies", "net.ipv4.tcp_wmem",
}  # fmt: skip
_RESTRICTED_VOLUMES = {
    "configMap", "csi", "downwardAPI", "emptyDir", "ephemeral", "image", "persistentVolumeClaim", "projected", "secret",
}  # fmt: skip


def violations(spec: Spec, level: Level) -> list[str]:
    """Why a namespace of this level would reject a pod with this spec. Empty if it would admit it."""
    found = list(_baseline(spec)) if level != "privileged" else []
    return found + list(_restricted(spec)) if level == "restricted" else found


def _map(fields: Spec, key: str) -> Spec:
    """A field that should be a map. Anything else counts as empty: the API server rejects it."""
    value = fields.get(key)
    return value if isinstance(value, Mapping) else {}


def _list(fields: Spec, key: str) -> list[Any]:
    value = fields.get(key)
    return value if isinstance(value, list) else []


def _maps(fields: Spec, key: str) -> list[Spec]:
    return [item for item in _list(fields, key) if isinstance(item, Mapping)]


def _containers(spec: Spec) -> Iterator[tuple[str, Spec, Spec]]:
    """Every container as its name, itself and its securityContext."""
    for kind in ("initContainers", "containers", "ephemeralContainers"):
        for container in _maps(spec, kind):
            yield str(container.get("name")), container, _map(container, "securityContext")


def _contexts(spec: Spec) -> Iterator[tuple[str, Spec]]:
    """The security contexts of the pod and of its containers, each with what it belongs to."""
    yield "the pod", _map(spec, "securityContext")
    for name, _, context in _containers(spec):
        yield f"container {name!r}", context


def _baseline(spec: Spec) -> Iterator[str]:
    for field in ("hostNetwork", "hostPID", "hostIPC"):
        if spec.get(field):
            yield f"{field} is true"
    for volume in _maps(spec, "volumes"):
        if "hostPath" in volume:
            yield f"volume {volume.get('name')!r} is a hostPath"
    for name, container, context in _containers(spec):
        yield from _baseline_container(name, container, context)
    for owner, context in _contexts(spec):
        yield from _baseline_context(owner, context)
    sysctls = {str(sysctl.get("name")) for sysctl in _maps(_map(spec, "securityContext"), "sysctls")} - _SAFE_SYSCTLS
    if sysctls:
        yield f"the pod sets sysctls {', '.join(sorted(sysctls))}"


def _baseline_container(name: str, container: Spec, context: Spec) -> Iterator[str]:
    if context.get("privileged") is True:
        yield f"container {name!r} is privileged"
    added = set(map(str, _list(_map(context, "capabilities"), "add"))) - _BASELINE_CAPABILITIES
    if added:
        yield f"container {name!r} adds capabilities {', '.join(sorted(added))}"
    if context.get("procMount") not in (None, "Default"):
        yield f"container {name!r} has procMount {context['procMount']}"
    if any(port.get("hostPort") for port in _maps(container, "ports")):
        yield f"container {name!r} has a hostPort"


def _baseline_context(owner: str, context: Spec) -> Iterator[str]:
    selinux = _map(context, "seLinuxOptions")
    if str(selinux.get("type", "")) not in _SELINUX_TYPES or selinux.get("user") or selinux.get("role"):
        yield f"{owner} sets seLinuxOptions other than the container types"
    for profile in ("seccompProfile", "appArmorProfile"):
        if _map(context, profile).get("type") == "Unconfined":
            yield f"{owner} has {profile} Unconfined"
    if _map(context, "windowsOptions").get("hostProcess"):
        yield f"{owner} is a Windows host process"


def _restricted(spec: Spec) -> Iterator[str]:
    pod = _map(spec, "securityContext")
    for volume in _maps(spec, "volumes"):
        kinds = volume.keys() - {"name"} - _RESTRICTED_VOLUMES - {"hostPath"}  # hostPath breaks baseline already
        if kinds:
            yield f"volume {volume.get('name')!r} is a {', '.join(sorted(kinds))}"
    for owner, context in _contexts(spec):
        if context.get("runAsUser") == 0:
            yield f"{owner} runs as user 0"
        if context.get("runAsNonRoot") is False:
            yield f"{owner} has runAsNonRoot false"
    for name, _, context in _containers(spec):
        yield from _restricted_container(f"container {name!r}", context, pod)


def _restricted_container(owner: str, context: Spec, pod: Spec) -> Iterator[str]:
    if context.get("allowPrivilegeEscalation") is not False:
        yield f"{owner} does not set allowPrivilegeEscalation to false"
    capabilities = _map(context, "capabilities")
    if "ALL" not in _list(capabilities, "drop"):
        yield f"{owner} does not drop all capabilities"
    if set(map(str, _list(capabilities, "add"))) & (_BASELINE_CAPABILITIES - {"NET_BIND_SERVICE"}):
        yield f"{owner} adds capabilities other than NET_BIND_SERVICE"
    if context.get("runAsNonRoot") is None and pod.get("runAsNonRoot") is not True:
        yield f"{owner} does not set runAsNonRoot to true"
    profile = _map(context, "seccompProfile") or _map(pod, "seccompProfile")
    if profile.get("type") not in ("RuntimeDefault", "Localhost"):
        yield f"{owner} has no seccompProfile RuntimeDefault or Localhost"
