"""The objects of an agent-local, for tests."""

from collections.abc import Mapping
from typing import Any

from scalr_agents.charts.shared.inputs import Inputs
from scalr_agents.model.maps import merge

from tests.helpers import changes as between
from tests.helpers.validated import by_role

VERSIONS = {"legacy": "0.59.0", "current": "1.4.0"}
MINIMUM = {"agent": {"token": "s3cr3t-token", "url": "https://acme.scalr.io"}}
CERTIFICATE = "-----BEGIN CERTIFICATE-----\nMAMCAQE=\n-----END CERTIFICATE-----\n"
"""DER of a name alone: enough for what the check reads."""
KEY = "-----BEGIN PRIVATE KEY-----\nMAMCAQE=\n-----END PRIVATE KEY-----\n"
NAMES_AND_IDENTITY: list[dict[str, Any]] = [
    {
        "to": [{"namespaceSelector": {}}, {"ipBlock": {"cidr": "169.254.0.0/16"}}],
        "ports": [{"protocol": "UDP", "port": 53}, {"protocol": "TCP", "port": 53}],
    },
    {"to": [{"ipBlock": {"cidr": "169.254.170.23/32"}}], "ports": [{"protocol": "TCP", "port": 80}]},
]
"""The rules of every policy for DNS and EKS Pod Identity."""
EVERYWHERE = [
    {"ipBlock": {"cidr": "0.0.0.0/0", "except": ["169.254.0.0/16", "168.63.129.16/32", "100.100.100.200/32", "100.96.0.96/32"]}},
    {"ipBlock": {"cidr": "::/0", "except": ["fd00:ec2::254/128", "fd20:ce::254/128", "fd00:c1::a9fe:a9fe/128", "fd00:42::42/128"]}},
]
"""All addresses but those of metadata services."""
_POD = "controller pod: "
FULL: dict[str, Any] = merge(
    MINIMUM,
    {
        "allowMetadataService": False,
        "agent": {
            "tls": {"caBundle": CERTIFICATE, "clientCert": CERTIFICATE, "clientKey": KEY},
            "providerNetworkMirrors": [{"url": "https://mirror.acme.example/", "token": "m1rr0r-token"}],
        },
        "persistence": {"data": {"enabled": True}, "cache": {"enabled": True}},
        "serviceAccount": {"create": True},
        "strategy": {"type": "Recreate"},
    },
)
"""Values with which everything is made that can be."""


def objects(
    given: Mapping[str, Any], inputs: Inputs | None = None, *, line: str = "current", naming: Any = "scoped", digest: str = ""
) -> dict[str, dict[str, Any]]:
    """All objects of a release `vcs` in namespace `scalr`, by role."""
    return by_role("agent-local", given, release="vcs", agent_version=VERSIONS[line], naming=naming, inputs=inputs, digest=digest)


def changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Any]:
    """What differs, by path; paths into the pod and its container are short."""
    found = between.changes(before, after)
    return {path.replace(_POD, "pod: ").replace("pod: spec.containers[agent-local].", "agent: "): value for path, value in found.items()}
