"""Addresses of proxies and other servers among the values of agent-job."""

from typing import Any

import pytest
from scalr_agents.model.findings import errors
from scalr_agents.model.merge import merge

from tests.helpers.agent_job import MINIMUM
from tests.helpers.validated import validate

NO_ADDRESSES = (
    "http://[fd00::1:3128",
    "http://me:pa55w0rd@pro xy.acme",
    "http://pro\txy.acme",
    "http://pro%xy.acme",
    "http://k\u00f6lner.acme",
    "http://proxy.acme:port",
    "http://proxy.acme:0",
    "http://proxy..acme",
    "http://",
    "<proxy>",
)


def _errors(given: dict[str, Any]) -> list[str]:
    return [str(finding) for finding in errors(validate("agent-job", merge(MINIMUM, given), agent_version="1.4.0").findings)]


@pytest.mark.parametrize("url", NO_ADDRESSES)
def test_invalid_server_addresses_are_errors(url: str) -> None:
    given = {
        "global": {"proxy": {"enabled": True, "httpProxy": url, "httpsProxy": url}},
        "otel": {"enabled": True, "endpoint": url},
        "agent": {
            "sentryDsn": url,
            "extraEnv": {"HTTPS_PROXY": url, "SCALR_AGENT_OTLP_ENDPOINT": url},
            "controller": {"extraEnv": [{"name": "HTTP_PROXY", "value": url}]},
        },
        "task": {"worker": {"extraEnv": {"HTTPS_PROXY": url}}, "runner": {"extraEnv": {"https_proxy": url}}},
    }
    found = _errors(given)
    assert all("not a URL with a valid host and port, for instance http" in line for line in found)
    assert [line.split(": ")[1] for line in found] == [
        "global.proxy.httpProxy",
        "global.proxy.httpsProxy",
        "agent.sentryDsn",
        "otel.endpoint",
        "agent.extraEnv.HTTPS_PROXY",
        "agent.extraEnv.SCALR_AGENT_OTLP_ENDPOINT",
        "agent.controller.extraEnv.HTTP_PROXY",
        "task.worker.extraEnv.HTTPS_PROXY",
        "task.runner.extraEnv.https_proxy",
    ]
    assert "pa55w0rd" not in str(found)
    disabled = {"global": {"proxy": {"httpsProxy": url}}, "otel": {"endpoint": url}}
    assert _errors(disabled) == []
