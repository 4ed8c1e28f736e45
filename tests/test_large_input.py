"""Input that is too large or has an unusual type: one clear finding on every input path.

It is so large that quadratic work would take minutes.
"""

import base64
from itertools import product
from pathlib import Path
from typing import Any

import pulumi
import pytest
from scalr_agents import charts, output, stack
from scalr_agents.model import findings, secret_patterns, yaml_io

from tests.helpers.agent_job import CURRENT
from tests.helpers.agent_local import CERTIFICATE, KEY
from tests.helpers.components import record
from tests.helpers.programs import ARGS
from tests.helpers.ways import WAYS, in_a_program, in_values

CERTIFICATES = "-----BEGIN CERTIFICATE-----\n"
CPU = "agent.resources.limits.cpu"
STORAGE = "persistence.cache.persistentVolumeClaim.storage"
LONGEST_MESSAGE = 400

every_way = pytest.mark.parametrize("way", WAYS)


def errors(messages: str) -> list[str]:
    assert all(len(line) < LONGEST_MESSAGE for line in messages.splitlines()), max(map(len, messages.splitlines()))
    return [line.strip() for line in messages.splitlines() if " error: " in f" {line}"]


@every_way
@pytest.mark.parametrize(
    ("path", "given", "message"),
    [
        (CPU, f"{'9' * 250_000}x", "not a Kubernetes quantity"),
        (STORAGE, f"{'9' * 250_000}x", "not a Kubernetes quantity"),
        (STORAGE, f"{'9' * 250_000}", "not a Kubernetes quantity"),
        ("agent.replicaCount", "9" * 5000, "expected a whole number, given a string; write it without quotes"),
        ("agent.replicaCount", 10**60, "input should be less than or equal to 2147483647; given a number with more than 40 digits"),
        ("agent.extraEnv.A", 10**60, "a number that is too large; quote it"),
        ("global.tls.caBundle", CERTIFICATES * 8_000, "not PEM"),
        ("global.tls.caBundle", f"{CERTIFICATES * 8_000}-----END CERTIFICATE-----", "not PEM"),
        ("global.tls", {"clientCert": CERTIFICATES * 8_000, "clientKey": KEY}, "not PEM"),
        ("agent.url", f"http://{'a-' * 100_000}", "not a URL"),
        ("agent.image.repository", f"{'a:1/' * 100_000}!", "not an image repository"),
        ("agent.providerNetworkMirrors", [{"url": f"m{number}"} for number in range(400)], "not a URL"),
    ],
    ids=lambda given: given if isinstance(given, str) and len(given) < 60 else "",
)
def test_too_large_input_is_one_finding(way: str, path: str, given: Any, message: str, tmp_path: Path) -> None:
    found = [line for line in errors(WAYS[way](path, given, tmp_path)) if "in plain text; remove it" not in line]
    assert len(found) == (400 if isinstance(given, list) else 1)
    assert all(path in line and message in line for line in found)


@every_way
@pytest.mark.parametrize(
    ("url", "found"),
    [(f"http://{'a:' * 125_000}", 1), (f"//{'a:b' * 80_000}", 1), ("http://a" * 30_000, 0), (f"https://{'$(' * 125_000}", 1)],
    ids=["colons", "ports", "paths", "references"],
)
def test_a_long_address_of_a_proxy_is_read_once(way: str, url: str, found: int, tmp_path: Path) -> None:
    settings = {"enabled": True, "httpProxy": url, "noProxy": "10.0.0.0/8"}
    lines = errors(WAYS[way]("global.proxy", settings, tmp_path))
    assert ["global.proxy.httpProxy: not a URL with a valid host and port" in line for line in lines] == [True] * found


@pytest.mark.parametrize("way", [in_values, in_a_program])
@pytest.mark.parametrize(
    ("path", "given", "message"),
    [
        ("agent.replicaCount", 10**5000, "input should be less than or equal to"),
        ("global.podSecurityContext.runAsUser", 10**5000, "too large for Kubernetes"),
        ("agent.extraEnv.A", -(10**5000), "a number that is too large"),
        (CPU, 10**5000, "not a Kubernetes quantity"),
        (STORAGE, 10**5000, "not a Kubernetes quantity"),
        ("agent.image.tag", 10**5000, "a number; quote it"),
        ("agent.annotations.a", 10**5000, "expected a string, given a number with more than 40 digits"),
        ("agent.extraEnv.A", b"text", "expected a string, given an object (bytes)"),
        ("agent.url", b"text", "expected a string, given an object (bytes)"),
        ("global.podAnnotations.a", b"text", "expected a string, given an object (bytes)"),
        ("task.sidecars", [{"name": "s", "image": b"text"}], "expected a string, given an object (bytes)"),
    ],
    ids=lambda given: given if isinstance(given, str) else "",
)
def test_too_large_arguments_are_one_finding(way: Any, path: str, given: Any, message: str, tmp_path: Path) -> None:
    (found,) = errors(way(path, given, tmp_path))
    assert path in found
    assert message in found


@pytest.mark.parametrize(
    ("component", "word"), [*product(["AgentJob", "AgentLocal"], ["token", "secret_env", "mirror_tokens"]), ("AgentK8s", "token")]
)
@pytest.mark.parametrize("token", [1234567, b"1234567", ["1234567"], {"token": "1234567"}], ids=str)
def test_a_secret_output_must_be_a_string(component: str, token: object, word: str) -> None:
    def args() -> dict[str, Any]:
        mirrors = {"agent": {"providerNetworkMirrors": [{"url": "https://a.acme/"}]}} if word == "mirror_tokens" else {}
        secret: Any = pulumi.Output.secret(token)
        given = {"token": secret} if word == "token" else {word: {"A" if word == "secret_env" else "a.acme": secret}}
        return {**ARGS, "token": "x", "agent_version": CURRENT, "values": mirrors, **given}

    with pytest.raises(pulumi.RunError, match=r" cannot be deployed: .*not a string.*: ") as caught:
        record(component, args)
    assert "1234567" not in str(caught.value)


def test_a_private_key_without_an_end_is_one_finding() -> None:
    given = {"clientCert": CERTIFICATE, "clientKey": "-----BEGIN PRIVATE KEY-----\n" * 100_000}
    assert [line.partition(": not PEM")[0] for line in errors(in_values("global.tls", given, Path()))] == ["error: global.tls.clientKey"]


def test_certificates_in_base64_without_an_end_are_one_finding() -> None:
    encoded = base64.b64encode(CERTIFICATES.encode() * 20_000).decode()
    given = {"agent": {"token": "x", "ca_cert": encoded}}
    found = charts.check("agent-k8s", given, release="runs", namespace="scalr")
    assert [finding.path for finding in findings.errors(found)][:1] == ["agent.ca_cert"]


def merge_of(number: int, merged: str) -> dict[str, Any]:
    each = [f"{{k{index}: {index}}}" for index in range(number)]
    text = merged.format(", ".join(each)) if "[" in merged else "".join(f"  <<: {content}\n" for content in each)
    return yaml_io.load_values(f"all:\n  k0: own\n{text}")


def anchor_merged(number: int) -> dict[str, Any]:
    return yaml_io.load_values("base: &base {a: 1}\n" + "".join(f"m{index}: {{<<: *base, b: 2}}\n" for index in range(number)))


@pytest.mark.parametrize("merged", ["  <<: [{}]\n", "{}"], ids=["list", "keys"])
def test_many_maps_are_merged_at_once(merged: str) -> None:
    number = 300
    content = merge_of(number, merged)["all"]
    assert (len(content), content["k0"], content[f"k{number - 1}"], list(content)[-1]) == (number, "own", number - 1, "k0")


def test_an_anchor_may_be_merged_many_times() -> None:
    content = anchor_merged(1_500)
    assert len(content) == 1_501
    assert content["m1499"] == {"a": 1, "b": 2}


@pytest.mark.parametrize(
    "text", ["eyJ-" * 50_000, "login " * 50_000, f"token{' ' * 250_000}", "token=$(a" * 50_000, f"token={'$(a)' * 50_000}", "//a." * 50_000]
)
def test_a_long_text_is_searched_for_secrets_once(text: str) -> None:
    assert secret_patterns.in_text(text) == ""
    assert secret_patterns.is_secret("A", text) == ("=$(a" in text and ")" not in text)
    assert secret_patterns.secret_references(text) <= {"a"}


class Uncomparable(dict[str, Any]):
    """An object that fails if it is compared with others."""

    def __eq__(self, other: object) -> bool:
        raise AssertionError("compared")

    __hash__ = None


def test_writing_does_not_compare_objects(tmp_path: Path) -> None:
    objects: list[dict[str, Any]] = [
        Uncomparable(apiVersion="v1", kind="Secret", metadata={"name": f"s{index}"}, stringData={"a": given})
        for index, given in enumerate(["known", stack.source.Sealed("here"), "known", stack.source.Sealed("there")])
    ]
    assert [left["metadata"]["name"] for left in output.write(objects, tmp_path, "json").left_out] == ["s1", "s3"]
    assert sorted(file.name for file in tmp_path.glob("*.json")) == ["secret_s0.json", "secret_s2.json"]
