"""Errors and warnings about machines, with their paths in the stack file."""

from base64 import b64encode
from hashlib import sha256
from typing import Any

import pytest
from scalr_agents import stack
from scalr_agents.machines import gcp

from tests.helpers.machines import CA, EC2, GCE, URL, load


def findings_of(entry: dict[str, Any], common: dict[str, Any] | None = None, **words: Any) -> list[str]:
    """The findings, without the namespace of the keys."""
    return [str(finding).replace("scalr-agents:", "") for finding in load(entry, common, **words).findings]


def test_certificates_that_do_not_fit_into_the_secret_are_an_error(tmp_path: Any) -> None:
    noise = b"".join(sha256(number.to_bytes(2, "big")).digest() for number in range(500))
    sequence = b64encode(b"\x30\x82" + len(noise).to_bytes(2, "big") + noise).decode()  # as DER begins
    (tmp_path / "ca.pem").write_text(3 * f"-----BEGIN CERTIFICATE-----\n{sequence}\n-----END CERTIFICATE-----\n")
    content = {"common": {"url": URL, "ca": {"file": "ca.pem"}}, "machines": {"it": {"ec2": EC2}}, "secrets": {"it": {"token": "t"}}}
    assert [finding.message[:53] for finding in stack.load(content, directory=tmp_path).findings] == [
        "the certificates of ca do not fit into EC2's user dat",
        "contains no public root certificate, and it replaces ",
    ]
    content["machines"] = {"it": {"gce": GCE}}
    assert [finding.path for finding in stack.load(content, directory=tmp_path).findings] == ["scalr-agents:common.ca"]


def test_a_proxy_must_not_inspect_connections_that_deliver_certificates() -> None:
    ca, proxy = {"file": CA}, {"https": "http://proxy.acme:3128"}
    passed = "let the proxy pass connections to secretsmanager.<region>.amazonaws.com through without inspecting them"
    for settings, common, expected in (
        ({"ec2": EC2}, {"ca": ca, "proxy": proxy}, 1),
        ({"ec2": EC2}, {"ca": ca, "proxy": {**proxy, "except": ["amazonaws.com"]}}, 0),
        ({"ec2": EC2, "caScope": "tasks"}, {"ca": ca, "proxy": proxy}, 0),
        ({"gce": GCE}, {"ca": ca, "proxy": proxy}, 0),
    ):
        assert str(findings_of(settings, common)).count(passed) == expected


def test_user_data_without_certificates_has_a_limit_on_aws() -> None:
    env = {"env": {"TF_VAR_long": "x" * 4000}}
    (finding,) = findings_of({"ec2": EC2, **env})
    assert finding.startswith("error: machines.it: its user data may have 16")
    assert "move long variables from env to the machine's secrets" in finding
    assert findings_of({"gce": GCE, **env}) == []


@pytest.mark.parametrize(
    ("kind", "architecture", "disk"),
    [
        ("e2-standard-2", "x86_64", "pd-balanced"),
        ("custom-2-5120", "x86_64", "pd-balanced"),
        ("n4-custom-4-8192", "x86_64", "hyperdisk-balanced"),
        ("n4d-standard-4", "x86_64", "hyperdisk-balanced"),
        ("n4a-standard-4", "arm64", "hyperdisk-balanced"),
        ("c4a-highcpu-4", "arm64", "hyperdisk-balanced"),
        ("t2a-standard-2", "arm64", "pd-balanced"),
        ("z9", "x86_64", "pd-balanced"),
    ],
)
def test_image_and_disk_of_machine_types(kind: str, architecture: str, disk: str) -> None:
    assert gcp.default_image(kind).endswith("-arm64") == (architecture == "arm64")
    assert gcp.disk_type(kind) == disk
