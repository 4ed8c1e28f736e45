"""The charts `agent-job` that Scalr published: their defaults, and where our objects differ from theirs."""

from typing import Any

from scalr_agents.charts.shared.corrections import ABSENT, ALL, CHECKSUM, ENV, MIRRORS, TEMPLATE, Rule, changed, gone, hardened, new
from scalr_agents.charts.shared.pods import WORKLOADS
from scalr_agents.charts.shared.versions import Published
from scalr_agents.model.maps import Values

LESS_MEMORY: Values = {"task": {"runner": {"resources": {"limits": {"memory": "2048Mi"}}}}}
"""The default of agents before 1.2, which the charts kept."""
_BUDGET: Values = {"task": {"podDisruptionBudget": {"minAvailable": None, "maxUnavailable": 0}}}
_NO_BUDGET: Values = {"task": {"podDisruptionBudget": None}}

PUBLISHED = (
    Published(
        "0.5.64",
        "0.57.0",
        defaults={
            "agent": {"moduleCache": None, "topologySpreadConstraints": None},
            "persistence": {"cache": {"persistentVolumeClaim": {"storage": "50Gi"}}},
        },
        corrected=_NO_BUDGET,
    ),
    *Published("0.5.65", "0.58.0", corrected=_NO_BUDGET).then(
        ("0.5.66", "0.59.0"),
        ("0.5.67", "0.60.0"),
        ("0.5.68", "0.61.3"),
        ("0.5.69", "0.61.4"),
        ("0.5.70", "0.62.0"),
        ("0.5.71", "0.63.0"),
        ("0.5.72", "0.63.1"),
        ("0.5.74", "0.65.0"),
        ("0.5.75", "0.65.1"),
        ("0.5.76", "1.0.0"),
        ("0.5.78", "1.0.4"),
        ("0.5.79", "1.0.5"),
    ),
    Published("0.6.1", "1.1.0", corrected=_BUDGET),
    *Published("0.6.2", "1.2.0", defaults=LESS_MEMORY, corrected=_BUDGET).then(("0.6.3", "1.2.1"), ("0.6.4", "1.3.0"), ("0.6.5", "1.4.0")),
)

_TASKS = ("AgentTask", "AgentTaskTemplate")


def _zero(was: Any, becomes: Any) -> bool:
    return was is ABSENT and becomes == 0


CORRECTIONS = (
    MIRRORS,
    Rule("Rolling on changed secrets", CHECKSUM, WORKLOADS),
    Rule("Hardening of containers", rf"{TEMPLATE}spec\.containers\[(controller|worker)\]\.securityContext.*", test=hardened),
    Rule("NetworkPolicy of task pods", r"spec\.egress", ("NetworkPolicy",)),
    Rule("Budget of task pods", "", ("PodDisruptionBudget",), new, component="task"),
    Rule("Budget of task pods", r"spec\.(min|max)(Una|A)vailable", ("PodDisruptionBudget",), component="task"),
    Rule("Budget of the controllers", "", ("PodDisruptionBudget",), new, component="agent", charts=("0.6.2", "0.6.3")),
    Rule("Budget of the controllers", r"spec\.maxUnavailable", ("PodDisruptionBudget",), _zero, component="agent"),
    Rule("`restartPolicy` of the Job", r"spec\.jobTemplate\.spec\.restartPolicy", _TASKS, gone),
    Rule("Annotations of the token Secret", r"metadata\.annotations.*", ("Secret",), gone),
    Rule("Key of the token Secret", rf"{ENV}\[SCALR_AGENT_TOKEN\]\.valueFrom\.secretKeyRef\.key"),
    Rule("Shutdown timeouts", rf"{ENV}\[SCALR_AGENT_WORKER_(DRAIN|GRACE_SHUTDOWN)_TIMEOUT\]\.value", test=changed),
    Rule("Global and own settings", rf"{TEMPLATE}metadata\.annotations.*", WORKLOADS, changed, given="agent.podAnnotations"),
    Rule("Global and own settings", rf"{TEMPLATE}metadata\.annotations.*", _TASKS, changed, given="task.podAnnotations"),
    Rule("Global and own settings", rf"{TEMPLATE}spec\.securityContext\..*", WORKLOADS, changed, given="agent.podSecurityContext"),
    Rule("Global and own settings", rf"{TEMPLATE}spec\.securityContext\..*", _TASKS, changed, given="task.podSecurityContext"),
    Rule(
        "Global and own labels and annotations",
        r"(spec\.jobTemplate\.)?metadata\.annotations.*",
        ("Deployment", "ServiceAccount", *_TASKS),
        changed,
        given="global.annotations",
    ),
    Rule("Global and own labels and annotations", r"spec\.jobTemplate\.metadata\.labels.*", _TASKS, changed, given="global.labels"),
    Rule("Labels of the selectors", rf"({TEMPLATE})?metadata\.labels\[app\.kubernetes\.io/(name|instance)\]", test=changed),
    Rule("Data claim", r"spec\.accessModes", ("PersistentVolumeClaim",), component="data"),
    Rule("Data claim", rf"{TEMPLATE}.*\.subPath", _TASKS, given="persistence.data.persistentVolumeClaim.subPath"),
    Rule("Image of the worker", rf"{TEMPLATE}spec\.containers\[worker\]\.image", _TASKS, given="task.worker.image.tag"),
    Rule("Image of the worker", rf"{TEMPLATE}spec\.containers\[worker\]\.image", _TASKS, given="task.worker.image.repository"),
    Rule("Image of the worker", rf"{TEMPLATE}spec\.containers\[worker\]\.imagePullPolicy", _TASKS, given="task.worker.image.pullPolicy"),
    Rule("Cache sizes", rf"{ENV}\[SCALR_AGENT_\w+_CACHE_SIZE_LIMIT_MB\]\.value", test=changed),
    Rule("Roles and bindings", r"metadata\.namespace", ("ClusterRoleBinding",), gone),
    Rule("`rbac.clusterRules: []`", "", ("ClusterRole", "ClusterRoleBinding"), gone),
    Rule("Caches of agents 0.57", rf"{TEMPLATE}spec\.(volumes|containers\[.*?\]\.volumeMounts)\[.*\].*", charts=("0.5.64",)),
    Rule("Caches of agents 0.57", rf"{ENV}\[SCALR_AGENT_(PROVIDER|MODULE)_CACHE_\w+\]", test=new, charts=("0.5.64",)),
    *ALL,
)
