"""Differences between the objects of `agent-job` and those of the published chart."""

from typing import Any

from scalr_agents.charts.shared.corrections import ABSENT, ALL, CHECKSUM, ENV, MIRRORS, TEMPLATE, Rule, changed, gone, hardened, new
from scalr_agents.charts.shared.manifests.objects import WORKLOADS

_TASKS = ("AgentTask", "AgentTaskTemplate")


def _zero(was: Any, becomes: Any) -> bool:
    return was is ABSENT and becomes == 0


RULES = (
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
