"""Cross-checks of agent-local on environment variables."""

from dataclasses import replace

from scalr_agents.charts.agent_local import versions
from scalr_agents.charts.agent_local.values import AgentLocalValues
from scalr_agents.charts.shared import contract
from scalr_agents.charts.shared.checks import containers
from scalr_agents.charts.shared.inputs import Inputs
from scalr_agents.model import proxies
from scalr_agents.model.findings import Findings, entry, error, warning
from scalr_agents.model.release import Release

_RESERVED = {
    "SCALR_AGENT_NAME": "it is the pod's name",
    "SCALR_URL": "set agent.url",
    "SCALR_AGENT_DRIVER": "it is always local",
    "SCALR_AGENT_CONCURRENCY": "it is always 1; set replicaCount for more concurrent runs",
    "SCALR_AGENT_DISCONNECT_ON_STOP": "it is always 1",
    "SCALR_AGENT_WORKER_ON_STOP_ACTION": "set agent.shutdownMode",
    "SCALR_AGENT_WORKER_GRACE_SHUTDOWN_TIMEOUT": "set terminationGracePeriodSeconds, from which it is derived",
    "SCALR_AGENT_DATA_DIR": "set agent.dataDir",
    "SCALR_AGENT_TOKEN": "set agent.token, which becomes a Secret",
}
"""Variables that users cannot set, and what to do instead."""
_RESERVED_LATER = {
    "SCALR_AGENT_CA_CERT": "agent.tls.caBundle",
    "SSL_CERT_FILE": "agent.tls.caBundle",
    contract.MIRRORS_VARIABLE: "agent.providerNetworkMirrors",
}
"""The variables that have a value of their own, in versions that support it."""

_ON = ("true", "1")
_OFF = ("false", "0")
_PROVIDER_CACHE = "SCALR_AGENT_PROVIDER_CACHE_ENABLED"
_MODULE_CACHE = "SCALR_AGENT_MODULE_CACHE_ENABLED"
_SINGLE = "SCALR_AGENT_SINGLE"


def check(values: AgentLocalValues, release: Release, inputs: Inputs) -> Findings:
    """The user's variables, compared with the agent's own."""
    later = {name: f"set {path}" for name, path in _RESERVED_LATER.items() if versions.TABLE.knows(release.version, path)}
    reserved = _RESERVED | later
    secret = [name for name in inputs.secret_env if name != contract.MIRRORS_VARIABLE]  # its tokens are set there
    for path, names in (("extraEnv", list(values.extra_env)), ("secret_env", secret)):
        for name in (name for name in names if name in reserved):
            yield error(entry(path, name), f"reserved for the agent: {reserved[name]}")
    for name, place in _overridden(values).items():
        if name in values.extra_env:
            yield warning(entry("extraEnv", name), f"has no effect: {place} sets it")
    others = {name: value for name, value in values.extra_env.items() if name not in reserved}
    for finding in containers.environment("extraEnv", others, {}):
        yield replace(finding, severity="warning")  # the chart accepts any value here
    yield from proxies.addresses("extraEnv", values.extra_env)
    yield from _single(values)


def _overridden(values: AgentLocalValues) -> dict[str, str]:
    """Variables that users may set but ours override, and the values that set ours."""
    tls = values.agent.tls
    drains = values.agent.shutdown_mode == "drain"
    return {
        "SCALR_AGENT_CACHE_DIR": "agent.cacheDir",
        **({"SCALR_AGENT_WORKER_DRAIN_TIMEOUT": "terminationGracePeriodSeconds"} if drains else {}),
        **(dict.fromkeys(("SCALR_AGENT_TLS_CERT_FILE", "SCALR_AGENT_TLS_KEY_FILE"), "agent.tls") if tls.has_certificate else {}),
    }


def _single(values: AgentLocalValues) -> Findings:
    """A container per run isolates runs, which a shared writable cache defeats."""
    given = {name: value.lower() for name, value in values.extra_env.items()}
    kept = [
        *([_PROVIDER_CACHE] if given.get(_PROVIDER_CACHE) not in _OFF else []),
        *([_MODULE_CACHE] if given.get(_MODULE_CACHE) in _ON else []),
    ]
    if given.get(_SINGLE) in _ON and kept:
        yield warning(
            entry("extraEnv", _SINGLE),
            "every run gets a new container, but runs share the cache, where a run can change what later runs use; "
            f'set {" and ".join(kept)} to "false"',
        )
