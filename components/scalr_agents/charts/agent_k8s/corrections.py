"""Differences between the objects of `agent-k8s` and those of the published chart."""

import re

from scalr_agents.charts.shared.corrections import ALL, CHECKSUM, ENV, TEMPLATE, Rule, changed, gone, new
from scalr_agents.charts.shared.manifests.objects import WORKLOADS
from scalr_agents.model.release import COMPONENT

RULES = (
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
