"""Differences between the objects of `agent-local` and those of the published chart."""

import re

from scalr_agents.charts.shared.corrections import ALL, CHECKSUM, ENV, MIRRORS, TEMPLATE, TIMES, Rule, gone, hardened, new
from scalr_agents.charts.shared.manifests.objects import WORKLOADS
from scalr_agents.model.release import COMPONENT

_EVICTION = r"\[(cluster-autoscaler\.kubernetes\.io/safe-to-evict|karpenter\.sh/do-not-(evict|disrupt)|autopilot\.gke\.io/priority)\]"
_ONE_VOLUME = ("0.5.61", "0.5.62", "0.5.63")
RULES = (
    MIRRORS,
    Rule("Rolling on changed secrets (L-W6)", CHECKSUM, WORKLOADS),
    Rule("Eviction annotations (L-W2)", rf"metadata\.annotations{_EVICTION}", ("Deployment",), gone),
    Rule("Eviction annotations (L-W2)", rf"{TEMPLATE}metadata\.annotations{_EVICTION}", ("Deployment",), new),
    Rule("NetworkPolicy (L-W1)", "", ("NetworkPolicy",), gone),
    Rule("NetworkPolicy (L-W1)", "", ("NetworkPolicy",), new, charts=_ONE_VOLUME),
    Rule("NetworkPolicy (L-W1)", r"spec\.egress", ("NetworkPolicy",)),
    Rule("NetworkPolicy (L-W1)", rf"(spec\.podSelector\.matchLabels|metadata\.labels)\[{re.escape(COMPONENT)}\]", ("NetworkPolicy",), gone),
    Rule("`serviceAccount.automountToken` (L-W3)", r"automountServiceAccountToken", ("ServiceAccount",)),
    Rule("Hardening (L-W5)", rf"{TEMPLATE}spec\.containers\[agent-local\]\.securityContext.*", test=hardened),
    Rule("Hardening (L-W5)", rf"{TEMPLATE}spec\.securityContext(\.seccompProfile(\.type)?)?", test=new),
    Rule("`subPath`", rf"{TEMPLATE}.*\.subPath", ("Deployment",), gone),
    Rule("Repeated variables", rf"{ENV}\[.*\]{re.escape(TIMES)}"),
    Rule("Volumes (agents 0.57 to 0.59)", rf"{TEMPLATE}spec\.(volumes|containers\[.*?\]\.volumeMounts)\[.*\].*", charts=_ONE_VOLUME),
    Rule("Volumes (agents 0.57 to 0.59)", rf"{ENV}\[SCALR_AGENT_CACHE_DIR\]", test=new, charts=_ONE_VOLUME),
    Rule("Volumes (agents 0.57 to 0.59)", r"metadata\.annotations.*", ("PersistentVolumeClaim",), gone, charts=_ONE_VOLUME),
    *ALL,
)
