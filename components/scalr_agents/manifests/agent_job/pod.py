"""What the controller's pod and the task's pod have in common."""

from scalr_agents import contract
from scalr_agents.manifests import env, images, secrets, volumes
from scalr_agents.manifests.objects import Manifest
from scalr_agents.release import Release
from scalr_agents.values.agent_job import AgentJobValues
from scalr_agents.values.agent_job.agent import Agent
from scalr_agents.values.fields import Deferred
from scalr_agents.values.inputs import Inputs

AGENT_COMMAND = ["python", "-m", "tacoagent.cmd"]
_KUBERNETES_GRACE_SECONDS = 30


def agent_image(values: AgentJobValues, release: Release, inputs: Inputs) -> str | Deferred:
    return images.reference(values.global_.image_registry, values.agent.image, release.version, inputs.agent_image)


def grace_seconds(given: int | None) -> int:
    """How long Kubernetes waits before it kills a pod."""
    return _KUBERNETES_GRACE_SECONDS if given is None else given


def connection(values: AgentJobValues, release: Release) -> env.Env:
    """Where the agent connects to, and as whom."""
    secret, key = secrets.token_reference(values.agent.token_existing_secret, release.names.token_secret)
    return env.variables({"SCALR_URL": values.agent.url}) + env.from_secret("SCALR_AGENT_TOKEN", secret, key)


def process(agent: Agent) -> dict[str, str]:
    """How an agent process logs and where it keeps things."""
    return {
        "SCALR_AGENT_DEBUG": agent.debug,
        "SCALR_AGENT_LOG_FORMAT": agent.log_format,
        "SCALR_AGENT_DATA_DIR": agent.data_dir,
        "SCALR_AGENT_CACHE_DIR": agent.cache_dir,
    }


def secret_environment(release: Release, inputs: Inputs, *, runs: bool = False) -> env.Env:
    """Variables out of our own Secret. Runs do not get those that configure the agent."""
    names = sorted(name for name in inputs.secret_env if not (runs and name.startswith(contract.SCALR_PREFIX)))
    return [variable for name in names for variable in env.from_secret(name, release.names.env_secret, name)]


def held(values: AgentJobValues, inputs: Inputs) -> secrets.Held:
    """What the Secrets of a release hold."""
    return {
        "token": secrets.token(values.agent.token, values.agent.token_existing_secret.name),
        "env": secrets.environment(inputs),
        "ca-bundle": secrets.ca_bundle(values.global_.tls),
    }


def ca_bundle_secret(values: AgentJobValues, release: Release) -> str | Deferred | None:
    return secrets.ca_bundle_reference(values.global_.tls, release.names.ca_bundle_secret)


def ca_bundle_environment(values: AgentJobValues, release: Release) -> env.Env:
    return env.ca_bundle() if ca_bundle_secret(values, release) is not None else []


def ca_bundle_volume(values: AgentJobValues, release: Release) -> list[Manifest]:
    return volumes.ca_bundle(ca_bundle_secret(values, release), values.global_.tls.ca_bundle_secret.key)


def ca_bundle_mount(values: AgentJobValues, release: Release) -> list[Manifest]:
    return volumes.ca_bundle_mount(ca_bundle_secret(values, release), values.global_.tls.ca_bundle_secret.key)
