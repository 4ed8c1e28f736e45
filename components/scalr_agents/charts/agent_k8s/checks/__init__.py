"""Cross-checks of agent-k8s: values that are valid one by one but cannot work together, are unsafe, or work differently than expected."""

from collections.abc import Callable
from itertools import chain

from scalr_agents.charts.agent_k8s.checks import certificates, nodes
from scalr_agents.charts.agent_k8s.manifests import K8s
from scalr_agents.charts.agent_k8s.manifests.environment import TASK_LABELS, of_release, selects_runs
from scalr_agents.charts.agent_k8s.manifests.policies import reaches_metadata_service
from scalr_agents.charts.agent_k8s.values import AgentK8sValues
from scalr_agents.charts.shared.checks import access, containers, mirrors
from scalr_agents.charts.shared.inputs import Inputs
from scalr_agents.charts.shared.values import grace_seconds
from scalr_agents.model import checks, proxies
from scalr_agents.model.findings import Findings, entry, error, warning
from scalr_agents.model.release import COMPONENT, Release

_GOLDEN = "golden"


def check(agent: K8s) -> Findings:
    """All findings of the second pass, on valid values."""
    values, release, inputs = agent.values, agent.release, agent.inputs
    if inputs.token_needed:
        yield from checks.token("agent.token", values.agent.token, "agent.tokenExistingSecret", values.agent.token_existing_secret)
    rules: tuple[Callable[[AgentK8sValues], Findings], ...] = (
        _agent,
        _service_account,
        _stopping,
        _run_pods,
        nodes.check,
        _containers,
    )
    yield from chain.from_iterable(rule(values) for rule in rules)
    yield from _metadata_service(values, inputs)
    yield from mirrors.none_in("agent-k8s", inputs)
    yield from _labels_of_run_pods(values, release, inputs)
    yield from _environment(values, release, inputs)
    yield from _images(values, release, inputs)


def _agent(values: AgentK8sValues) -> Findings:
    agent = values.agent
    yield from checks.url("agent.url", agent.url)
    yield from containers.switch("agent.debug", agent.debug)
    yield from containers.switch("agent.disconnect_on_stop", agent.disconnect_on_stop)
    yield from containers.switch("agent.automount_service_account_token", agent.automount_service_account_token)
    yield from certificates.check("agent.ca_cert", "SCALR_AGENT_CA_CERT", agent.ca_cert)
    yield from certificates.check("agent.container_task_ca_cert", "SCALR_AGENT_CONTAINER_TASK_CA_CERT", agent.container_task_ca_cert)


def _service_account(values: AgentK8sValues) -> Findings:
    account = values.service_account
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


def _stopping(values: AgentK8sValues) -> Findings:
    """Kubernetes kills the remaining processes when the grace period ends, even if the agent still waits for runs."""
    agent, seconds = values.agent, grace_seconds(values.termination_grace_period_seconds)
    ending = agent.grace_shutdown_timeout or 0
    needed = {"drain": (agent.worker_drain_timeout or 0) + ending, "grace-shutdown": ending, "force-shutdown": 0}
    if seconds < needed[agent.worker_on_stop_action]:
        yield warning(
            "terminationGracePeriodSeconds",
            f"{seconds} seconds, but with {agent.worker_on_stop_action} runs may take {needed[agent.worker_on_stop_action]} to stop: "
            "longer ones are killed and may leave state locked or lost; increase it, or reduce the agent's timeouts",
        )


def _run_pods(values: AgentK8sValues) -> Findings:
    agent = values.agent
    for request, limit, path in (
        (agent.container_task_cpu_request, agent.container_task_cpu_limit, "agent.container_task_cpu_request"),
        (agent.container_task_mem_request, agent.container_task_mem_limit, "agent.container_task_mem_request"),
    ):
        if request is not None and limit is not None and request > limit:
            yield error(path, f"{request:g} is above the limit of {limit:g}: Kubernetes rejects such pods")
    if agent.container_task_image_registry and agent.container_task_image_mode == _GOLDEN:
        yield warning(
            "agent.container_task_image_registry",
            "has no effect in mode golden; set the complete reference in agent.container_task_image",
        )


def _labels_of_run_pods(values: AgentK8sValues, release: Release, inputs: Inputs) -> Findings:
    given, ours = values.agent.kubernetes_task_labels, release.selector("task")
    path = "agent.kubernetes_task_labels"
    if selects_runs(values, inputs):
        for key in sorted(key for key in ours if given.get(key, ours[key]) != ours[key]):
            yield warning(entry(path, key), "has no effect: the NetworkPolicy uses this label, so it cannot be changed")
        for place, names in (("secret_env", inputs.secret_env), ("extraEnv", values.extra_env)):
            if TASK_LABELS in names:
                yield error(
                    entry(place, TASK_LABELS),
                    f"replaces the labels by which the network policy selects run pods, so that it would not apply to them; set {path}",
                )
    elif release.selector("worker").items() <= given.items():
        yield error(
            entry(path, COMPONENT),
            "makes run pods match the workers' selector, so that the DaemonSet would adopt and delete them; remove it",
        )


def _containers(values: AgentK8sValues) -> Findings:
    yield from containers.security_context("securityContext", values.security_context, values.pod_security_context)


def _metadata_service(values: AgentK8sValues, inputs: Inputs) -> Findings:
    if not reaches_metadata_service(values, inputs):
        yield from access.metadata_service(
            "restrictMetadataService: false",
            accounts={"serviceAccount.annotations": values.service_account.annotations},
            pods={
                "podAnnotations": values.pod_annotations,
                "controllerPodAnnotations": values.controller_pod_annotations,
                "workerPodAnnotations": values.worker_pod_annotations,
                "agent.kubernetes_task_annotations": values.agent.kubernetes_task_annotations,
            },
            environments={"extraEnv": values.extra_env},
        )


def _environment(values: AgentK8sValues, release: Release, inputs: Inputs) -> Findings:
    own, given = of_release(release), values.extra_env
    if selects_runs(values, inputs):
        del own[TASK_LABELS]  # an error then, see above
    fixed = {name: place for name, place in own.items() if place is None or name == "SCALR_AGENT_TOKEN"}
    yield from containers.environment("secret_env", dict.fromkeys(inputs.secret_env), fixed)
    yield from containers.environment("extraEnv", given, own)
    yield from proxies.addresses("extraEnv", given)
    if any(given.get(name) for name in proxies.VARIABLES):
        yield from proxies.exceptions(entry("extraEnv", "NO_PROXY"), given.get("NO_PROXY", ""))


def _images(values: AgentK8sValues, release: Release, inputs: Inputs) -> Findings:
    if inputs.agent_image is None:
        yield from containers.image("image", values.image, release.line)
    yield from checks.image_reference("agent_image", inputs.agent_image)
    if values.agent.container_task_image:
        yield from checks.image_reference("agent.container_task_image", values.agent.container_task_image)
    if inputs.runner_image is not None:
        yield warning("runner_image", "has no effect: the image of run pods of agent-k8s is set in agent.container_task_image")
