"""The agent's environment variables on a machine, which depend on the agent's version."""

from scalr_agents.machines import Machine, versions
from scalr_agents.model import quantities
from scalr_agents.model.checks import CERTIFICATE
from scalr_agents.model.release import NEWEST

DATA_DIR = "/var/lib/scalr-agent"
"""The same path on the host and in the agent's container, because its tasks are containers of the same Docker daemon."""
CA_FILE = "/etc/scalr-agent/ca.pem"
CERTIFICATES = "ca-certificates"
"""Key of the certificates in the machine's secret. Programs on earlier machines pass it to the agent as a variable, without effect."""
GRACE_SECONDS = 60
"""Time after the drain in which the agent stops runs that are still active."""
VCS_STOP_SECONDS = 30
_ALWAYS_DIRECT = ("localhost", "127.0.0.1", "169.254.169.254", "metadata.google.internal")
"""The machine itself, and the metadata services of both clouds."""


def token_name(machine: Machine) -> str:
    """Name of the variable with the agent's token."""
    new, old = versions.TOKEN_NAMES
    return new if versions.NEW_NAMES.has(machine.agent.agent_version) else old


def certificates(machine: Machine) -> str:
    """The certificates in the machine's secret, without headers and line breaks. Empty if they are in its user data."""
    bundle = machine.shared.ca_bundle if machine.fetches_certificates else ""
    return ",".join("".join(block.split()) for block in CERTIFICATE.findall(bundle))


def variables(machine: Machine) -> dict[str, str]:
    """The agent's variables without secrets, with the names of its version. Those of the user take precedence."""
    return derived(machine) | {name: str(value) for name, value in machine.agent.env.items()}


def derived(machine: Machine) -> dict[str, str]:
    """The variables that are derived from other settings."""
    given = _all(machine)
    if versions.NEW_NAMES.has(machine.agent.agent_version):
        return given
    return {versions.OLD_NAMES.get(name, name): value for name, value in given.items() if name not in versions.ONLY_NEW}


def _all(machine: Machine) -> dict[str, str]:
    agent, shared = machine.agent, machine.shared
    given: dict[str, str] = {"SCALR_URL": shared.url} if shared.url else {}
    if machine.serves_runs:
        given |= {
            "SCALR_AGENT_DATA_DIR": DATA_DIR,
            "SCALR_AGENT_CONCURRENCY": str(agent.concurrency),
            "SCALR_AGENT_CONTAINER_TASK_MEM_LIMIT": str(quantities.megabytes(agent.memory_per_run)),
            "SCALR_AGENT_WORKER_ON_STOP_ACTION": "drain",
            "SCALR_AGENT_WORKER_DRAIN_TIMEOUT": str(agent.drain_seconds),
            "SCALR_AGENT_WORKER_GRACE_SHUTDOWN_TIMEOUT": str(GRACE_SECONDS),
        }
        if agent.task_image and versions.TASK_IMAGE.has(agent.agent_version):
            given["SCALR_AGENT_CONTAINER_TASK_IMAGE"] = agent.task_image
    if shared.ca_bundle:
        given["SCALR_AGENT_CA_CERT" if agent.ca_scope == "global" else "SCALR_AGENT_CONTAINER_TASK_CA_CERT"] = CA_FILE
    if shared.otel_endpoint:
        switches = {"SCALR_AGENT_OTLP_METRICS_ENABLED": shared.otel_metrics, "SCALR_AGENT_OTLP_TRACES_ENABLED": shared.otel_traces}
        given |= {"SCALR_AGENT_OTLP_ENDPOINT": shared.otel_endpoint} | {name: "true" for name, on in switches.items() if on}
    return given | proxy(machine)


def proxy(machine: Machine) -> dict[str, str]:
    """The variables of the proxy, for the agent, Docker and the scripts on the machine."""
    shared = machine.shared
    given = {"HTTP_PROXY": shared.http_proxy, "HTTPS_PROXY": shared.https_proxy}
    urls = {name: url for name, url in given.items() if url}
    return urls | {"NO_PROXY": ",".join(dict.fromkeys([*_ALWAYS_DIRECT, *shared.no_proxy]))} if urls else {}


def stop_seconds(machine: Machine) -> int:
    """Maximum time that the agent's container may take to stop."""
    return machine.agent.drain_seconds + GRACE_SECONDS if machine.serves_runs else VCS_STOP_SECONDS


def image(machine: Machine) -> str:
    """The agent's image."""
    agent, registry = machine.agent, machine.shared.image_registry
    return agent.image or f"{registry}/".lstrip("/") + f"scalr/agent:{agent.agent_version or NEWEST}"
