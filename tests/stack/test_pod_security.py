"""Kubernetes' Pod Security Standards, rule by rule and level by level."""

from typing import Any

import pytest
from scalr_agents.stack.pod_security import Level, violations

Spec = dict[str, Any]

HARDENED: Spec = {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}}
POD: Spec = {"runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"}}


def _container(context: Spec | None = None, name: str = "c", **fields: Any) -> Spec:
    """A container that passes `restricted`, except for the given fields."""
    return {"name": name, "securityContext": HARDENED | (context or {}), **fields}


def _pod(context: Spec | None = None, containers: list[Spec] | None = None, **fields: Any) -> Spec:
    """A pod that passes `restricted`, except for the given fields."""
    return {"securityContext": POD | (context or {}), "containers": containers or [_container()], **fields}


def _both(context: Spec, pod_says: str, container_says: str) -> list[tuple[Spec, list[str]]]:
    """A field that pods and containers have: a pod with it, and one whose container has it."""
    return [
        (_pod(context), [f"the pod {pod_says}"]),
        (_pod(containers=[_container(context)]), [f"container 'c' {container_says}"]),
    ]


BASELINE: list[tuple[Spec, list[str]]] = [
    (_pod(hostNetwork=True), ["hostNetwork is true"]),
    (_pod(hostPID=True), ["hostPID is true"]),
    (_pod(hostIPC=True), ["hostIPC is true"]),
    (_pod(hostNetwork=True, hostIPC=True), ["hostNetwork is true", "hostIPC is true"]),
    (_pod(volumes=[{"name": "v", "hostPath": {"path": "/"}}]), ["volume 'v' is a hostPath"]),
    (_pod(containers=[_container({"privileged": True})]), ["container 'c' is privileged"]),
    (_pod(containers=[_container(ports=[{"containerPort": 80, "hostPort": 80}])]), ["container 'c' has a hostPort"]),
    (_pod(containers=[_container({"procMount": "Unmasked"})]), ["container 'c' has procMount Unmasked"]),
    (
        _pod(containers=[_container({"capabilities": {"drop": ["ALL"], "add": ["SYS_ADMIN", "NET_RAW", "NET_BIND_SERVICE"]}})]),
        ["container 'c' adds capabilities NET_RAW, SYS_ADMIN"],
    ),
    (_pod(containers=[_container({"capabilities": {"drop": ["ALL"], "add": ["ALL"]}})]), ["container 'c' adds capabilities ALL"]),
    (
        _pod({"sysctls": [{"name": "vm.swappiness"}, {"name": "kernel.msgmax"}, {"name": "net.ipv4.tcp_rmem"}]}),
        ["the pod sets sysctls kernel.msgmax, vm.swappiness"],
    ),
    (
        _pod(
            containers=[_container(name="a"), _container({"privileged": True}, name="b")], initContainers=[_container({"procMount": "x"})]
        ),
        ["container 'c' has procMount x", "container 'b' is privileged"],
    ),
    (_pod(ephemeralContainers=[_container({"privileged": True}, name="debug")]), ["container 'debug' is privileged"]),
    *_both({"seccompProfile": {"type": "Unconfined"}}, "has seccompProfile Unconfined", "has seccompProfile Unconfined"),
    *_both({"appArmorProfile": {"type": "Unconfined"}}, "has appArmorProfile Unconfined", "has appArmorProfile Unconfined"),
    *_both({"windowsOptions": {"hostProcess": True}}, "is a Windows host process", "is a Windows host process"),
    *(
        pair
        for options in ({"type": "spc_t"}, {"user": "system_u"}, {"role": "system_r"}, {"type": "container_t", "user": "system_u"})
        for pair in _both(
            {"seLinuxOptions": options},
            "sets seLinuxOptions other than the container types",
            "sets seLinuxOptions other than the container types",
        )
    ),
]

RESTRICTED: list[tuple[Spec, list[str]]] = [
    *((_pod(volumes=[{"name": "v", kind: {}}]), [f"volume 'v' is a {kind}"]) for kind in ("nfs", "iscsi", "gcePersistentDisk", "gitRepo")),
    (
        _pod(containers=[{"name": "c", "securityContext": {"capabilities": {"drop": ["ALL"]}}}]),
        ["container 'c' does not set allowPrivilegeEscalation to false"],
    ),
    (
        _pod(containers=[_container({"allowPrivilegeEscalation": True})]),
        ["container 'c' does not set allowPrivilegeEscalation to false"],
    ),
    (_pod(containers=[_container({"capabilities": {}})]), ["container 'c' does not drop all capabilities"]),
    (_pod(containers=[_container({"capabilities": {"drop": ["NET_RAW", "all"]}})]), ["container 'c' does not drop all capabilities"]),
    (
        _pod(containers=[_container({"capabilities": {"drop": ["ALL"], "add": ["CHOWN", "NET_BIND_SERVICE"]}})]),
        ["container 'c' adds capabilities other than NET_BIND_SERVICE"],
    ),
    (_pod({"runAsNonRoot": None}), ["container 'c' does not set runAsNonRoot to true"]),
    (
        _pod({"runAsNonRoot": None}, [_container({"runAsNonRoot": True}, name="a"), _container(name="b")]),
        ["container 'b' does not set runAsNonRoot to true"],
    ),
    (_pod({"runAsNonRoot": False}, [_container({"runAsNonRoot": True})]), ["the pod has runAsNonRoot false"]),
    (_pod(containers=[_container({"runAsNonRoot": False})]), ["container 'c' has runAsNonRoot false"]),
    *_both({"runAsUser": 0}, "runs as user 0", "runs as user 0"),
    (_pod({"seccompProfile": None}), ["container 'c' has no seccompProfile RuntimeDefault or Localhost"]),
    (
        _pod({"seccompProfile": None}, [_container({"seccompProfile": {"type": "Localhost"}}, name="a"), _container(name="b")]),
        ["container 'b' has no seccompProfile RuntimeDefault or Localhost"],
    ),
    (
        _pod(
            initContainers=[_container({"capabilities": {}}, name="init")], ephemeralContainers=[_container({"runAsUser": 0}, name="debug")]
        ),
        ["container 'debug' runs as user 0", "container 'init' does not drop all capabilities"],
    ),
    (
        {"containers": [{"name": "c"}]},
        [
            "container 'c' does not set allowPrivilegeEscalation to false",
            "container 'c' does not drop all capabilities",
            "container 'c' does not set runAsNonRoot to true",
            "container 'c' has no seccompProfile RuntimeDefault or Localhost",
        ],
    ),
]

VOLUMES = ["configMap", "csi", "downwardAPI", "emptyDir", "ephemeral", "image", "persistentVolumeClaim", "projected", "secret"]
SYSCTLS = [
    "kernel.shm_rmid_forced",
    "net.ipv4.ip_local_port_range",
    "net.ipv4.ip_local_reserved_ports",
    "net.ipv4.ip_unprivileged_port_start",
    "net.ipv4.ping_group_range",
    "net.ipv4.tcp_fin_timeout",
    "net.ipv4.tcp_keepalive_intvl",
    "net.ipv4.tcp_keepalive_probes",
    "net.ipv4.tcp_keepalive_time",
    "net.ipv4.tcp_rmem",
    "net.ipv4.tcp_syncookies",
    "net.ipv4.tcp_wmem",
]
ALLOWED: list[Spec] = [
    _pod(),
    _pod(hostNetwork=False, hostPID=False, hostIPC=False),
    *(_pod(volumes=[{"name": "v", kind: {}}]) for kind in VOLUMES),
    *(_pod({"sysctls": [{"name": name, "value": "1"}]}) for name in SYSCTLS),
    *(
        _pod({"seLinuxOptions": {"type": kind}})
        for kind in ("container_t", "container_init_t", "container_kvm_t", "container_engine_t", "")
    ),
    _pod({"seLinuxOptions": {"level": "s0:c1,c2", "user": "", "role": ""}}, [_container({"seLinuxOptions": {}})]),
    _pod({"runAsUser": 1000, "appArmorProfile": {"type": "Localhost"}}, [_container({"appArmorProfile": {"type": "RuntimeDefault"}})]),
    _pod({"seccompProfile": {"type": "Localhost", "localhostProfile": "p"}}, [_container({"seccompProfile": {"type": "RuntimeDefault"}})]),
    _pod({"seccompProfile": None}, [_container({"seccompProfile": {"type": "RuntimeDefault"}})]),
    _pod({"runAsNonRoot": None}, [_container({"runAsNonRoot": True, "runAsUser": 1000})]),
    _pod({"windowsOptions": {"hostProcess": False}}),
    _pod(containers=[_container({"capabilities": {"drop": ["ALL"], "add": ["NET_BIND_SERVICE"]}})]),
    _pod(containers=[_container({"privileged": False, "procMount": "Default"}, ports=[{"containerPort": 80, "hostPort": 0}])]),
    _pod(containers=[_container({"capabilities": {"drop": ["CHOWN", "ALL"], "add": None}}, ports=None)], initContainers=None, volumes=None),
]

BASELINE_CAPABILITIES = [
    "AUDIT_WRITE",
    "CHOWN",
    "DAC_OVERRIDE",
    "FOWNER",
    "FSETID",
    "KILL",
    "MKNOD",
    "NET_BIND_SERVICE",
    "SETFCAP",
    "SETGID",
    "SETPCAP",
    "SETUID",
    "SYS_CHROOT",
]


@pytest.mark.parametrize(("spec", "expected"), BASELINE)
def test_violations_of_baseline(spec: Spec, expected: list[str]) -> None:
    assert violations(spec, "baseline") == expected
    assert violations(spec, "privileged") == []
    assert violations(spec, "restricted")[: len(expected)] == expected


@pytest.mark.parametrize(("spec", "expected"), RESTRICTED)
def test_violations_of_restricted_only(spec: Spec, expected: list[str]) -> None:
    assert violations(spec, "restricted") == expected
    assert violations(spec, "baseline") == []


@pytest.mark.parametrize("level", ["privileged", "baseline", "restricted"])
@pytest.mark.parametrize("spec", ALLOWED)
def test_pods_allowed_at_every_level(spec: Spec, level: Level) -> None:
    assert violations(spec, level) == []


@pytest.mark.parametrize("capability", BASELINE_CAPABILITIES)
def test_baseline_allows_default_capabilities(capability: str) -> None:
    spec = _pod(containers=[_container({"capabilities": {"drop": ["ALL"], "add": [capability]}})])
    assert violations(spec, "baseline") == []


def test_a_host_path_is_reported_once() -> None:
    spec = _pod(volumes=[{"name": "v", "hostPath": {"path": "/"}}])
    assert violations(spec, "restricted") == ["volume 'v' is a hostPath"]


def test_both_levels_report_unconfined_containers() -> None:
    spec = _pod(containers=[_container({"seccompProfile": {"type": "Unconfined"}})])
    assert violations(spec, "restricted") == [
        "container 'c' has seccompProfile Unconfined",
        "container 'c' has no seccompProfile RuntimeDefault or Localhost",
    ]


@pytest.mark.parametrize("level", ["privileged", "baseline"])
@pytest.mark.parametrize(
    "spec",
    [
        {},
        {"containers": "x", "volumes": 5, "securityContext": []},
        {"containers": [5, {"name": "c", "securityContext": object(), "ports": [5]}], "volumes": [object()]},
        _pod({"sysctls": "x", "seccompProfile": "x"}, [_container({"capabilities": {"add": 5}, "seLinuxOptions": "x"})]),
    ],
    ids=["empty", "no lists", "odd items", "odd fields"],
)
def test_fields_of_other_types_are_ignored(spec: Spec, level: Level) -> None:
    assert violations(spec, level) == []
