"""What the pods of an agent have in common."""

from scalr_agents.charts.agent_job.manifests import environment as dialect
from scalr_agents.charts.agent_job.values import AgentJobValues
from scalr_agents.charts.agent_job.values.agent import Agent
from scalr_agents.charts.shared import contract
from scalr_agents.charts.shared.inputs import Inputs
from scalr_agents.charts.shared.manifests import environment as env
from scalr_agents.charts.shared.manifests import images, secrets, volumes
from scalr_agents.charts.shared.manifests.objects import Manifest, present
from scalr_agents.charts.shared.values import Image
from scalr_agents.model import variables
from scalr_agents.model.fields import Deferred
from scalr_agents.model.release import Release


def agent_image(values: AgentJobValues, release: Release, inputs: Inputs) -> str | Deferred:
    return image(values, values.agent.image, release, inputs.agent_image)


def image(values: AgentJobValues, given: Image, release: Release, complete: str | Deferred | None) -> str | Deferred:
    global_ = values.global_
    return images.reference(global_.image_registry, given, release.version, complete, namespace=global_.image_namespace)


def image_of_worker(values: AgentJobValues) -> Image:
    """The worker's image, with empty fields taken from the controller's."""
    return images.inherited(values.task.worker.image, values.agent.image)


def worker_image(values: AgentJobValues, release: Release, inputs: Inputs) -> str | Deferred:
    return image(values, image_of_worker(values), release, inputs.agent_image)


def runner_image(values: AgentJobValues, release: Release, inputs: Inputs) -> str | Deferred:
    return image(values, values.task.runner.image, release, inputs.runner_image)


def beside_tasks(values: AgentJobValues, release: Release, component: str, spec: Manifest) -> Manifest:
    """The template of idle pods on the nodes of tasks: they have no token, and stop within a second.

    With a grace period of zero, the API server deletes a pod before its node does, and the node may reject the next pod for lack of room.
    """
    task, global_ = values.task, values.global_
    labels = {**global_.labels, **global_.pod_labels, **release.selector(component)}
    return {
        "metadata": present({"annotations": global_.pod_annotations, "labels": labels}),
        "spec": present(
            {
                "imagePullSecrets": global_.image_pull_secrets,
                "serviceAccountName": release.names.service_account,
                "automountServiceAccountToken": False,
                "terminationGracePeriodSeconds": 1,
                **spec,
                "nodeSelector": task.node_selector,
                "tolerations": task.tolerations,
                "affinity": task.affinity,
            }
        ),
    }


def connection(values: AgentJobValues, release: Release) -> env.Env:
    """The address and the token with which the agent connects."""
    secret, key = secrets.token_reference(values.agent.token_existing_secret, release.names.token_secret)
    return env.variables(variables.of(values.agent, "url")) + env.from_secret("SCALR_AGENT_TOKEN", secret, key)


def process(agent: Agent) -> dict[str, str]:
    """Logging and directories of an agent process."""
    return variables.of(agent, "debug", "log_format", "data_dir", "cache_dir")


def secret_environment(values: AgentJobValues, release: Release, inputs: Inputs, *, runs: bool = False) -> env.Env:
    """Variables from our own Secret. Runs do not get those that configure the agent."""
    names = [name for name in secret_variables(values, inputs) if not (runs and name.startswith(contract.SCALR_PREFIX))]
    return env.out_of_secret(names, release.names.env_secret)


def secret_variables(values: AgentJobValues, inputs: Inputs) -> dict[str, str | Deferred]:
    """The user's secret variables, and the list of mirrors if one of them has a token."""
    return secrets.environment(inputs, values.agent.provider_network_mirrors)


def held(values: AgentJobValues, inputs: Inputs) -> secrets.Held:
    """Contents of the Secrets of a release."""
    return {
        "token": secrets.token(values.agent.token, values.agent.token_existing_secret.name),
        "env": secret_variables(values, inputs),
        "ca-bundle": secrets.ca_bundle(values.global_.tls),
        "client-cert": secrets.client_cert(values.global_.tls),
    }


def pod_info_volume(release: Release) -> list[Manifest]:
    return [volumes.pod_info()] if dialect.of(release).pod_info else []


def pod_info_mount(release: Release) -> list[Manifest]:
    directory = dialect.of(release).pod_info
    return [volumes.mount(contract.POD_INFO_VOLUME, directory)] if directory else []
