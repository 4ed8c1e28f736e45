"""Cross-checks of agent-k8s: values that are valid one by one but cannot work together, are unsafe, or work differently than expected."""

import binascii
import posixpath
import re
from dataclasses import replace

from scalr_agents.charts.agent_k8s.objects import TASK_LABELS, K8s, own_variables, reaches_metadata_service, selects_runs
from scalr_agents.charts.agent_k8s.values import DEFAULT_DATA_HOME
from scalr_agents.charts.shared import access, containers, contract, mirrors
from scalr_agents.charts.shared.values import grace_seconds
from scalr_agents.model import checks, proxies
from scalr_agents.model.aws import EFS_MOUNT_OPTIONS
from scalr_agents.model.findings import Findings, dotted, entry, error, warning
from scalr_agents.model.maps import Deferred, everything, is_deferred, is_set
from scalr_agents.model.release import COMPONENT

_EFS_HANDLE = re.compile(r"fs-[0-9a-f]+(:(?!fsap-)[^:\s]*(:fsap-[0-9a-f]+)?)?")
_SYSTEM = ("/", "/var", "/var/lib", *containers.SYSTEM_DIRECTORIES)
_LONGEST_VARIABLE = 128 * 1024
"""The maximum size in bytes of a variable on Linux, name included, with pages of 4 KiB."""


def check(agent: K8s) -> Findings:
    """All findings of the second pass, on valid values."""
    values, settings, inputs = agent.values, agent.values.agent, agent.inputs
    if inputs.token_needed:
        yield from checks.token("agent.token", settings.token, "agent.tokenExistingSecret", settings.token_existing_secret)
    yield from checks.url("agent.url", settings.url)
    for field in ("debug", "disconnect_on_stop", "automount_service_account_token"):
        yield from containers.switch(f"agent.{field}", getattr(settings, field))
    yield from _ca_bundle("agent.ca_cert", "SCALR_AGENT_CA_CERT", settings.ca_cert)
    yield from _ca_bundle("agent.container_task_ca_cert", "SCALR_AGENT_CONTAINER_TASK_CA_CERT", settings.container_task_ca_cert)
    yield from _service_account(agent)
    yield from _stopping(agent)
    yield from _run_pods(agent)
    yield from _placement(agent)
    yield from _privileges(agent)
    yield from _data_home(agent)
    yield from _efs(agent)
    yield from containers.security_context("securityContext", values.security_context, values.pod_security_context)
    if not reaches_metadata_service(agent):
        yield from access.metadata_service(
            "restrictMetadataService: false",
            accounts={"serviceAccount.annotations": values.service_account.annotations},
            pods={
                "podAnnotations": values.pod_annotations,
                "controllerPodAnnotations": values.controller_pod_annotations,
                "workerPodAnnotations": values.worker_pod_annotations,
                "agent.kubernetes_task_annotations": settings.kubernetes_task_annotations,
            },
            environments={"extraEnv": values.extra_env},
        )
    yield from mirrors.none_in("agent-k8s", inputs)
    yield from _labels_of_run_pods(agent)
    yield from _environment(agent)
    if inputs.agent_image is None:
        yield from containers.image("image", values.image, agent.release.line)
    yield from checks.image_reference("agent_image", inputs.agent_image)
    if settings.container_task_image:
        yield from checks.image_reference("agent.container_task_image", settings.container_task_image)
    if inputs.runner_image is not None:
        yield warning("runner_image", "has no effect: the image of run pods of agent-k8s is set in agent.container_task_image")


def _ca_bundle(path: str, variable: str, bundle: str | Deferred) -> Findings:
    """A CA bundle in a variable: in base64, or as a path in the agent's image."""
    if not isinstance(bundle, str) or not bundle or bundle.startswith("/"):
        return
    if "-----BEGIN" in bundle:
        yield error(path, "PEM, but the agent requires base64 here; give the output of base64 -w0 <file>, or a path in the agent's image")
        return
    try:
        decoded = binascii.a2b_base64("".join(bundle.split()), strict_mode=True)
    except ValueError:
        yield error(path, "neither an absolute path nor base64; give the output of base64 -w0 <file>, or a path in the agent's image")
        return
    for finding in checks.ca_bundle(path, decoded.decode(errors="replace")):
        yield replace(finding, message=f"decoded from base64: {finding.message}") if finding.severity == "error" else finding
    if len(variable) + len(bundle) + len("=\0") > _LONGEST_VARIABLE:
        yield error(
            path,
            f"{len(bundle)} characters, but Linux allows only {_LONGEST_VARIABLE} in a variable: no container would start; "
            "add the bundle to a custom agent image and give its path",
        )


def _service_account(agent: K8s) -> Findings:
    account = agent.values.service_account
    if account.name == "default":
        yield error(
            "serviceAccount.name",
            "the Role would be bound to the namespace's default account, so that every pod of the namespace could read its Secrets "
            "and start pods; set another account",
        )
    elif not account.has_role:
        yield warning(
            "serviceAccount.name",
            "empty while serviceAccount.create is false: the pods use the namespace's default account, "
            "which gets no Role; set an existing account",
        )
    yield from access.brought_account(create=account.create, annotations=account.annotations, labels=account.labels)
    if not account.automount_token:
        yield warning(
            "serviceAccount.automountToken", "the agent gets no token for the Kubernetes API and cannot start pods; set it to true"
        )


def _stopping(agent: K8s) -> Findings:
    """Kubernetes kills the remaining processes when the grace period ends, even if the agent still waits for runs."""
    settings, seconds = agent.values.agent, grace_seconds(agent.values.termination_grace_period_seconds)
    ending = settings.grace_shutdown_timeout or 0
    needed = {"drain": (settings.worker_drain_timeout or 0) + ending, "grace-shutdown": ending, "force-shutdown": 0}
    action = settings.worker_on_stop_action
    if seconds < needed[action]:
        yield warning(
            "terminationGracePeriodSeconds",
            f"{seconds} seconds, but with {action} runs may take {needed[action]} to stop: "
            "longer ones are killed and may leave state locked or lost; increase it, or reduce the agent's timeouts",
        )


def _run_pods(agent: K8s) -> Findings:
    settings = agent.values.agent
    for request, limit, path in (
        (settings.container_task_cpu_request, settings.container_task_cpu_limit, "agent.container_task_cpu_request"),
        (settings.container_task_mem_request, settings.container_task_mem_limit, "agent.container_task_mem_request"),
    ):
        if request is not None and limit is not None and request > limit:
            yield error(path, f"{request:g} is above the limit of {limit:g}: Kubernetes rejects such pods")
    if settings.container_task_image_registry and settings.container_task_image_mode == "golden":
        yield warning(
            "agent.container_task_image_registry",
            "has no effect in mode golden; set the complete reference in agent.container_task_image",
        )


def _placement(agent: K8s) -> Findings:
    if not agent.values.worker_node_selector:
        yield warning(
            "workerNodeSelector",
            "empty: a worker runs on every node of the cluster; select a node pool for runs, or use agent-job, which has no workers "
            "between runs",
        )
    for path, each in everything(agent.values.worker_tolerations, ("workerTolerations",)):
        if is_deferred(each):
            yield error(dotted(path), "must be known before deployment, because the agent gets the tolerations as a string")


def _privileges(agent: K8s) -> Findings:
    """One finding with all the privileges that make an agent of this kind dangerous to other workloads."""
    values = agent.values
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


def _data_home(agent: K8s) -> Findings:
    values = agent.values
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


def _efs(agent: K8s) -> Findings:
    values, handle = agent.values, agent.values.efs_volume_handle
    if isinstance(handle, str) and handle and not _EFS_HANDLE.fullmatch(handle):
        yield error("efsVolumeHandle", "not an EFS volume handle, for instance fs-582a03f3 or fs-582a03f3::fsap-01e050b7d9a3109d5")
    if not is_set(handle) and values.efs_mount_options != EFS_MOUNT_OPTIONS:
        yield warning("efsMountOptions", "has no effect: efsVolumeHandle is empty")


def _labels_of_run_pods(agent: K8s) -> Findings:
    values, given, ours = agent.values, agent.values.agent.kubernetes_task_labels, agent.release.selector("task")
    path = "agent.kubernetes_task_labels"
    if selects_runs(agent):
        for key in sorted(key for key in ours if given.get(key, ours[key]) != ours[key]):
            yield warning(entry(path, key), "has no effect: the NetworkPolicy uses this label, so it cannot be changed")
        for place, names in (("secret_env", agent.inputs.secret_env), ("extraEnv", values.extra_env)):
            if TASK_LABELS in names:
                yield error(
                    entry(place, TASK_LABELS),
                    f"replaces the labels by which the network policy selects run pods, so that it would not apply to them; set {path}",
                )
    elif agent.release.selector("worker").items() <= given.items():
        yield error(
            entry(path, COMPONENT),
            "makes run pods match the workers' selector, so that the DaemonSet would adopt and delete them; remove it",
        )


def _environment(agent: K8s) -> Findings:
    own, given = own_variables(agent), agent.values.extra_env
    if selects_runs(agent):
        del own[TASK_LABELS]  # an error then, see above
    fixed = {name: place for name, place in own.items() if place is None or name == "SCALR_AGENT_TOKEN"}
    yield from containers.environment("secret_env", dict.fromkeys(agent.inputs.secret_env), fixed)
    yield from containers.environment("extraEnv", given, own)
    yield from proxies.addresses("extraEnv", given)
    if any(given.get(name) for name in proxies.VARIABLES):
        yield from proxies.exceptions(entry("extraEnv", "NO_PROXY"), given.get("NO_PROXY", ""))
