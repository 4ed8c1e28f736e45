"""What differs between versions of `agent-k8s`: values, names, objects, and the charts that Scalr published."""

import re
from collections.abc import Collection
from dataclasses import dataclass

from scalr_agents.charts.shared.corrections import ALL, CHECKSUM, ENV, TEMPLATE, Rule, changed, gone, new
from scalr_agents.charts.shared.pods import WORKLOADS
from scalr_agents.charts.shared.versions import Handover, Published, Row, Table
from scalr_agents.model.release import COMPONENT, NEWEST, NEWEST_DATED, Identity, Line, Names


@dataclass(frozen=True, kw_only=True)
class K8sNames(Names):
    """The names of agent-k8s."""

    worker: str = ""
    worker_policy: str = ""
    """Name of the policy of the workers' pods, if egress is restricted."""
    persistent_volume: str = ""
    storage_class: str = ""


def _names(identity: Identity) -> K8sNames:
    """The names. The chart's own are literals, so that two of its releases conflict in a namespace, and with EFS in a cluster."""
    full, scoped = identity.full_name, identity.scoped
    first = full if scoped else "agent-k8s"
    return K8sNames(
        deployment=f"{full}-controller",
        worker=f"{full}-worker",
        service_account=identity.service_account,
        token_secret=full if scoped else identity.base_name,
        env_secret=f"{full}-env",
        role=f"{first}-role",
        role_binding=f"{first}-role-binding",
        network_policy=f"{first}-network-policy",
        ingress_policy=f"{full}-ingress-network-policy",
        controller_policy=f"{full}-controller-network-policy",
        worker_policy=f"{full}-worker-network-policy",
        data_claim=f"{full}-data" if scoped else "agent-k8s-efs-claim",
        persistent_volume=f"{identity.namespace}.{full}-data" if scoped else "agent-k8s-efs-pv",
        storage_class=f"{identity.namespace}.{full}-efs" if scoped else "agent-k8s-efs-sc",
    )


@dataclass(frozen=True, kw_only=True)
class K8sRow(Row):
    """What agents of a version expect of their pods."""

    image_of_runs: Collection[str] = ("controller", "worker")
    """The components that get the image of runs, if a value sets it."""


_HANDOVER = Handover(
    selectors=True, meanwhile="controller and workers are replaced, and workers first wait for their runs: run it when few runs are active"
)

_0_53 = K8sRow(since=(0, 53), kubernetes="1.29", handover=_HANDOVER)
_0_60 = _0_53.then(
    (0, 60),
    before={"resources": {"limits": {"cpu": "1000m", "memory": "1024Mi"}}},
    new=("agent.container_task_image",),
    image_of_runs=("worker",),
)
_0_61_3 = _0_60.then(
    (0, 61, 3),
    before={"agent": {"container_task_image": ""}},
    new=("agent.container_task_image_mode",),
    image_of_runs=("controller", "worker"),
)

_CORRECTIONS = (
    Rule("Rolling on changed secrets", CHECKSUM, WORKLOADS),
    Rule("Selectors (K1)", rf"(spec\.selector\.matchLabels|{TEMPLATE}metadata\.labels)\[{re.escape(COMPONENT)}\]", WORKLOADS, new),
    Rule("Namespace of cluster-scoped objects (K4)", r"metadata\.namespace", ("PersistentVolume", "StorageClass"), gone),
    Rule("EFS volume (K5)", r"spec\.claimRef", ("PersistentVolume",), new),
    Rule("EFS volume (K5)", r"spec\.volumeName", ("PersistentVolumeClaim",), new),
    Rule("Brought account (K6)", "", ("Role", "RoleBinding"), new, given="serviceAccount.name"),
    Rule("Labels of the account (K6)", r"metadata\.labels\[.*\]|metadata\.labels\..*", ("ServiceAccount",), new),
    Rule("Pod annotations (K8)", rf"{TEMPLATE}metadata\.annotations.*", WORKLOADS, changed, given="podAnnotations"),
    Rule("Policy and run pods (K9)", r"spec\.egress", ("NetworkPolicy",)),
    Rule(
        "Policy and run pods (K9)",
        rf"{ENV}\[SCALR_AGENT_KUBERNETES_TASK_LABELS\]\.value",
        ("Deployment",),
        given="restrictMetadataService",
    ),
    Rule("Token Secret", r"metadata\.annotations.*", ("Secret",), gone),
    Rule("Token Secret", rf"{ENV}\[SCALR_AGENT_TOKEN\]\.valueFrom\.secretKeyRef\.key"),
    *ALL,
)

TABLE = Table(
    chart="agent-k8s",
    lines=(
        Line(
            chart="agent-k8s",
            generation="legacy",
            base_name="agent-k8s",
            default_version="0.53.0",
            dated="August 2025",
            oldest=(0, 53),
            newest=(0, 60),
            names=_names,
        ),
        Line(
            chart="agent-k8s",
            generation="current",
            base_name="agent-k8s",
            default_version=NEWEST,
            dated=NEWEST_DATED,
            oldest=(0, 61, 3),
            newest=None,
            names=_names,
        ),
    ),
    rows=(_0_53, _0_60, _0_61_3),
    published=(
        *Published("0.5.58", "0.53.0").then(
            ("0.5.59", "0.54.0"),
            ("0.5.60", "0.55.1"),
            ("0.5.61", "0.55.2"),
            ("0.5.62", "0.56.0"),
            ("0.5.63", "0.57.0"),
            ("0.5.64", "0.58.0"),
            ("0.5.65", "0.59.0"),
            ("0.5.66", "0.60.0"),
            ("0.5.67", "0.61.3"),
            ("0.5.68", "0.61.4"),
            ("0.5.69", "0.62.0"),
            ("0.5.70", "0.63.0"),
            ("0.5.71", "0.63.1"),
            ("0.5.73", "0.65.0"),
            ("0.5.74", "0.65.1"),
            ("0.5.75", "1.0.0"),
            ("0.5.79", "1.0.4"),
            ("0.5.80", "1.0.5"),
            ("0.6.1", "1.1.0"),
            ("0.6.2", "1.2.0"),
            ("0.6.3", "1.2.1"),
            ("0.6.4", "1.3.0"),
            ("0.6.5", "1.4.0"),
        ),
    ),
    ours=(),
    corrections=_CORRECTIONS,
)
