"""Cross-checks of agent-k8s on nodes: where workers run, what they may do there, and where their data is."""

import posixpath
import re
from collections.abc import Iterator
from typing import Any

from scalr_agents.charts.agent_k8s.values import AgentK8sValues
from scalr_agents.charts.agent_k8s.values.agent import DEFAULT_DATA_HOME
from scalr_agents.charts.shared import contract
from scalr_agents.charts.shared.checks import containers
from scalr_agents.model.clouds import EFS_MOUNT_OPTIONS
from scalr_agents.model.findings import Findings, Path, dotted, error, warning
from scalr_agents.model.forms import is_deferred, is_set

_EFS_HANDLE = re.compile(r"fs-[0-9a-f]+(:(?!fsap-)[^:\s]*(:fsap-[0-9a-f]+)?)?")
_SYSTEM = ("/", "/var", "/var/lib", *containers.SYSTEM_DIRECTORIES)


def check(values: AgentK8sValues) -> Findings:
    yield from _placement(values)
    yield from _privileges(values)
    yield from _data_home(values)
    yield from _efs(values)


def _placement(values: AgentK8sValues) -> Findings:
    if not values.worker_node_selector:
        yield warning(
            "workerNodeSelector",
            "empty: a worker runs on every node of the cluster; select a node pool for runs, or use agent-job, which has no workers "
            "between runs",
        )
    for path in _unknown(values.worker_tolerations, ("workerTolerations",)):
        yield error(dotted(path), "must be known before deployment, because the agent gets the tolerations as a string")


def _unknown(content: Any, path: Path) -> Iterator[Path]:
    if is_deferred(content):
        yield path
    items = content.items() if isinstance(content, dict) else enumerate(content) if isinstance(content, list) else ()
    for key, item in items:
        yield from _unknown(item, (*path, key))


def _privileges(values: AgentK8sValues) -> Findings:
    """One finding with all the privileges that make an agent of this kind dangerous to other workloads."""
    user = {**values.pod_security_context, **values.security_context}.get("runAsUser")
    on_node = not is_set(values.efs_volume_handle)
    privileges = {
        "run as root": user == 0,
        "write to a directory of their node": on_node,
        "may read and change every Secret of their namespace": values.service_account.has_role,
    }
    if any(privileges.values()):
        yield warning(
            "securityContext" if user == 0 or on_node else "serviceAccount",
            f"the agent's pods {_listed([what for what, true in privileges.items() if true])}: "
            "run them in a dedicated namespace on dedicated nodes, "
            "or use agent-job, which requires none of these privileges",
        )
    if on_node and isinstance(user, int) and user != 0:
        yield warning(
            "securityContext.runAsUser",
            f"{user}, but the directory of a node belongs to root: workers cannot write to it unless you prepare every node; "
            "run them as root, or set efsVolumeHandle",
        )


def _listed(words: list[str]) -> str:
    return " and ".join([", ".join(words[:-1]), words[-1]] if words[1:] else words)


def _data_home(values: AgentK8sValues) -> Findings:
    directory = posixpath.normpath(values.agent.data_home)
    if directory in _SYSTEM or contract.SERVICE_ACCOUNT_DIR.startswith(f"{directory}/") or directory == contract.SERVICE_ACCOUNT_DIR:
        yield error(
            "agent.data_home", "a system directory, in the image and on the node; use a dedicated directory, for instance /var/lib/<name>"
        )
    elif directory == DEFAULT_DATA_HOME and not is_set(values.efs_volume_handle):
        yield warning(
            "agent.data_home",
            "the default, which several agents would share and which the kubelet searches for volume plugins, logging errors; set a "
            "dedicated directory for each agent: /home/kubernetes/bin/scalr/<name> on GKE, /var/lib/<name> elsewhere. Its files stay on "
            "the nodes when the agent is removed",
        )


def _efs(values: AgentK8sValues) -> Findings:
    handle = values.efs_volume_handle
    if isinstance(handle, str) and handle and not _EFS_HANDLE.fullmatch(handle):
        yield error("efsVolumeHandle", "not an EFS volume handle, for instance fs-582a03f3 or fs-582a03f3::fsap-01e050b7d9a3109d5")
    if not is_set(handle) and values.efs_mount_options != EFS_MOUNT_OPTIONS:
        yield warning("efsMountOptions", "has no effect: efsVolumeHandle is empty")
