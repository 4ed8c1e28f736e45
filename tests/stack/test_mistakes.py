"""Mistakes that would otherwise be noticed only in the cluster: each is a finding that names the correction."""

from pathlib import Path
from typing import Any

import pytest
from scalr_agents import stack
from scalr_agents.stack import caches, source
from scalr_agents.stack.source import Sealed

from tests.helpers.kinds import TOKEN, Kind, every_kind
from tests.helpers.kinds import load as load_kind
from tests.helpers.plain import BASE, COMMAND, PLAIN, findings

AGENT = "scalr-agents:agents.runs"


@pytest.mark.parametrize(
    ("namespace", "listed", "meant"),
    [
        ("scalr-payment", ["scalr-payments"], "scalr-payments"),
        ("scalr-paymnets", ["scalr-platform", "scalr-payments"], "scalr-payments"),
        ("Scalr", ["scalr"], "scalr"),
        ("scalr", ["scalr"], None),
        ("scalr-vcs", ["scalr-payments", "scalr-platform"], None),
        ("scalr-payments", ["scalr-platform"], None),
        ("other", [], None),
    ],
)
def test_a_typo_in_a_namespace_is_a_warning(namespace: str, listed: list[str], meant: str | None) -> None:
    given = {"namespaces": {name: {"create": False} for name in listed}, "agents": {"runs": {"namespace": namespace}}}
    found = [(severity, message) for severity, path, message in findings(given) if path == f"{AGENT}.namespace" and "among" in message]
    words = f"{namespace!r} is not among scalr-agents:namespaces; did you mean {meant!r}? If not, add it (create: false if existing)"
    assert found == ([("warning", words)] if meant else [])


@pytest.mark.parametrize("proxy", ["proxy.acme:3128", "proxy.acme", "user:pass@proxy.acme:3128"])
@every_kind
def test_a_proxy_without_scheme_is_a_warning(kind: Kind, proxy: str) -> None:
    for word in ("http", "https"):
        found = load_kind(kind, {"common": {"proxy": {word: proxy}}}).findings
        ours = [finding for finding in found if "scheme" in finding.message]
        assert [(finding.severity, finding.path) for finding in ours] == [("warning", "scalr-agents:common.proxy")]
        assert proxy not in str(found).replace("proxy.acme.internal", "")


@pytest.mark.parametrize(
    ("proxy", "message"),
    [
        ({"https": "http://proxy.acme"}, "has no port, and programs use different defaults (80, 443, 1080)"),
        ({"https": "http://user:$(PASSWORD)@proxy.acme/"}, "has no port, and programs"),
        ({"http": "http://proxy.acme:3128"}, "applies only to http://, but Scalr and all registries use https://"),
        (
            {"https": "http://proxy.acme:3128", "except": ["10.0.0.0/8", "*.acme.internal"]},
            "only programs in Go understand *.acme.internal",
        ),
    ],
)
@every_kind
def test_ineffective_proxies_are_warnings(kind: Kind, proxy: dict[str, Any], message: str) -> None:
    found = [finding for finding in load_kind(kind, {"common": {"proxy": proxy}}).findings if "common.proxy" in finding.path]
    assert [(finding.severity, finding.path) for finding in found if finding.message.startswith(message)] == [
        ("warning", "scalr-agents:common.proxy")
    ]


@pytest.mark.parametrize(
    "address",
    [
        *("http://proxy.acme:3128", "https://proxy.acme:3128", "socks5://proxy.acme:1080"),
        *("$(PROXY)", "http://$(PROXY)", "http://[fd00::1]:3128", "http://proxy.acme:$(PORT)"),
    ],
)
@every_kind
def test_a_proxy_with_scheme_and_port_is_accepted(kind: Kind, address: str) -> None:
    found = load_kind(kind, {"common": {"proxy": {"http": address, "https": address}}}).findings
    assert [finding.message for finding in found if "common.proxy" in finding.path] == []


DIRECT = [
    "*",
    "github.acme.internal",
    ".acme.internal",
    "acme.internal:8443",
    "10.0.0.0/8",
    "10.0.0.1",
    "fd00::/8",
    "fd00::1",
    ".acme.internal.",
]
NOT_DIRECT = [
    "a\nExecStartPre=+/bin/true",
    "a\x0bb",
    "a\u2028b",
    "a b",
    " a",
    "a,b",
    "https://a",
    "a/b",
    "10.0.0.0/33",
    "$A",
    "::1%a\nb",
    "",
]


def test_valid_proxy_exceptions() -> None:
    assert findings({"common": {"proxy": {"https": "http://proxy.acme:3128", "except": DIRECT}}}) == []


@pytest.mark.parametrize("given", NOT_DIRECT)
def test_invalid_proxy_exceptions_are_errors(given: str) -> None:
    [(severity, path, message)] = findings({"common": {"proxy": {"https": "http://proxy.acme:3128", "except": ["a.b", given]}}})
    assert (severity, path) == ("error", "scalr-agents:common.proxy.except[1]")
    assert message.startswith(
        "not a host (github.acme.internal), a domain with its subdomains (.acme.internal), a network (10.0.0.0/8) or *"
    )


@pytest.mark.parametrize("address", [" https://acme.scalr.io", "https://acme.scalr.io /"])
def test_an_address_with_white_space_is_an_error(address: str) -> None:
    assert findings({"common": {"url": address}}) == [
        ("error", "scalr-agents:common.url", "not a URL with scheme and host, for instance https://acme.scalr.io")
    ]


URL = "has more than scheme and host; give only the address of the account: https://<account>.scalr.io"


@pytest.mark.parametrize("more", ["/v2/e/env-1", "/api", "?query=1", "#part", "/?a=b"])
@every_kind
def test_an_address_with_path_or_query_is_a_warning(kind: Kind, more: str) -> None:
    address = f"https://acme.scalr.io{more}"
    for given, path in (({"common": {"url": address}}, "common.url"), ({"agents": {"one": {"values": {"agent": {"url": address}}}}}, "")):
        found = [finding for finding in load_kind(kind, given).findings if finding.message == URL]
        assert [(finding.severity, finding.path) for finding in found] == [
            ("warning", f"scalr-agents:{path or 'agents.one.values.agent.url'}"),
        ]


@pytest.mark.parametrize("address", ["https://acme.scalr.io", "https://acme.scalr.io/", "https://acme.scalr.io:8443"])
def test_a_plain_address_is_accepted(address: str) -> None:
    assert findings({"common": {"url": address}}) == []


PLACEHOLDERS = [
    *("<agent-pool-token>", "<TOKEN>", "CHANGEME", "changeme", "change-me", "change_me_please", "xxx", "XXXXXXXX", "***", "...", "…"),
    *("change-me-please", "put-the-token-here", "your_scalr_agent_token", "your token goes here", "replace-with-token"),
    *("your-token", "YOUR_AGENT_POOL_TOKEN", "your token here", "agent-pool-token", "insert-token-here", "TODO", "todo: set this"),
    *(
        "tbd",
        "FIXME",
        "placeholder",
        "replace-me",
        "replace with the real token",
        "[token]",
        "{{ token }}",
        "${TOKEN}",
        "$TOKEN",
        "%TOKEN%",
    ),
    " <token>\n",
]


@pytest.mark.parametrize("token", PLACEHOLDERS)
def test_a_placeholder_is_not_a_token(token: str) -> None:
    found = [each for each in findings({"secrets": {"runs": {"token": token}}}) if "placeholder" in each[2]]
    assert found == [("error", "scalr-agents:secrets.runs.token", "is a placeholder; set the token of the agent pool")]


@pytest.mark.parametrize(
    "token",
    [
        *(
            "x",
            "s3cr3t-token",
            "eyJhbGciOiJIUzI1NiJ9.eyJ0b2tlbiI6InRva2VuIn0.xxx",
            "todos-3f2a",
            "token",
            "a" * 5000,
            "agent-token-prod",
            "to-do-list",
            "change-it-all",
        ),
        Sealed("x"),
    ],
)
def test_other_text_is_accepted_as_token(token: Any) -> None:
    assert findings({"secrets": {"runs": {"token": token}}}) == []


MISPLACED: list[tuple[str, str, Any, str]] = [
    ("agent-job", "replicaCount", 2, "it is a value of agent-job: write values.agent.replicaCount"),
    ("agent-local", "replicaCount", 2, "it is a value of agent-local: write values.replicaCount"),
    ("agent-local", "agent", {"debug": "1"}, "it is a value of agent-local: write values.agent"),
    ("agent-job", "task", {}, "it is a value of agent-job: write values.task"),
    ("agent-job", "url", "u", "it is a value of agent-job: write values.agent.url"),
    ("agent-job", "replicas", 2, "it is a value of agent-job: write values.agent.replicaCount"),
    *((kind, "nodeSelector", {}, "write nodes.selector") for kind in ("agent-job", "agent-local", "agent-k8s")),
    *((kind, "tolerations", [], "write nodes.tolerations") for kind in ("agent-job", "agent-local", "agent-k8s")),
    ("agent-local", "task", {}, "it is a value of agent-job, not of agent-local"),
    ("agent-k8s", "data_home", "/x", "it is a value of agent-k8s: write values.agent.data_home"),
    ("agent-k8s", "efsVolumeHandle", "fs", "it is a value of agent-k8s: write values.efsVolumeHandle"),
    ("agent-local", "nodeselector", {}, "allowed: kind, role, namespace"),
    ("agent-job", "vlues", {}, "did you mean 'values'?"),
]


@pytest.mark.parametrize(("kind", "key", "content", "words"), MISPLACED, ids=[f"{kind}-{key}" for kind, key, _, _ in MISPLACED])
def test_a_value_outside_of_values_is_an_error(kind: str, key: str, content: Any, words: str) -> None:
    given = {**BASE, "agents": {"runs": {"kind": kind, "namespace": "scalr", key: content}}}
    found = [finding for finding in stack.load(given, directory=Path()).findings if finding.path == f"{AGENT}.{key}"]
    assert [finding.severity for finding in found] == ["error"]
    assert found[0].message.startswith(f"unknown key {key!r}; {words}")


def test_keys_of_agents_are_not_values() -> None:
    """`cache` is a key of the chart's values too."""
    found = [message for _, path, message in findings({"agents": {"runs": {"cache": 5}}}) if path == f"{AGENT}.cache"]
    assert found == ["expected a string, given a number; quote it"]


@pytest.mark.parametrize("word", ["token", "clientKey"])
def test_a_secret_on_an_agent_is_an_error(word: str) -> None:
    found = [(severity, message) for severity, path, message in findings({"agents": {"runs": {word: TOKEN}}}) if path == f"{AGENT}.{word}"]
    command = COMMAND.replace("runs.token", f"runs.{word}")
    message = f"secrets belong under scalr-agents:secrets, because Pulumi would show them here; remove this and run: {command}"
    assert found == [("error", message)]


@pytest.mark.parametrize(
    ("values", "path", "words"),
    [
        ({"task": {"resources": {}}}, "task.resources", "did you mean task.runner.resources or task.worker.resources?"),
        ({"replicaCount": 2}, "replicaCount", "did you mean agent.replicaCount?"),
        ({"task": {"replicaCount": 2}}, "task.replicaCount", "did you mean agent.replicaCount?"),
        ({"agent": {"replicaCounts": 2}}, "agent.replicaCounts", "did you mean 'replicaCount'?"),
        ({"agent": {"enabled": True}}, "agent.enabled", "did you mean agent.moduleCache.enabled or agent.podDisruptionBudget.enabled or"),
    ],
)
def test_a_value_in_another_section_names_its_place(values: dict[str, Any], path: str, words: str) -> None:
    found = [message for _, where, message in findings({"agents": {"runs": {"values": values}}}) if where == f"{AGENT}.values.{path}"]
    assert len(found) == 1
    assert words in found[0]


@pytest.mark.parametrize(
    ("keys", "environment", "warned"),
    [
        ("aws:region: eu-west-1", "", False),
        ("aws:profile: prod", "", False),
        ("aws:region:", "", True),
        ("gcp:project: acme", "", True),
        ("", "", True),
        ("", "environment: [acme/prod]", False),
    ],
)
def test_efs_without_a_region_is_a_warning(tmp_path: Path, keys: str, environment: str, *, warned: bool) -> None:
    (tmp_path / "Pulumi.yaml").write_text("name: scalr-agents\n")
    words = "caches: {one: {efs: {eksCluster: prod}}, two: {storageClass: {name: x}}}"
    (tmp_path / "Pulumi.dev.yaml").write_text(f"{environment}\nconfig:\n  {keys}\n  {words}\n  agents: {{runs: {PLAIN}}}\n")
    read = source.read(tmp_path, "dev")
    loaded = stack.load(read.config, directory=tmp_path)
    found = [(finding.severity, finding.path) for finding in caches.without_region(loaded.caches, read)]
    assert found == ([("warning", "scalr-agents:caches.one.efs")] if warned else [])


LONG = "a" * 70


def test_a_too_long_name_is_reported_once_with_its_length() -> None:
    def of(name: str, **more: Any) -> list[tuple[str, str, str]]:
        return findings({"agents": {name: {**PLAIN, **more}}, "secrets": {name: {"token": "s3cr3t-token"}}})

    rule = "lower case letters, digits and '-'; given 70 characters"
    assert of(LONG) == [("error", f"scalr-agents:agents.{LONG}", f"not a valid agent name; use at most 53 {rule}")]
    assert of(LONG, release="a") == [("error", f"scalr-agents:agents.{LONG}", f"not a valid agent name; use at most 63 {rule}")]
    assert of("a", namespace=LONG) == [
        ("error", "scalr-agents:agents.a.namespace", f"{LONG!r} is not a valid namespace: use at most 63 {rule}"),
    ]
    assert findings({"caches": {LONG: {"claim": "x"}}})[0][2] == (
        "given 70 characters; expected the name of a cache: at most 53 lower case letters, digits and '-'"
    )
    assert findings({"namespaces": {LONG: {}}})[0][2] == f"{LONG!r} is not a valid namespace name; use at most 63 {rule}"


@pytest.mark.parametrize(
    ("kind", "advice"),
    [
        (
            "agent-job",
            "agent-job has no fixed limit; plan one controller for every 5 concurrent runs (values.agent.replicaCount)",
        ),
        ("agent-local", "agent-local has one run at a time per pod; set values.replicaCount"),
        ("agent-k8s", "agent-k8s has no fixed limit; set the size of a run with values.agent.container_task_*"),
    ],
)
@pytest.mark.parametrize("place", ["concurrency", "values.concurrency", "values.agent.concurrency"])
def test_concurrency_is_only_for_machines(kind: str, advice: str, place: str) -> None:
    content: Any = 5
    for key in reversed(place.split(".")):
        content = {key: content}
    given = {**BASE, "agents": {"runs": {"kind": kind, "namespace": "scalr", **content}}}
    found = {finding.path: finding.message for finding in stack.load(given, directory=Path()).findings}
    assert found[f"{AGENT}.{place}"] == f"unknown key 'concurrency', which only machines have; {advice}"


def test_a_value_of_another_kind_names_that_kind() -> None:
    given = {"agents": {"runs": {"kind": "agent-local", "values": {"task": {}, "efsVolumeHandle": "fs", "agnt": {}}}}}
    found = {path: message for severity, path, message in findings(given) if severity == "error"}
    assert found[f"{AGENT}.values.task"] == "unknown key 'task'; it is a value of agent-job, not of agent-local"
    assert found[f"{AGENT}.values.efsVolumeHandle"] == "unknown key 'efsVolumeHandle'; it is a value of agent-k8s, not of agent-local"
    assert found[f"{AGENT}.values.agnt"] == "unknown key 'agnt'; did you mean 'agent'?"


def test_a_wrong_key_has_no_further_findings() -> None:
    given = {"caches": {"team": {"claim": "x"}}, "agents": {"runs": {"kind": "agent-jobs", "cache": "team"}}}
    assert [path for _, path, _ in findings(given)] == [f"{AGENT}.kind"]
    for only in ([{"host": "git.acme.io"}], []):
        egress = {"enforcedBy": "celium", "only": only}
        found = [path for _, path, _ in findings({"agents": {"runs": {"network": {"egress": egress}}}})]
        assert found == [f"{AGENT}.network.egress.enforcedBy"]
        assert [path for _, path, _ in findings({"common": {"network": {"egress": egress}}})] == [
            "scalr-agents:common.network.egress.enforcedBy"
        ]
    egress = {"only": [{"cidr": "10.0.0.0"}]}
    found = [path for _, path, _ in findings({"agents": {"runs": {"network": {"egress": egress}}}})]
    assert found == [f"{AGENT}.network.egress.only[0].cidr"]


def test_a_release_that_is_not_set_is_the_name_of_the_agent() -> None:
    found = [message for _, path, message in findings({"agents": {"a" * 60: PLAIN}}) if path.endswith(".release")]
    assert [message.endswith("(the agent's name, because release is not set)") for message in found] == [True]


def test_null_in_secrets_from_means_absent() -> None:
    given = {"env": {"A": {"key": "a"}, "B": None}, "token": {"key": "t"}}
    without = [found for found in findings({"agents": {"runs": {"secretsFrom": given}}}) if "secretsFrom" in found[1]]
    assert without == [("error", f"{AGENT}.secretsFrom.store.name", "missing: set the name of the store")]
