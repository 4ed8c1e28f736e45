"""Possible secrets are never repeated, wherever they were put by mistake: not in findings, on stderr or in exceptions.

A field repeats what it was given only if no secret belongs there: a number, a switch, one of a few words, a size, a name, an id. All of
these are listed here.
"""

import base64
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
import scalr_agents
from click.testing import CliRunner
from hypothesis import given, strategies as st
from pydantic import ValidationError
from scalr_agents import charts, stack
from scalr_agents.cli import main
from scalr_agents.model import kubernetes_types, release, yaml_io
from scalr_agents.model.findings import errors
from scalr_agents.model.maps import merge
from scalr_agents.resources.arguments.agents import AgentJobArgs

from tests.helpers.places import BASE, Place, of_stacks, of_values, put
from tests.helpers.programs import ARGS, agent_job
from tests.helpers.recording import run

REPEATED = {
    *("enabled", "create", "automountToken", "allowMetadataService", "restrictMetadataService", "dropKernelPages", "metricsEnabled"),
    *("allowNfs", "tracesEnabled", "metrics", "traces", "awaitRollout", "upsertExisting"),
    *("replicaCount", "replicas", "minReadySeconds", "concurrency", "thresholdDays", "terminationGracePeriodSeconds", "tokenTTL"),
    *("activeDeadlineSeconds", "backoffLimit", "ttlSecondsAfterFinished", "startupTimeoutSeconds", "memorySoftLimitPercent"),
    *("memoryWarnPercent", "minAvailable", "maxUnavailable", "maxSurge", "qps", "burst", "rolloutTimeoutSeconds"),
    *("container_task_acquire_timeout", "container_task_scheduling_timeout", "container_task_cpu_limit", "container_task_cpu_request"),
    *("container_task_mem_limit", "container_task_mem_request", "gc_plugins_global_size_limit", "grace_shutdown_timeout"),
    *("worker_drain_timeout", "uid", "gid", "anonUid", "anonGid", "infrequentAccessAfterDays", "provisionedThroughputMibps"),
    *("sizeLimit", "storage", "capacity", "cpu"),
    *("logFormat", "log_format", "pullPolicy", "accessMode", "shutdownMode", "container_task_image_mode", "worker_on_stop_action", "type"),
    *("kind", "role", "names", "crds", "podSecurity", "onDelete", "throughputMode", "connectMode", "squashMode", "protocol", "tier"),
    *("whenDeleted", "whenScaled"),
    *("labels", "nodeSelector", "podLabels", "jobLabels", "selector", "kubernetes_task_labels", "controllerNodeSelector"),
    *("workerNodeSelector", "nameOverride", "fullnameOverride", "namespace", "release", "cache", "location", "shareName"),
    *("cacheDir", "dataDir", "data_home", "path", "tag", "agentVersion", "valuesFiles", "file"),
    *("vpcId", "fileSystemId", "instanceId", "securityGroups", "mountTargetSecurityGroups", "subnets", "cidrs", "ipRanges"),
    *("apiServer", "cidr", "dashboard", "prometheusRules", "zone"),
    *("buffer", "class", "deadlineSeconds", "disk", "memory", "pods"),
    *("reservedIpRange", "kmsKey", "driverRole", "network", "subnetwork", "project", "eksCluster", "instanceType", "machineType"),
    *("policies", "permissionsBoundary", "version"),
    *("ami", "architecture", "caScope", "drainSeconds", "max", "memoryPerRun", "min", "onChange", "region", "root", "runtime", "size"),
    *(
        "spot",
        "ssm",
        "dnsPolicy",
        "hostUsers",
        "prePull",
        "enforcedBy",
        "ingress",
        "ports",
        "egressPorts",
        "maxInstanceLifetime",
        "logRetentionDays",
        "rolePath",
    ),
}
"""The fields that repeat what they were given."""
SECRET = "Kx7q9-Zt4w2_Lm8v3"
NUMBER = 8364029175
READERS: dict[str | int, list[dict[str, Any]]] = {
    "common": [{"machines": {"x": {"ec2": {}}}}],
    "machines": [{"machines": {"x": {"runtime": "package"}}}],
}
"""Machines that read more of what is given at places of a stack file, by the key at which these begin."""
FORMS = (
    "{}",
    " {} ",
    "token:{}",
    "a,b={}",
    "$(A){}",
    "{0}/{0}",
    "https://me:{}@acme.io/x",
    "me:{}@mirror.acme.io/scalr",
    "ghp_{}",
    "-----BEGIN PRIVATE KEY-----\n{}\n-----END PRIVATE KEY-----\n",
)
"""What a secret may be a part of."""


def forms(secret: str) -> list[Any]:
    """A secret as it may be put somewhere: in a text, as an item, as an entry, as a list of maps."""
    return [*(form.format(secret) for form in FORMS), [secret], {"a": secret}, [{"name": secret}], [{"value": secret}]]


def repeats(text: str, secret: str = SECRET) -> bool:
    """Whether a text has a part of a secret that would help to guess it."""
    return any(secret[start : start + 6] in text for start in range(len(secret) - 5))


def messages_of_values(line: release.Line, place: Place, leaf: Any) -> str:
    found = charts.check(line.chart, put(place, leaf), release="runs", namespace="scalr", agent_version=line.default_version)
    return "\n".join(map(str, found))


def messages_of_stack(place: Place, leaf: Any) -> str:
    """The findings of all stacks that read the place: settings of `common` are those of agents and of machines."""
    content = merge(BASE, put(place, leaf))
    stacks = [content, *(merge(machine, content) for machine in READERS.get(place[0], ()))]
    return "\n".join(str(finding) for given in stacks for finding in stack.load(given, directory=Path("/none")).findings)


def field_of(place: Place) -> str:
    """The name of the field: entries of maps and items of lists belong to theirs."""
    return str([part for part in place if part not in (0, "x")][-1])


def test_only_listed_fields_repeat_their_value() -> None:
    few = [SECRET, f"{SECRET} ?", SECRET[:16]]
    current = [(line, place) for line, place in of_values() if line.generation == "current"]
    repeating = {field_of(place) for line, place in current if any(repeats(messages_of_values(line, place, leaf)) for leaf in few)}
    repeating |= {field_of(place) for place in of_stacks() if any(repeats(messages_of_stack(place, leaf)) for leaf in few)}
    assert sorted(repeating) == sorted(REPEATED)


def test_only_listed_fields_repeat_numbers() -> None:
    repeating = {field_of(place) for line, place in of_values() if str(NUMBER) in messages_of_values(line, place, NUMBER)}
    repeating |= {field_of(place) for place in of_stacks() if str(NUMBER) in messages_of_stack(place, NUMBER)}
    assert repeating - REPEATED == set()


SECRETS = st.integers(0, 2**64).map(lambda seed: base64.b64encode(sha256(str(seed).encode()).digest()).decode()[:28])
"""Random ones: text that is drawn would be made of words that stand in the sources, and so in messages."""


@given(SECRETS, st.data())
def test_other_fields_do_not_repeat_random_secrets(secret: str, data: st.DataObject) -> None:
    leaf = data.draw(st.sampled_from(forms(secret)))
    if data.draw(st.booleans()):
        line, place = data.draw(st.sampled_from(of_values()))
        messages = messages_of_values(line, place, leaf)
    else:
        place = data.draw(st.sampled_from(of_stacks()))
        messages = messages_of_stack(place, leaf)
    assert field_of(place) in REPEATED or not repeats(messages, secret)


@given(SECRETS, st.sampled_from([*AgentJobArgs.__annotations__]), st.data())
def test_arguments_of_programs_are_not_repeated(secret: str, argument: str, data: st.DataObject) -> None:
    leaf = data.draw(st.sampled_from([*forms(secret), NUMBER, secret.encode(), {secret: secret}]))
    recording = run(agent_job(**{"url": ARGS["url"], argument: leaf} if argument != "values" else {"values": {"agent": leaf}}))
    assert recording.error is None or isinstance(recording.error, scalr_agents.ArgsError)
    names = {"namespace", "release", "names", "agent_version", "await_rollout", "pre_pull", "rollout_timeout_seconds"}
    keys = leaf if isinstance(leaf, dict) else {}
    if argument not in names and secret not in keys:
        assert not repeats(f"{recording.error} {recording.log}", secret)


TEXTS = [
    (struct, field, kind)
    for struct, fields in kubernetes_types.table()["types"].items()
    if isinstance(fields, dict)
    for field, kind in fields.items()
    if "string" in kind
]


def test_texts_of_kubernetes_types_are_not_repeated() -> None:
    for struct, field, _ in TEXTS:
        for leaf in (NUMBER, [NUMBER], [[NUMBER]], {"a": NUMBER}, SECRET, [SECRET], {"a": [SECRET]}, {"a": {"b": SECRET}}, [{"a": SECRET}]):
            try:
                kubernetes_types.demand(struct, {field: leaf})
            except ValidationError as problem:
                messages = " ".join(detail["msg"] for detail in problem.errors())
                assert not repeats(messages.replace(str(NUMBER), SECRET)), (struct, field, leaf)


def cli(*options: str) -> str:
    done = CliRunner().invoke(main, ["template", "agent-job", *options])
    assert done.exit_code in (1, 2), done
    assert done.exception is None or isinstance(done.exception, SystemExit)
    return done.stderr + done.stdout


@given(SECRETS)
def test_the_command_line_repeats_no_secret(secret: str) -> None:
    for options in (
        ("--set", f"agent.token=a,{secret}=b"),
        ("--set-string", f"agent.token=a,b[{secret}]=c"),
        ("--set-string", f"agent.token=a,b={{{secret}"),
        ("--set", f"agent.token=*{secret}"),
        ("--set", f'agent.token="{secret}'),
        ("--set", f'agent.token="a",{secret}="b"'),
        ("--set", f"agent.token={secret} # {secret}"),
        ("--set", f"agent.token.a={secret}"),
        ("--set", "agent.token", secret),
        ("--set", f"{secret}="),
        ("--set", f"{secret}.{secret}=="),
        ("--set-string", f"{secret}==,agent.url=https://acme.scalr.io"),
        ("--set", secret),
        ("--set-string", f"{secret}="),
        ("--set-string", f"{secret}=="),
        ("--set-string", "agent.token", "=", secret),
        ("--set", f"agent.token={{{secret},x}}"),
        ("--set", f"global.imageRegistry=me:{secret}@registry.acme.io"),
    ):
        assert not repeats(cli(*options), secret), options


def test_too_many_arguments_are_not_repeated() -> None:
    assert "too many arguments; give values as --set path=value" in cli("--set", "agent.token", SECRET)


@pytest.mark.parametrize(
    "text",
    [
        "agent:\n  token:{0}\n  url:{0}\n",
        "{0}: 1\n{0}: 2\n",
        "a: !{0} x\n",
        "a: *{0}\n",
        "a: &{0} [\n",
        "a: '{0}\n",
        'a: "{0}\\q"\n',
        "token: |\n{0}\nb: 1\n",
        "a: {0}: b\n",
        "a: [{0}\n",
        "? [{0}]\n: 1\n",
        "{0}\n",
        "%{0}\na: 1\n",
        "a: @{0}\n",
    ],
)
def test_invalid_yaml_is_not_repeated(text: str) -> None:
    try:
        content = yaml_io.load_stack_file(text.format("s3cr3tKx7q9Zt4w2"))
    except yaml_io.YamlError as problem:
        messages = str(problem)
    else:
        messages = "\n".join(map(str, stack.load({"agents": {"x": {**BASE["agents"]["x"], "values": content}}}, directory=Path()).findings))
    assert not repeats(messages, "s3cr3tKx7q9Zt4w2")
    assert messages


PEM = "-----BEGIN CERTIFICATE-----\nMBMGA1UEAwwMSVNSRyBSb290IFgx\n-----END CERTIFICATE-----\n"


@pytest.mark.parametrize("file", [PEM, PEM.replace("\n", " "), "M" * 2000], ids=["PEM", "one line", "long"])
def test_a_certificate_instead_of_a_file_is_not_repeated(file: str) -> None:
    found = errors(stack.load({"common": {"ca": {"file": file}}}, directory=Path()).findings)
    assert [finding.path for finding in found] == ["scalr-agents:common.ca.file"]
    assert found[0].message.startswith("not a path; save the certificates in a file")
