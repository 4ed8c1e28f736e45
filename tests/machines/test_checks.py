"""Errors and warnings about machines, with their paths in the stack file."""

from base64 import b64encode
from hashlib import sha256
from typing import Any

import pytest
from scalr_agents import stack
from scalr_agents.machines import instance_types
from scalr_agents.model.maps import merge

from tests.helpers.machines import CA, EC2, GCE, STACKS, URL, YUM, load


def findings_of(entry: dict[str, Any], common: dict[str, Any] | None = None, **words: Any) -> list[str]:
    """The findings, without the namespace of the keys."""
    return [str(finding).replace("scalr-agents:", "") for finding in load(entry, common, **words).findings]


def test_a_complete_machine_has_no_findings() -> None:
    entries: list[dict[str, Any]] = [{"ec2": EC2}, {"gce": GCE}, {"docker": {}}]
    for entry in entries:
        assert findings_of(entry) == []


SPOT = {**EC2, "spot": True}
BOTH = {"docker": {}, "ec2": EC2}
T3 = {**EC2, "instanceType": "t3.small"}
KEY = "arn:aws:kms:eu-west-1:111122223333:key/11111111-2222-3333-4444-555555555555"
VCS = {"ec2": EC2, "role": "vcs"}
PACKAGE = {"ec2": EC2, "runtime": "package"}
AGENT = {"kind": "agent-job", "namespace": "scalr", "agentVersion": "1.4.0", "values": {"task": {"job": {"activeDeadlineSeconds": 60}}}}
OLD = {"docker": {}, "agentVersion": "0.50.0"}


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        ({}, "error: machines.it: set exactly one of ec2, gce and docker; given none"),
        (BOTH, "error: machines.it: set exactly one of ec2, gce and docker; given ec2 and docker"),
        ({"ec2": {}}, "error: machines.it.ec2.subnets: missing"),
        ({"ec2": {"subnets": ["s"]}}, "error: machines.it.ec2.instanceType: missing"),
        ({"gce": {}}, "error: machines.it.gce.subnetwork: missing"),
        ({"gce": {**GCE, "region": "europe-west1-b"}}, "error: machines.it.gce.region: given 'europe-west1-b'; expected a region"),
        ({**VCS, "concurrency": 2}, "error: machines.it.concurrency: has no effect: role is vcs"),
        ({**VCS, "memoryPerRun": "1Gi"}, "error: machines.it.memoryPerRun: has no effect: role is vcs"),
        ({**VCS, "taskImage": "a:1"}, "error: machines.it.taskImage: has no effect: role is vcs"),
        ({"ec2": EC2, "concurrency": 6}, "error: machines.it.concurrency: input should be less than or equal to 5"),
        ({"ec2": EC2, "concurrency": 0}, "error: machines.it.concurrency: input should be greater than or equal to 1"),
        ({"ec2": T3}, "warning: machines.it.ec2.instanceType: t3.small has 2 GiB of memory, but 5 runs of 512Mi and 1 GiB for the system"),
        ({"gce": {**GCE, "machineType": "e2-small"}}, "warning: machines.it.gce.machineType: e2-small has 2 GiB of memory"),
        ({"ec2": {**EC2, "volume": {"size": "18Gi"}}}, "error: machines.it.ec2.volume.size: given 18Gi; set at least 20G"),
        ({"gce": {**GCE, "volume": {"size": "8Gi"}}}, "error: machines.it.gce.volume.size: given 8Gi; set at least 20G"),
        ({"ec2": {**EC2, "min": 3, "max": 2}}, "error: machines.it.ec2.max: given 2, which is less than min, 3"),
        (
            {"ec2": {**EC2, "min": 0, "max": 2}},
            "error: machines.it.ec2.min: given 0: a group without machines has no CPU use to scale with",
        ),
        ({"gce": {**GCE, "min": 0}}, "error: machines.it.gce.min: input should be greater than or equal to 1"),
        (
            {"ec2": {**EC2, "maxInstanceLifetime": 3600}},
            "error: machines.it.ec2.maxInstanceLifetime: input should be greater than or equal",
        ),
        ({"ec2": {**EC2, "otherInstanceTypes": ["t3a.large"]}}, "error: machines.it.ec2.otherInstanceTypes: has no effect without spot"),
        (
            {"ec2": {**SPOT, "otherInstanceTypes": ["t4g.large"]}},
            "error: machines.it.ec2.architecture: is x86_64, but t4g.large is arm64",
        ),
        (
            {"ec2": {**SPOT, "otherInstanceTypes": ["t3.small"]}},
            "warning: machines.it.ec2.otherInstanceTypes[0]: t3.small has 2 GiB of memory",
        ),
        (
            {"ec2": {**EC2, "egressPorts": [80], "securityGroups": ["sg-0a"]}},
            "error: machines.it.ec2.egressPorts: has no effect: securityGroups is set; open the ports there",
        ),
        ({"ec2": {**EC2, "egressPorts": [0]}}, "error: machines.it.ec2.egressPorts[0]: input should be greater than or equal to 1"),
        ({"gce": {**GCE, "egressPorts": list(range(1, 22))}}, "error: machines.it.gce.egressPorts: "),
        (
            {"ec2": {**EC2, "permissionsBoundary": "X"}},
            "error: machines.it.ec2.permissionsBoundary: given 'X'; expected the ARN of a policy",
        ),
        (
            {"ec2": {**EC2, "policies": 2 * ["arn:aws:iam::aws:policy/X"]}},
            "error: machines.it.ec2.policies[1]: 'arn:aws:iam::aws:policy/X' is given twice",
        ),
        (
            {"ec2": {**EC2, "ssm": True}, "allowMetadataService": True},
            "warning: machines.it.ec2.ssm: its policy, AmazonSSMManagedInstanceCore, can read all parameters of Systems Manager",
        ),
        (
            {**PACKAGE, "ec2": {**EC2, "logRetentionDays": 30}, "package": YUM},
            "error: machines.it.ec2.logRetentionDays: requires runtime: docker",
        ),
        (
            {"gce": {**GCE, "machineType": "c4a-standard-4", "image": "projects/acme/global/images/agents-amd64"}},
            "error: machines.it.gce.image: is an image for x86_64, but c4a-standard-4 is arm64; remove it to use Ubuntu",
        ),
        (
            {"gce": {**GCE, "machineType": "z9-standard-4"}},
            "warning: machines.it.gce.machineType: unknown family: an x86_64 image and a pd-balanced disk are used; known: c2, c2d",
        ),
        ({"ec2": {**EC2, "instanceType": "t4g.large"}}, "error: machines.it.ec2.architecture: is x86_64, but t4g.large is arm64"),
        (
            {"ec2": {**EC2, "ami": "ubuntu"}},
            "error: machines.it.ec2.ami: given 'ubuntu'; expected the ID of an image, for instance ami-0a1b2c3d4e5f67890",
        ),
        ({"ec2": {**EC2, "ami": "ami-0a", "amiParameter": "/a"}}, "error: machines.it.ec2.amiParameter: has no effect: ami is set"),
        (
            {"ec2": {**EC2, "volume": {"kmsKey": "alias/x"}}},
            "error: machines.it.ec2.volume.kmsKey: given 'alias/x'; expected the ARN of a key",
        ),
        (
            {"ec2": {**EC2, "policies": ["ReadOnlyAccess"]}},
            "error: machines.it.ec2.policies[0]: given 'ReadOnlyAccess'; expected the ARN of a policy",
        ),
        ({"ec2": {**EC2, "policies": ["arn:aws:iam::aws:policy/X"]}}, "warning: machines.it.ec2.policies: runs cannot use them"),
        ({"ec2": {**EC2, "spot": True}}, "warning: machines.it.ec2.spot: AWS reclaims Spot instances with two minutes' notice"),
        ({"ec2": EC2, "drainSeconds": 7201}, "error: machines.it.drainSeconds: given 7201; allowed: 30 to 7200"),
        ({"gce": GCE, "drainSeconds": 3601}, "error: machines.it.drainSeconds: given 3601; allowed: 30 to 3600"),
        ({"docker": {}, "image": "scalr/agent:latest"}, "warning: machines.it.image: not a fixed version"),
        ({"docker": {}, "image": "scalr/agent"}, "warning: machines.it.image: not a fixed version"),
        ({"docker": {}, "image": "a b"}, "error: machines.it.image: given a string; expected the reference of an image"),
        ({"docker": {}, "image": "--privileged"}, "error: machines.it.image: given a string; expected the reference of an image"),
        ({"docker": {}, "taskImage": "-v/:/host"}, "error: machines.it.taskImage: given a string; expected the reference of an image"),
        ({"docker": {}, "taskImage": "acme/-x:1"}, "error: machines.it.taskImage: given a string; expected the reference of an image"),
        ({"docker": {}, "agentVersion": "latest"}, "error: machines.it.agentVersion: given 'latest'; expected a version MAJOR.MINOR.PATCH"),
        ({"docker": {}, "onChange": "keep"}, "warning: machines.it.onChange: has no effect: the stack creates nothing on your own host"),
        (
            {"docker": {}, "allowMetadataService": False},
            "warning: machines.it.allowMetadataService: has no effect: the stack creates nothing on your own host",
        ),
        ({"ec2": EC2, "caScope": "tasks"}, "warning: machines.it.caScope: has no effect without common.ca"),
        ({**OLD, "concurrency": 2}, "error: machines.it.concurrency: requires agents 0.53.0 or newer"),
        ({**OLD, "taskImage": "acme/tf"}, "error: machines.it.taskImage: requires a tag with the version of Terraform"),
        (
            {"docker": {}, "memoryPerRun": "512Ki"},
            "error: machines.it.memoryPerRun: unsupported size '512Ki'; use Gi, Mi, G or M, for instance 512Mi",
        ),
        (PACKAGE, "warning: machines.it.runtime: Scalr has deprecated its packages"),
        (PACKAGE, "error: machines.it.package: missing: runtime is package"),
        ({**PACKAGE, "package": {"key": "https://k"}}, "error: machines.it.package: set exactly one of apt and yum; given none"),
        (
            {**PACKAGE, "package": {"yum": "http://x", "key": "https://k"}},
            "error: machines.it.package.yum: given a string; expected a URL that begins with https://",
        ),
        (
            {**PACKAGE, "package": {"apt": "https://x", "key": "https://k"}},
            "error: machines.it.package.apt: given a string; expected <URL> <suite> <component>",
        ),
        ({**PACKAGE, "package": {"yum": "https://x"}}, "error: machines.it.package.key: missing"),
        ({**PACKAGE, "package": YUM, "image": "a:1"}, "error: machines.it.image: has no effect: runtime is package"),
        ({"ec2": EC2, "package": YUM}, "error: machines.it.package: has no effect: runtime is docker"),
        ({"docker": {}, "env": {"SCALR_TOKEN": "x"}}, "error: machines.it.env.SCALR_TOKEN: the token would be stored in plain text"),
        (
            {"docker": {}, "env": {"GITHUB_TOKEN": "x"}},
            "warning: machines.it.env.GITHUB_TOKEN: seems to contain a secret, which",
        ),
        ({"docker": {}, "env": {"A": "x\ny"}}, "error: machines.it.env.A: has several lines"),
        (
            {"docker": {}, "env": {"SCALR_AGENT_CONCURRENCY": 2}},
            "error: machines.it.env.SCALR_AGENT_CONCURRENCY: is set by other settings of the machine",
        ),
        ({"docker": {}, "rool": "vcs"}, "error: machines.it.rool: unknown key 'rool'; did you mean 'root'?"),
        (
            {"ec2": {**EC2, "instanceTyp": "x"}},
            "error: machines.it.ec2.instanceTyp: unknown key 'instanceTyp'; did you mean 'instanceType'?",
        ),
    ],
)
def test_findings(entry: dict[str, Any], expected: str) -> None:
    assert [finding for finding in findings_of(entry) if finding.startswith(expected)] != [], findings_of(entry)


LOGIN = {"https": "http://me:pa55w0rd@proxy.acme:3128"}


@pytest.mark.parametrize(
    ("common", "expected"),
    [
        (
            {"proxy": {"https": "http://proxy.acme:3128"}},
            "warning: common.proxy.https: machines read their secrets through this proxy: allow",
        ),
        ({"proxy": LOGIN}, "error: common.proxy.https: contains credentials"),
        (
            {"proxy": {"https": "proxy.acme:3128"}},
            "error: common.proxy.https: given a string; expected a URL with scheme and host",
        ),
        (
            {"proxy": {"https": "http://[fd00::1:3128"}},
            "error: common.proxy.https: given a string; expected a URL with scheme and host",
        ),
        ({"otel": {"endpoint": "http://[fd00::1:4317"}}, "error: common.otel.endpoint: not a URL with a valid host and port"),
        ({"proxy": {"https": "https://proxy.acme"}}, "error: common.proxy.https: machines connect to a proxy only over http://"),
        ({"ca": {"secret": "corp"}}, "error: common.ca.secret: machine 'it' cannot read a Kubernetes Secret"),
        ({"url": ""}, "warning: common.url: missing: the agent takes"),
        ({"url": "https\\://acme.scalr.io"}, "error: common.url: not a URL with scheme and host"),
        ({"agentVersion": "1.4"}, "error: common.agentVersion: given '1.4'; expected a version"),
    ],
)
def test_findings_on_common_settings(common: dict[str, Any], expected: str) -> None:
    found = findings_of({"ec2": EC2}, common)
    assert [finding for finding in found if finding.startswith(expected)] != [], found
    assert "pa55w0rd" not in str(found)


def test_common_settings_for_kubernetes_only_have_no_effect() -> None:
    words: dict[str, Any] = {
        "network": {"ingress": "deny"},
        "imagePullSecrets": ["pull"],
        "labels": {"a": "b"},
        "podAnnotations": {"a": "b"},
    }
    message = "has no effect: it is for agents on Kubernetes, and this stack has machines only"
    assert findings_of({"docker": {}}, words) == [f"warning: common.{word}: {message}" for word in words]
    assert message not in " ".join(findings_of({"docker": {}}, words, agents={"other": AGENT}))


def test_private_endpoints_avoid_the_proxy_warning() -> None:
    assert findings_of({"ec2": EC2}, {"proxy": {"https": "http://proxy.acme:3128", "except": [".eu-west-1.amazonaws.com"]}}) == []


def test_a_file_without_certificates_is_an_error(tmp_path: Any) -> None:
    (tmp_path / "ca.pem").write_text("corporate CA\n")
    content = {"common": {"url": URL, "ca": {"file": "ca.pem"}}, "machines": {"it": {"docker": {}}}}
    (finding,) = stack.load(content, directory=tmp_path).findings
    assert str(finding).startswith("error: scalr-agents:common.ca: not PEM: expected certificates")


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


def test_a_machine_cannot_have_the_name_of_an_agent() -> None:
    assert findings_of({"ec2": EC2}, agents={"it": AGENT}) == ["error: machines.it: agents has the same name; rename one of them"]


@pytest.mark.parametrize("name", ["Legacy", "a" * 33, "1a", "a-"])
def test_names(name: str) -> None:
    loaded = stack.load({"common": {"url": URL}, "machines": {name: {"docker": {}}}}, directory=STACKS)
    assert [finding.message.partition("; ")[2].partition(":")[0] for finding in loaded.findings] == ["expected the name of a machine"]


@pytest.mark.parametrize("secrets", [{}, {"secrets": {"it": {"token": " \n"}}}], ids=["none", "blank"])
def test_machines_in_a_cloud_require_a_token(secrets: dict[str, Any]) -> None:
    content = {"common": {"url": URL}, "machines": {"it": {"ec2": EC2}, "own": {"docker": {}}}, **secrets}
    found = [str(finding) for finding in stack.load(content, directory=STACKS).findings]
    assert found == [
        "error: scalr-agents:secrets.it.token: missing; run: pulumi config set --secret --path 'scalr-agents:secrets.it.token'"
    ]
    assert stack.load(content, directory=STACKS, demand_tokens=False).findings == []


@pytest.mark.parametrize(
    ("secrets", "expected"),
    [
        ({"env": {"A": "x\ny"}}, "error: secrets.it.env.A: has several lines"),
        ({"env": {"A": ""}}, "error: secrets.it.env.A: empty"),
        ({"token": "null"}, 'error: secrets.it.token: is the word "null"'),
        ({"token": "<token>"}, "error: secrets.it.token: is a placeholder"),
        ({"token": " abc"}, "warning: secrets.it.token: begins or ends with white space"),
        ({"token": "abc\n"}, "error: secrets.it.token: has several lines"),
        ({"env": {"SCALR_URL": "x"}}, "error: secrets.it.env.SCALR_URL: is also set by env or another setting"),
        ({"env": {"SCALR_AGENT_TOKEN": "x"}}, "error: secrets.it.env.SCALR_AGENT_TOKEN: is also set by env or another setting"),
        ({"clientKey": "x"}, "error: secrets.it.clientKey: not supported for agents on machines"),
        ({"mirrorTokens": {"a": "x"}}, "error: secrets.it.mirrorTokens: not supported for agents on machines"),
    ],
)
def test_findings_on_secrets(secrets: dict[str, Any], expected: str) -> None:
    assert [finding.partition("; ")[0][: len(expected)] for finding in findings_of({"ec2": EC2}, secrets={"it": secrets})] == [expected]


def test_errors_on_a_machine_hide_none_on_its_secrets_and_variables() -> None:
    entry = {"ec2": {**EC2, "instanceType": "t3"}, "env": {"SCALR_TOKEN": "x", "GITHUB_TOKEN": "x"}}
    found = findings_of(entry, secrets={"it": {"token": "null", "env": {"A": ""}}})
    assert [finding.partition(": ")[2].partition(": ")[0] for finding in found] == [
        "machines.it.env.SCALR_TOKEN",
        "machines.it.ec2.instanceType",
        "secrets.it.token",
        "secrets.it.env.A",
        "machines.it.env.GITHUB_TOKEN",
    ]


def test_a_wrong_image_hides_nothing_on_the_machine_type() -> None:
    place = {**GCE, "machineType": "z9-x-1", "image": "ubuntu 22", "region": "europe-west1-b", "subnetwork": "x/y"}
    assert [finding.partition(": ")[2].partition(": ")[0] for finding in findings_of({"gce": place})] == [
        "machines.it.gce.region",
        "machines.it.gce.subnetwork",
        "machines.it.gce.image",
        "machines.it.gce.machineType",
    ]


def test_a_finding_on_what_agents_and_machines_share_is_told_once() -> None:
    found = findings_of({"ec2": EC2}, {"url": "acme"}, agents={"other": AGENT}, secrets={"it": {"token": "t"}, "other": {"token": "t"}})
    assert found == ["error: common.url: not a URL with scheme and host, for instance https://acme.scalr.io"]


def test_secrets_of_own_hosts_have_no_effect() -> None:
    found = findings_of({"docker": {}}, secrets={"it": {"token": "t"}})
    assert found == [
        "warning: secrets.it.token: has no effect: the stack creates nothing on your own host; write the token to a file there"
    ]


def test_unknown_secrets_get_the_names_of_machines() -> None:
    found = findings_of({"ec2": EC2}, secrets={"itt": {"token": "t"}})
    assert found[0].startswith("error: secrets.itt: no agent or machine has this name; did you mean 'it'?")


@pytest.mark.parametrize(("word", "place"), [("ec2", {**EC2, "securityGroups": ["sg-1"]}), ("gce", {**GCE, "serviceAccount": "a@b.c"})])
def test_sharing_between_runs_and_vcs_is_a_warning(word: str, place: dict[str, Any]) -> None:
    both = {"runs": {word: place}, "vcs": {word: place, "role": "vcs"}}
    content = {"common": {"url": URL}, "machines": both, "secrets": {name: {"token": "t"} for name in both}}
    (finding,) = stack.load(content, directory=STACKS).findings
    assert finding.path.startswith("scalr-agents:machines.vcs." + word)
    assert "also used by machine 'runs', which serves runs; use different ones" in finding.message
    alike = merge(content, {"machines": {"vcs": {"role": "runs"}}})
    assert stack.load(alike, directory=STACKS).findings == []


@pytest.mark.parametrize(
    ("kind", "gib"),
    [("t3.medium", 4), ("m7i.xlarge", 16), ("c6g.large", 4), ("r6i.2xlarge", 64), ("m7g.medium", 4), ("p5.48xlarge", None), ("x", None)],
)
def test_memory_of_instance_types(kind: str, gib: int | None) -> None:
    assert instance_types.ec2_memory(kind) == (gib * instance_types.GIB if gib else None)


@pytest.mark.parametrize(
    ("kind", "gib"),
    [
        ("e2-medium", 4),
        ("n2-standard-4", 16),
        ("n1-standard-2", 7.5),
        ("c3-highmem-4", 32),
        ("custom-2-5120", 5),
        ("n2-custom-4-8192", 8),
        ("z9", None),
    ],
)
def test_memory_of_machine_types(kind: str, gib: float | None) -> None:
    assert instance_types.gce_memory(kind) == (gib * instance_types.GIB if gib else None)


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
    assert instance_types.gce_image(kind).endswith("-arm64") == (architecture == "arm64")
    assert instance_types.gce_disk_type(kind) == disk
