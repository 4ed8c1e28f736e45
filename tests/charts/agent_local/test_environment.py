"""Variables that only the agent itself may have: refused, with what to do instead."""

import pytest
from scalr_agents.charts.shared.inputs import Inputs
from scalr_agents.model.merge import merge

from tests.helpers.agent_local import MINIMUM, VERSIONS
from tests.helpers.validated import validate

RESERVED = [
    ("SCALR_AGENT_NAME", "it is the pod's name"),
    ("SCALR_URL", "set agent.url"),
    ("SCALR_AGENT_DRIVER", "it is always local"),
    ("SCALR_AGENT_CONCURRENCY", "it is always 1; set replicaCount"),
    ("SCALR_AGENT_DISCONNECT_ON_STOP", "it is always 1"),
    ("SCALR_AGENT_WORKER_ON_STOP_ACTION", "set agent.shutdownMode"),
    ("SCALR_AGENT_WORKER_GRACE_SHUTDOWN_TIMEOUT", "set terminationGracePeriodSeconds"),
    ("SCALR_AGENT_DATA_DIR", "set agent.dataDir"),
    ("SCALR_AGENT_TOKEN", "set agent.token"),
]
RESERVED_LATER = [
    ("SCALR_AGENT_CA_CERT", "set agent.tls.caBundle"),
    ("SSL_CERT_FILE", "set agent.tls.caBundle"),
    ("SCALR_AGENT_PROVIDER_NETWORK_MIRRORS", "set agent.providerNetworkMirrors"),
]


def _findings(extra: dict[str, str], line: str, secret: dict[str, str] | None = None) -> dict[str, tuple[str, str]]:
    checked = validate(
        "agent-local",
        merge(MINIMUM, {"extraEnv": extra}),
        release="vcs",
        namespace="scalr",
        agent_version=VERSIONS[line],
        inputs=Inputs(secret_env=secret or {}),
    )
    return {finding.path: (finding.severity, finding.message) for finding in checked.findings}


@pytest.mark.parametrize("line", ["legacy", "current"])
@pytest.mark.parametrize(("name", "instead"), RESERVED)
def test_reserved_variables(name: str, instead: str, line: str) -> None:
    message = f"reserved for the agent: {instead}"
    for path, found in (
        (f"extraEnv.{name}", _findings({name: "s3cr3t"}, line)),
        (f"secret_env.{name}", _findings({}, line, {name: "s3cr3t"})),
    ):
        severity, full_message = found[path]
        assert (severity, full_message[: len(message)]) == ("error", message)


@pytest.mark.parametrize(("name", "instead"), RESERVED_LATER)
def test_variables_reserved_only_on_the_current_line(name: str, instead: str) -> None:
    assert _findings({name: "/x"}, "current")[f"extraEnv.{name}"] == ("error", f"reserved for the agent: {instead}")
    assert _findings({name: "/x"}, "legacy") == {}


def test_mirrors_may_be_a_secret_variable() -> None:
    assert _findings({}, "current", {"SCALR_AGENT_PROVIDER_NETWORK_MIRRORS": "[]"}) == {}
