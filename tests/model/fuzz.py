"""Random settings of caches and machines, as programs and as stack files have them: what must be true of the findings on each.

    python -m tests.model.fuzz [settings of each kind, default 2000] [seed]

Every round takes some settings of a kind, each right or wrong by itself. It fails at the first one that ends with a traceback, repeats a
secret, has other findings the second time or in the other spelling, or in which a wrong value has no finding or hides one on another.
"""

import random
import re
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path as Directory
from typing import Any, NamedTuple

from scalr_agents import stack
from scalr_agents.caches import efs
from scalr_agents.caches.filestore import settings as filestore
from scalr_agents.machines.aws import Ec2Arguments, Ec2Settings, Ec2Volume
from scalr_agents.machines.gcp import GceArguments, GceSettings
from scalr_agents.machines.settings import Package, Secrets, SharedSettings
from scalr_agents.model import parse
from scalr_agents.model.findings import Finding, Path, dotted, errors, starts
from scalr_agents.model.judge import judge, relations
from scalr_agents.model.relations import Clash
from scalr_agents.model.section import Section, by_alias, by_name, in_stack_files

Values = dict[str, Any]
Choices = Mapping[str, tuple[Sequence[Any], Sequence[Any]]]
"""Right and wrong values of each setting."""
HIDDEN = "s3cr3t"
SECRETS = (f"ghp_{HIDDEN}0123456789", f"https://me:{HIDDEN}@acme.io/x", f"token={HIDDEN}", f"-----BEGIN PRIVATE KEY-----\n{HIDDEN}")
"""What no message may repeat, wherever it was put by mistake."""
HOSTILE: tuple[Any, ...] = (
    None, True, 0, -1, 1.5, 10**400, float("inf"), float("nan"), "", " ", "\n", "\x1b[2J", "A" * 300, "1e99", "{vpc_id}", "{x!r}", "%s",
    "fe80::1%1/64", f"m5.{'9' * 500}xlarge", f"custom-2-{'9' * 500}", f"n2-standard-{'9' * 500}",
    [], [None], [[]], {}, {"": ""}, {1: "x"}, b"x", ("a", 1),
)  # fmt: skip
"""What is wrong in most places. Some of it no file can hold, but a program can."""
KEY = "arn:aws:kms:eu-west-1:111122223333:key/0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0"
POLICY = "arn:aws:iam::aws:policy/X"
INSTANCE = "projects/a/locations/europe-west1-b/instances/nfs"
GOOGLE_KEY = "projects/p/locations/l/keyRings/r/cryptoKeys/k"
TAGS = ([{"a": "b"}, {}], [{"aws:a": "b"}, {"a": "?"}])
LABELS = ([{"a": "b"}, {}], [{"A": "b"}, {"a": "B"}])
NODES = {"ip_ranges": ["10.0.0.0/8"]}

EFS: Choices = {
    "file_system_id": (["fs-0a1b2c3d", ""], ["x"]),
    "eks_cluster": (["prod", ""], ["arn:x/prod"]),
    "vpc_id": (["vpc-0a", ""], ["main"]),
    "subnets": (
        [{"eu-west-1a": "subnet-0a"}, {"eu-west-1a": "subnet-0a", "eu-west-1b": "subnet-0b"}],
        [{"a": "subnet-0a"}, {"eu-west-1a": ""}],
    ),
    "zone": (["eu-west-1a", "eu-west-1b", ""], ["eu-west-1"]),
    "clients": (
        [{"security_groups": ["sg-0a"]}, {"cidrs": ["10.0.0.0/16", "::/0"]}, {}],
        [{"security_groups": ["sg-0a"] * 2}, {"cidrs": ["x"]}],
    ),
    "mount_target_security_groups": ([["sg-0a"], []], [["nfs", "sg-0a"]]),
    "throughput_mode": (["elastic", "provisioned"], []),
    "provisioned_throughput_mibps": ([64, 1.5], [0, 0.5]),
    "kms_key": ([KEY, ""], ["alias/x"]),
    "infrequent_access_after_days": ([7, 30.0], [2, 0]),
    "driver_role": (["arn:aws:iam::111122223333:role/nodes", ""], ["nodes"]),
    "tags": TAGS,
}
FILESTORE: Choices = {
    "instance_id": ([INSTANCE, ""], ["nfs"]),
    "tier": (["BASIC_HDD", "ZONAL", "REGIONAL"], []),
    "location": (["europe-west1-b", "europe-west1", ""], []),
    "project": (["acme", ""], ["Acme"]),
    "capacity": (["1Ti", "100Gi", "10Ti", "1T"], ["0"]),
    "share_name": (["cache"], ["my-share", ""]),
    "network": (["default", "projects/host/global/networks/x"], ["Main"]),
    "connect_mode": (["DIRECT_PEERING", "PRIVATE_SERVICE_ACCESS"], []),
    "reserved_ip_range": (["10.0.0.0/29", "10.0.0.0/26", "allocated", ""], []),
    "protocol": (["NFS_V3", "NFS_V4_1"], []),
    "export_options": (
        [
            [NODES],
            [{}],
            [{**NODES, "anon_uid": 5}],
            [{**NODES, "access_mode": "READ_ONLY"}],
            [NODES, {"ip_ranges": ["10.1.0.0/16", "0.0.0.0/0"]}],
        ],
        [[{"ip_ranges": ["x", "0.0.0.0/0"]}], [{**NODES, "squash_mode": "ROOT_SQUASH", "anon_gid": 0}], [{}] * 11],
    ),
    "kms_key": ([GOOGLE_KEY, ""], ["k"]),
    "labels": LABELS,
}
AGENT: Choices = {
    "role": (["runs", "vcs"], []),
    "agent_version": (["1.4.0", "0.50.0", ""], ["latest"]),
    "concurrency": ([1, 5], []),
    "memory_per_run": (["512Mi", "4Gi"], ["512Ki"]),
    "image": (["scalr/agent:1.4.0", "scalr/agent", ""], ["a b"]),
    "env": ([{"A": "b"}, {"GITHUB_TOKEN": "abc"}], [{"SCALR_TOKEN": "x", "GITHUB_TOKEN": "abc"}, {"A": "x\ny"}]),
    "root": ([True, False], []),
    "task_image": (["acme/x:1", "acme/x"], ["-v"]),
    "ca_scope": (["tasks", "global"], []),
    "runtime": (["docker", "package"], []),
    "package": (
        [{"apt": "https://x jammy main", "key": "https://k"}, {"yum": "https://x", "apt": "https://x jammy main"}],
        [{"key": "k", "yum": "x"}],
    ),
    "allow_metadata_service": ([True, False], []),
    "drain_seconds": ([600, 10, 7201], []),
    "on_change": (["keep", "roll"], []),
    "url": (["https://acme.scalr.io", "http://acme.scalr.io", ""], ["acme"]),
    "image_registry": (["mirror.acme:5000/scalr"], []),
    "http_proxy": (["http://p.acme:3128"], ["p.acme"]),
    "https_proxy": (["http://p.acme:3128", "http://p.acme"], ["p.acme", "https://p.acme:3128", "http://me:pw@p:1"]),
    "otel_endpoint": (["http://c:4317", "c:4317"], ["http://[x"]),
    "secret_env": ([{"B": "x"}], [{"B": "", "C": "x\ny"}]),
}
EC2: Choices = {
    "subnets": ([["subnet-0a"]], [["x"], []]),
    "instance_type": (["t3.large", "t3.small"], ["t3"]),
    "other_instance_types": ([["t4g.large"], ["t3.small"], []], [["x", "t4g.large"]]),
    "min": ([0, 1, 3], []),
    "max": ([1, 2], []),
    "max_instance_lifetime": ([86400], []),
    "architecture": (["x86_64", "arm64"], []),
    "ami": (["ami-0a", ""], ["ubuntu"]),
    "ami_parameter": (["/a"], ["resolve:ssm:/a:b:c"]),
    "volume": ([{}, {"kms_key": KEY}], [{"size": "18Gi"}, {"kms_key": "alias/x"}]),
    "security_groups": ([["sg-0a"], []], [["x"]]),
    "egress_ports": ([[80], []], []),
    "policies": ([[POLICY], []], [["x"], [POLICY] * 2]),
    "permissions_boundary": ([POLICY], ["x"]),
    "role_path": (["/a/"], ["a"]),
    "ssm": ([True, False], []),
    "log_retention_days": ([30], [31]),
    "spot": ([True, False], []),
    "tags": TAGS,
}
GCE: Choices = {
    "region": (["europe-west1"], ["europe-west1-b", ""]),
    "subnetwork": (["agents", "projects/p/regions/europe-west1/subnetworks/a", "projects/p/regions/us-east1/subnetworks/a"], ["x/y"]),
    "machine_type": (["e2-standard-2", "z9-x-1", "c4a-standard-4", "e2-small"], ["t3.large"]),
    "min": ([1, 3], []),
    "max": ([1, 2], []),
    "machine_image": (["projects/a/global/images/x-amd64", ""], ["ubuntu 22"]),
    "egress_ports": ([[80]], []),
    "volume": ([{}, {"kms_key": f"{GOOGLE_KEY}/cryptoKeyVersions/1"}], [{"size": "8Gi"}, {"kms_key": "k"}]),
    "service_account": (["a@b.c", ""], ["runs"]),
    "labels": LABELS,
}


class Later:
    """Known only during deployment: reading or formatting it fails."""

    def __bool__(self) -> bool:
        raise AssertionError("a value was read that is not known yet")

    def __str__(self) -> str:
        raise AssertionError("a value was formatted that is not known yet")


class Kind(NamedTuple):
    """Settings that both programs and stack files have."""

    model: type[Section]
    inner: type[Section]
    """Those that are in a section of their own in a stack file, at `at`. The others are above it, or shared."""
    at: Path
    facts: Mapping[str, object]
    choices: Choices
    needed: Values


CACHE, MACHINE = ("scalr-agents:caches", "it"), ("scalr-agents:machines", "it")
ON_EC2 = {"token": "t", "subnets": ["subnet-0a"], "instance_type": "t3.large"}
ON_GCE = {"token": "t", "region": "europe-west1", "subnetwork": "agents", "machine_type": "e2-standard-2"}
KINDS = {
    "efs": Kind(efs.EfsSettings, efs.EfsSettings, (*CACHE, "efs"), {}, EFS, {}),
    "filestore": Kind(filestore.FilestoreSettings, filestore.FilestoreSettings, (*CACHE, "filestore"), {}, FILESTORE, {}),
    "ec2": Kind(Ec2Arguments, Ec2Settings, (*MACHINE, "ec2"), {"platform": "aws"}, {**AGENT, **EC2}, ON_EC2),
    "gce": Kind(GceArguments, GceSettings, (*MACHINE, "gce"), {"platform": "gcp"}, {**AGENT, **GCE}, ON_GCE),
}
COMMON: Mapping[str, Path] = {
    "http_proxy": ("proxy", "http"),
    "https_proxy": ("proxy", "https"),
    "no_proxy": ("proxy", "except"),
    "otel_endpoint": ("otel", "endpoint"),
    "ca_bundle": ("ca",),
}
"""The keys of `common` for settings of programs with other names."""
SECTIONS = ("clients", "export_options", "package", "volume")
MODELS = (
    Ec2Arguments,
    GceArguments,
    Package,
    Ec2Volume,
    efs.EfsSettings,
    efs.EfsClients,
    filestore.FilestoreSettings,
    filestore.ExportOption,
)
NAMES = {name for model in MODELS for name in model.model_fields}
WRONG_TYPE: Values = {"?": {"?": []}}
"""What no setting accepts."""


def place(kind: Kind, path: Path) -> Path:
    """Where a stack file has a setting of a program, or a part of it."""
    head = str(path[0])
    if head in SharedSettings.model_fields:
        return ("scalr-agents:common", *COMMON.get(head, by_alias(kind.model, (head,))), *path[1:])
    if head in Secrets.model_fields:
        return ("scalr-agents:secrets", "it", "token" if head == "token" else "env", *path[1:])
    return (*(kind.at if head in kind.inner.model_fields else kind.at[:2]), *by_alias(kind.model, path))


def spelled(kind: Kind, message: str) -> str:
    """A message to a program as it is for a stack file."""

    def word(found: re.Match[str]) -> str:
        name = found[0]
        if name in SharedSettings.model_fields:
            return dotted(place(kind, (name,)))
        return in_stack_files(name) if name in NAMES else name

    return re.sub(r"\b[a-z]+(_[a-z]+)+\b", word, message)


def in_stack_file(kind: Kind, args: Values) -> Values:
    """The arguments of a program as the content of a stack file."""
    content: Values = {}
    for name, value in args.items():
        *above, key = place(kind, (name,))
        holder = content
        for part in above:
            holder = holder.setdefault(str(part), {})
        holder[str(key)] = sections(value) if name in SECTIONS else value
    return {key.removeprefix("scalr-agents:"): value for key, value in content.items()} if args else {"caches": {"it": {kind.at[-1]: {}}}}


def sections(value: Any) -> Any:
    """A section, or a list of sections, with the keys of stack files."""
    if isinstance(value, list):
        return [sections(item) for item in value]
    return {in_stack_files(str(key)): item for key, item in value.items()} if isinstance(value, dict) else value


def told_program(kind: Kind, args: Values) -> list[Finding]:
    """The findings on the arguments of a component."""
    given, found = parse.parse_arguments(kind.model, args)
    return found if given is None else list(judge(given, by_name, facts=kind.facts))


def told_stack(content: Values) -> list[Finding]:
    """The findings on a stack file, but for those that say that no agent uses its cache."""
    findings = stack.load(content, directory=Directory("/none")).findings
    return [finding for finding in findings if finding.at not in (CACHE, MACHINE) or finding.severity == "error"]


def reached(kind: Kind, name: str) -> set[str]:
    """The settings whose findings can depend on a setting, because rows read it, or read what they find."""
    reach, size = {name}, 0
    while len(reach) > size:
        size = len(reach)
        for row in relations(kind.model):
            heads = [[each.path[0] for each in group] for group in (row.settings, row.when, row.unless)]
            read = {*heads[1], *heads[2], *(() if isinstance(row, Clash) else heads[0])}
            reach |= {*heads[0]} if read & reach else set()
    return reach


def on_others(kind: Kind, findings: Iterable[Finding], reach: set[str], *, in_program: bool) -> set[tuple[Path, str]]:
    """The findings on settings that are not reached."""
    roots = [(name,) if in_program else place(kind, (name,)) for name in kind.model.model_fields if name not in reach]
    return {(finding.at, finding.message) for finding in findings for root in roots if starts(finding.at, root)}


def planted(value: Any, secret: Any) -> Any:
    """A value with something else in place of all its texts."""
    if isinstance(value, dict):
        return {key: planted(item, secret) for key, item in value.items()}
    if isinstance(value, list):
        return [planted(item, secret) for item in value]
    return secret if isinstance(value, str) else value


def check(kind: Kind, rng: random.Random) -> str:
    """Judge some settings, and the same with one of them right, of a wrong type, a secret, or not known yet."""
    chosen = rng.sample(list(kind.choices), rng.randrange(8))
    are_wrong = {name for name in chosen if kind.choices[name][1] and rng.random() < 0.4}
    args = kind.needed | {name: rng.choice(kind.choices[name][name in are_wrong]) for name in chosen}
    told, content = told_program(kind, args), in_stack_file(kind, args)
    in_file = told_stack(content)
    assert told == told_program(kind, args), "other findings the second time"
    assert not [finding for finding in told if re.search(r"\{[a-z_.:]*\}", finding.message)], "a name in a text is unknown"
    ours = {(finding.severity, place(kind, finding.at) if finding.at else kind.at, spelled(kind, finding.message)) for finding in told}
    assert ours == {(finding.severity, finding.at, finding.message) for finding in in_file}, "the front ends differ"
    for name in are_wrong:
        assert any(starts(finding.at, (name,)) for finding in errors(told)), f"no finding on {name}"
    if not chosen:
        return "none"
    name = rng.choice(chosen)
    others = args | {name: planted(args[name], rng.choice(SECRETS))}
    for finding in (*told_program(kind, others), *told_stack(in_stack_file(kind, others))):
        assert HIDDEN not in finding.message, f"a secret in {name} is repeated"
    hostile = rng.choice(HOSTILE)
    for odd in (hostile, planted(args[name], hostile), planted(args[name], Later())):
        told_program(kind, args | {name: odd})
    told_stack(in_stack_file(kind, args | {name: hostile}))
    reach = reached(kind, name)
    right = next((value for value in kind.choices[name][0] if value), None)
    if name in are_wrong and args[name] and right:
        before = on_others(kind, told_program(kind, args | {name: right}), reach, in_program=True)
        assert before == on_others(kind, told, reach, in_program=True), f"a wrong {name} hides a finding on another setting"
    mistyped = told_stack(in_stack_file(kind, args | {name: WRONG_TYPE}))
    after = on_others(kind, mistyped, reach, in_program=False)
    assert after == on_others(kind, in_file, reach, in_program=False), f"a {name} of a wrong type hides a finding on another setting"
    return "wrong" if are_wrong else "right"


def main(count: int = 2000, seed: int = 1) -> None:
    """Print what became of the settings; fail at the first fault with its number."""
    for name, kind in KINDS.items():
        outcomes = Counter[str]()
        for number in range(count):
            try:
                outcomes[check(kind, random.Random(f"{name}-{seed}-{number}"))] += 1
            except BaseException:
                print(f"{name}: number {number} of seed {seed}", file=sys.stderr)
                raise
        print(f"{name:9} {count}: {dict(outcomes)}", flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
