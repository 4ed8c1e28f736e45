"""Which row of docs/helm-differences.md a change belongs to: what each correction does to the objects of its chart."""

import re
from collections.abc import Callable, Collection, Mapping
from typing import Any, NamedTuple

from scalr_agents.charts.shared.contract import MIRRORS_VARIABLE
from scalr_agents.charts.shared.manifests.objects import HARDENED
from scalr_agents.helm.adopt.changes import ABSENT, ORDER, TIMES, Change
from scalr_agents.model.fields import is_set
from scalr_agents.model.merge import lookup
from scalr_agents.model.release import COMPONENT

_VARIABLES = "-env"
"""End of the name of the Secret with variables, which no chart has."""


def _any(_was: Any, _becomes: Any) -> bool:
    return True


def _new(was: Any, _becomes: Any) -> bool:
    return was is ABSENT


def _gone(_was: Any, becomes: Any) -> bool:
    return becomes is ABSENT


def _changed(was: Any, becomes: Any) -> bool:
    return was is not ABSENT and becomes is not ABSENT


def _zero(was: Any, becomes: Any) -> bool:
    return was is ABSENT and becomes == 0


def _hardened(was: Any, becomes: Any) -> bool:
    return was is ABSENT and becomes in (HARDENED, False, {"drop": ["ALL"]}, ["ALL"])


def _empty(was: Any, becomes: Any) -> bool:
    return all(value is ABSENT or value in ({}, [], "") for value in (was, becomes))


def _same_number(was: Any, becomes: Any) -> bool:
    try:
        return float(was) == float(becomes)
    except (TypeError, ValueError):
        return False


def _our_secret(was: Any, becomes: Any) -> bool:
    return was is ABSENT and becomes["metadata"]["name"].endswith(_VARIABLES)


def _out_of_our_secret(_was: Any, becomes: Any) -> bool:
    return str(lookup(becomes, "valueFrom", "secretKeyRef", "name") or "").endswith(_VARIABLES)


class _Rule(NamedTuple):
    """What one row does to one field."""

    row: str
    """Its subject."""
    path: str
    """The field, as a regular expression; empty for whole objects."""
    kinds: Collection[str] = ()
    """Default: all."""
    test: Callable[[Any, Any], bool] = _any
    """What the field was, and what it becomes."""
    component: str = ""
    """Of objects with this component alone."""
    given: str = ""
    """A value without which the correction does nothing."""
    charts: Collection[str] = ()
    """Versions of the chart. Default: all."""

    def fits(self, change: Change, values: Mapping[str, Any], chart_version: str) -> bool:
        return (
            re.fullmatch(self.path, change.path) is not None
            and (not self.kinds or change.kind in self.kinds)
            and self.test(change.was, change.becomes)
            and self.component in ("", change.component)
            and (not self.given or is_set(lookup(values, *self.given.split("."))))
            and (not self.charts or chart_version in self.charts)
        )


_WORKLOADS = ("Deployment", "DaemonSet")
_TASKS = ("AgentTask", "AgentTaskTemplate")
_TEMPLATE = r"spec\.(jobTemplate\.spec\.)?template\."
_ENV = rf"{_TEMPLATE}spec\.containers\[.*?\]\.env"
_EVICTION = r"\[(cluster-autoscaler\.kubernetes\.io/safe-to-evict|karpenter\.sh/do-not-(evict|disrupt)|autopilot\.gke\.io/priority)\]"
_OUR_LABELS = r"metadata\.labels\[app\.kubernetes\.io/(name|instance|version|component)\]"
_UNLABELLED = (
    "Role",
    "RoleBinding",
    "ClusterRole",
    "ClusterRoleBinding",
    "NetworkPolicy",
    "PersistentVolume",
    "PersistentVolumeClaim",
    "StorageClass",
)

_ALL = (
    _Rule("Label `helm.sh/chart`", r"metadata\.labels\[helm\.sh/chart\]", test=_gone),
    _Rule("Label `app.kubernetes.io/managed-by`", r"metadata\.labels\[app\.kubernetes\.io/managed-by\]"),
    _Rule("Labels of objects", _OUR_LABELS, _UNLABELLED, _new),
    _Rule("CustomResourceDefinitions", r".*", ("CustomResourceDefinition",)),
    _Rule("Secret environment variables", rf"{_ENV}\[.*\]", test=_out_of_our_secret),
    _Rule("Secret environment variables", "", ("Secret",), _our_secret),
    _Rule("Duplicated variables", rf"{_ENV}\[.*\]{re.escape(TIMES)}"),
    _Rule("Large numbers in `extraEnv`", rf"{_ENV}\[.*\]\.value", test=_same_number),
    _Rule("Order of variables and mounts", rf".*\.(env|volumeMounts|volumes){re.escape(ORDER)}"),
    _Rule("Empty fields", rf"{_TEMPLATE}.+", test=_empty),
)
_MIRRORS = _Rule("Tokens of provider mirrors", rf"{_ENV}\[{MIRRORS_VARIABLE}\]", test=_out_of_our_secret)
_CHECKSUM = rf"{_TEMPLATE}metadata\.annotations\[checksum/secrets\]"
_AGENT_JOB = (
    _MIRRORS,
    _Rule("Rolling on changed secrets", _CHECKSUM, _WORKLOADS),
    _Rule("Hardening of containers", rf"{_TEMPLATE}spec\.containers\[(controller|worker)\]\.securityContext.*", test=_hardened),
    _Rule("NetworkPolicy of task pods", r"spec\.egress", ("NetworkPolicy",)),
    _Rule("Budget of task pods", "", ("PodDisruptionBudget",), _new, component="task"),
    _Rule("Budget of task pods", r"spec\.(min|max)(Una|A)vailable", ("PodDisruptionBudget",), component="task"),
    _Rule("Budget of the controllers", "", ("PodDisruptionBudget",), _new, component="agent", charts=("0.6.2", "0.6.3")),
    _Rule("Budget of the controllers", r"spec\.maxUnavailable", ("PodDisruptionBudget",), _zero, component="agent"),
    _Rule("`restartPolicy` of the Job", r"spec\.jobTemplate\.spec\.restartPolicy", _TASKS, _gone),
    _Rule("Annotations of the token Secret", r"metadata\.annotations.*", ("Secret",), _gone),
    _Rule("Key of the token Secret", rf"{_ENV}\[SCALR_AGENT_TOKEN\]\.valueFrom\.secretKeyRef\.key"),
    _Rule("Shutdown timeouts", rf"{_ENV}\[SCALR_AGENT_WORKER_(DRAIN|GRACE_SHUTDOWN)_TIMEOUT\]\.value", test=_changed),
    _Rule("Global and own settings", rf"{_TEMPLATE}metadata\.annotations.*", _WORKLOADS, _changed, given="agent.podAnnotations"),
    _Rule("Global and own settings", rf"{_TEMPLATE}metadata\.annotations.*", _TASKS, _changed, given="task.podAnnotations"),
    _Rule("Global and own settings", rf"{_TEMPLATE}spec\.securityContext\..*", _WORKLOADS, _changed, given="agent.podSecurityContext"),
    _Rule("Global and own settings", rf"{_TEMPLATE}spec\.securityContext\..*", _TASKS, _changed, given="task.podSecurityContext"),
    _Rule(
        "Global and own labels and annotations",
        r"(spec\.jobTemplate\.)?metadata\.annotations.*",
        ("Deployment", "ServiceAccount", *_TASKS),
        _changed,
        given="global.annotations",
    ),
    _Rule("Global and own labels and annotations", r"spec\.jobTemplate\.metadata\.labels.*", _TASKS, _changed, given="global.labels"),
    _Rule("Labels of the selectors", rf"({_TEMPLATE})?metadata\.labels\[app\.kubernetes\.io/(name|instance)\]", test=_changed),
    _Rule("Data claim", r"spec\.accessModes", ("PersistentVolumeClaim",), component="data"),
    _Rule("Data claim", rf"{_TEMPLATE}.*\.subPath", _TASKS, given="persistence.data.persistentVolumeClaim.subPath"),
    _Rule("Image of the worker", rf"{_TEMPLATE}spec\.containers\[worker\]\.image", _TASKS, given="task.worker.image.tag"),
    _Rule("Image of the worker", rf"{_TEMPLATE}spec\.containers\[worker\]\.image", _TASKS, given="task.worker.image.repository"),
    _Rule("Image of the worker", rf"{_TEMPLATE}spec\.containers\[worker\]\.imagePullPolicy", _TASKS, given="task.worker.image.pullPolicy"),
    _Rule("Cache sizes", rf"{_ENV}\[SCALR_AGENT_\w+_CACHE_SIZE_LIMIT_MB\]\.value", test=_changed),
    _Rule("Roles and bindings", r"metadata\.namespace", ("ClusterRoleBinding",), _gone),
    _Rule("`rbac.clusterRules: []`", "", ("ClusterRole", "ClusterRoleBinding"), _gone),
    _Rule("Caches of agents 0.57", rf"{_TEMPLATE}spec\.(volumes|containers\[.*?\]\.volumeMounts)\[.*\].*", charts=("0.5.64",)),
    _Rule("Caches of agents 0.57", rf"{_ENV}\[SCALR_AGENT_(PROVIDER|MODULE)_CACHE_\w+\]", test=_new, charts=("0.5.64",)),
)
_ONE_VOLUME = ("0.5.61", "0.5.62", "0.5.63")
_AGENT_LOCAL = (
    _MIRRORS,
    _Rule("Rolling on changed secrets (L-W6)", _CHECKSUM, _WORKLOADS),
    _Rule("Eviction annotations (L-W2)", rf"metadata\.annotations{_EVICTION}", ("Deployment",), _gone),
    _Rule("Eviction annotations (L-W2)", rf"{_TEMPLATE}metadata\.annotations{_EVICTION}", ("Deployment",), _new),
    _Rule("NetworkPolicy (L-W1)", "", ("NetworkPolicy",), _gone),
    _Rule("NetworkPolicy (L-W1)", "", ("NetworkPolicy",), _new, charts=_ONE_VOLUME),
    _Rule("NetworkPolicy (L-W1)", r"spec\.egress", ("NetworkPolicy",)),
    _Rule(
        "NetworkPolicy (L-W1)", rf"(spec\.podSelector\.matchLabels|metadata\.labels)\[{re.escape(COMPONENT)}\]", ("NetworkPolicy",), _gone
    ),
    _Rule("`serviceAccount.automountToken` (L-W3)", r"automountServiceAccountToken", ("ServiceAccount",)),
    _Rule("Hardening (L-W5)", rf"{_TEMPLATE}spec\.containers\[agent-local\]\.securityContext.*", test=_hardened),
    _Rule("Hardening (L-W5)", rf"{_TEMPLATE}spec\.securityContext(\.seccompProfile(\.type)?)?", test=_new),
    _Rule("`subPath`", rf"{_TEMPLATE}.*\.subPath", ("Deployment",), _gone),
    _Rule("Repeated variables", rf"{_ENV}\[.*\]{re.escape(TIMES)}"),
    _Rule("Volumes (agents 0.57 to 0.59)", rf"{_TEMPLATE}spec\.(volumes|containers\[.*?\]\.volumeMounts)\[.*\].*", charts=_ONE_VOLUME),
    _Rule("Volumes (agents 0.57 to 0.59)", rf"{_ENV}\[SCALR_AGENT_CACHE_DIR\]", test=_new, charts=_ONE_VOLUME),
    _Rule("Volumes (agents 0.57 to 0.59)", r"metadata\.annotations.*", ("PersistentVolumeClaim",), _gone, charts=_ONE_VOLUME),
)
_AGENT_K8S = (
    _Rule("Rolling on changed secrets", _CHECKSUM, _WORKLOADS),
    _Rule("Selectors (K1)", rf"(spec\.selector\.matchLabels|{_TEMPLATE}metadata\.labels)\[{re.escape(COMPONENT)}\]", _WORKLOADS, _new),
    _Rule("Namespace of cluster-scoped objects (K4)", r"metadata\.namespace", ("PersistentVolume", "StorageClass"), _gone),
    _Rule("EFS volume (K5)", r"spec\.claimRef", ("PersistentVolume",), _new),
    _Rule("EFS volume (K5)", r"spec\.volumeName", ("PersistentVolumeClaim",), _new),
    _Rule("Brought account (K6)", "", ("Role", "RoleBinding"), _new, given="serviceAccount.name"),
    _Rule("Labels of the account (K6)", r"metadata\.labels\[.*\]|metadata\.labels\..*", ("ServiceAccount",), _new),
    _Rule("Pod annotations (K8)", rf"{_TEMPLATE}metadata\.annotations.*", _WORKLOADS, _changed, given="podAnnotations"),
    _Rule("Policy and run pods (K9)", r"spec\.egress", ("NetworkPolicy",)),
    _Rule(
        "Policy and run pods (K9)",
        rf"{_ENV}\[SCALR_AGENT_KUBERNETES_TASK_LABELS\]\.value",
        ("Deployment",),
        given="restrictMetadataService",
    ),
    _Rule("Token Secret", r"metadata\.annotations.*", ("Secret",), _gone),
    _Rule("Token Secret", rf"{_ENV}\[SCALR_AGENT_TOKEN\]\.valueFrom\.secretKeyRef\.key"),
)
_RULES = {"agent-job": (*_AGENT_JOB, *_ALL), "agent-local": (*_AGENT_LOCAL, *_ALL), "agent-k8s": (*_AGENT_K8S, *_ALL)}


def rows(chart: str) -> list[str]:
    """The rows that a chart's changes may belong to."""
    return list(dict.fromkeys(rule.row for rule in _RULES[chart]))


def row_of(change: Change, chart: str, chart_version: str, values: Mapping[str, Any]) -> str | None:
    """The row of a change; `None` if no correction makes it. `values` are all values of the release."""
    return next((rule.row for rule in _RULES[chart] if rule.fits(change, values, chart_version)), None)
