"""Input that is too large or has an unusual type: one clear finding on every input path, and work that grows linearly.

No test looks at a clock. Work in Python is counted in instructions. Where it is done in C, as in regular expressions, the input is so
large that quadratic work would take minutes.
"""

import base64
import sys
from collections.abc import Callable
from functools import partial
from itertools import product
from pathlib import Path
from types import FrameType, SimpleNamespace
from typing import Any

import pulumi
import pytest
from scalr_agents import charts, output_directory, stack
from scalr_agents.charts.shared.inputs import Inputs
from scalr_agents.helm.assignments import assign
from scalr_agents.model import findings, signs, yaml_io
from scalr_agents.model.findings import Finding
from scalr_agents.model.manifests import Manifest
from scalr_agents.model.positions import Document
from scalr_agents.stack import nodes

from tests.helpers.agent_job import CURRENT, nested
from tests.helpers.agent_local import CERTIFICATE, KEY
from tests.helpers.components import record
from tests.helpers.programs import ARGS
from tests.helpers.validated import validate
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
    assert signs.in_text(text) == ""
    assert signs.is_secret("A", text) == ("=$(a" in text and ")" not in text)
    assert signs.secret_references(text) <= {"a"}


def operations(work: Callable[[], object]) -> int:
    """How many instructions of Python a piece of work takes."""
    count = 0

    def trace(frame: FrameType, event: str, _: object) -> Any:
        nonlocal count
        frame.f_trace_lines, frame.f_trace_opcodes = False, True
        count += event == "opcode"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
    return count


def check(**given: Any) -> list[Finding]:
    return charts.check("agent-job", given, release="runs", namespace="scalr", agent_version=CURRENT)


def mirrors(number: int) -> list[dict[str, str]]:
    return [{"url": f"https://m{index}.acme/", "token": "x"} for index in range(number)]


def with_tokens(number: int) -> object:
    inputs = Inputs(mirror_tokens={f"{index}.of.somebody.else": "x" for index in range(number)})
    given = nested("agent.providerNetworkMirrors", mirrors(number))
    return validate("agent-job", given, release="runs", namespace="scalr", agent_version=CURRENT, inputs=inputs)


def mounts(number: int, volume: str) -> object:
    mounted = [{"name": f"{volume}{index}", "mountPath": f"/{index}"} for index in range(number)]
    return check(task={"extraVolumes": [{"name": f"v{index}"} for index in range(number)], "runner": {"extraVolumeMounts": mounted}})


def stack_with(number: int, secrets: str) -> object:
    agents = {f"a{index}": {"kind": "agent-job", "namespace": "scalr", "values": {"typo": 1}} for index in range(number)}
    return stack.load({"agents": agents, "secrets": {f"{secrets}{index}": {"token": "x"} for index in range(number)}}, directory=Path())


def closed(number: int, only: int, mirrored: int) -> object:
    """An agent in a closed network behind a proxy with many exceptions, some of them networks."""
    direct = [f"h{index}.acme.internal" if index % 2 else f"10.{index}.0.0/16" for index in range(number)]
    agent = {
        "kind": "agent-job",
        "namespace": "scalr",
        "agentVersion": CURRENT,
        "values": nested("agent.providerNetworkMirrors", [{"url": f"https://172.16.0.{index}/"} for index in range(mirrored)]),
        "network": {"egress": {"only": [{"host": f"{index}.example.com"} for index in range(only)], "enforcedBy": "cilium"}},
    }
    common = {"url": "https://acme.scalr.io", "proxy": {"https": "http://proxy.acme.internal:3128", "except": direct}}
    loaded = stack.load({"common": common, "agents": {"a": agent}, "secrets": {"a": {"token": "x"}}}, directory=Path())
    assert findings.errors(loaded.findings) == []
    return loaded.objects()


def of_both_roles(number: int, pools: int) -> object:
    """As many agents for runs as for a VCS provider, with their nodes."""
    entries: dict[str, Any] = {f"a{index}": SimpleNamespace(role=("runs", "vcs")[index % 2]) for index in range(number)}
    agents: list[Any] = [SimpleNamespace(name=name, objects=[deployment(index % pools)]) for index, name in enumerate(entries)]
    return list(nodes.check(entries, agents))


def deployment(pool: int) -> Manifest:
    template = {"metadata": {"labels": {}}, "spec": {"nodeSelector": {"pool": str(pool)}}}
    return {"kind": "Deployment", "spec": {"template": template}}


def positions(number: int, line: str) -> object:
    document = Document("values.yaml", "".join(line.format(index) for index in range(number)))
    return [document.position((f"a{index}", "b")) for index in range(number)]


@pytest.mark.parametrize(
    "work",
    [
        lambda number: check(**{f"k{index}": 1 for index in range(number)}),
        lambda number: check(agent={f"k{index}": 1 for index in range(number)}),
        lambda number: check(agent={"extraEnv": {f"A {index}": "x" for index in range(number)}}),
        lambda number: check(**{"global": {"podLabels": {f"k{index}": 1 for index in range(number)}}}),
        lambda number: check(task={"tolerations": [{"efect": "x"}] * number}),
        lambda number: check(agent={"providerNetworkMirrors": mirrors(number)}),
        with_tokens,
        lambda number: mounts(number, "v"),
        lambda number: mounts(number, "w"),
        lambda number: stack_with(number // 3, "b"),
        lambda number: closed(number, number, 0),
        lambda number: closed(number, 0, number),
        lambda number: of_both_roles(number, 1),
        lambda number: of_both_roles(number, number),
        lambda number: assign({}, f"a=[{'1,' * number}]", "a"),
        lambda number: positions(number, "a{}: 1\n"),
        lambda number: positions(number, "a{}: {{<<: {{b: 1}}}}\n"),
        lambda number: yaml_io.load_values("".join(f"m{index}: {{<<: {{a: 1}}, b: 2}}\n" for index in range(number))),
        lambda number: merge_of(3 * number, "  <<: [{}]\n"),
        lambda number: merge_of(3 * number, "{}"),
        lambda number: anchor_merged(3 * number),
    ],
    ids=[
        "keys",
        "keys below",
        "variables",
        "labels",
        "tolerations",
        "mirrors",
        "tokens",
        "mounts",
        "no volumes",
        "stack",
        "exceptions and hosts",
        "exceptions and mirrors",
        "agents of both roles",
        "agents of both roles apart",
        "set",
        "positions",
        "positions of merged",
        "yaml",
        "yaml of a merged list",
        "yaml of merged keys",
        "yaml of an anchor",
    ],
)
def test_work_grows_linearly_with_the_input(work: Callable[[int], object]) -> None:
    work(2)
    nothing, once, twice = (operations(partial(work, number)) for number in (2, 60, 120))
    assert twice - nothing < 2.6 * (once - nothing)


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
    assert [left["metadata"]["name"] for left in output_directory.write(objects, tmp_path, "json").left_out] == ["s1", "s3"]
    assert sorted(file.name for file in tmp_path.glob("*.json")) == ["secret_s0.json", "secret_s2.json"]
