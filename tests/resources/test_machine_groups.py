"""The components for machines: what they ask of the clouds, what machines may do there, and that no secret lies where it should not."""

import base64
import gzip
import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pulumi
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from scalr_agents.machines import policies
from scalr_agents.model.merge import merge
from scalr_agents.resources.deploy import deploy

from tests.cloud_arguments import mismatches
from tests.clouds import ACCOUNT, NETWORK, PROJECT, REGION
from tests.components import inputs, program, record, refused
from tests.machines.cases import CA, STACKS
from tests.policies import allows
from tests.programs import REPOSITORY
from tests.recording import Recording, Secret, leaves, opened, run

TOKEN = "s3cr3t-token"
AWS: dict[str, Any] = {"url": "https://acme.scalr.io", "token": TOKEN, "subnets": ["subnet-0a", "subnet-0b"], "instance_type": "t3.large"}
GCP: dict[str, Any] = {
    "url": "https://acme.scalr.io",
    "token": TOKEN,
    "region": "europe-west1",
    "subnetwork": "agents",
    "machine_type": "e2-standard-2",
}
KEY = f"arn:aws:kms:{REGION}:{ACCOUNT}:key/11111111-2222-3333-4444-555555555555"
COMPONENTS = {"Ec2Agents": AWS, "GceAgents": GCP}
NAME = "scalr-agents-test-it"


def of(component: str, **args: Any) -> dict[str, Mapping[str, Any]]:
    recording = record(component, merge(COMPONENTS[component], args))
    sent = [replace(resource, inputs=opened(resource.inputs)) for resource in recording.resources if resource.custom]
    assert [problem for resource in sent for problem in mismatches(resource)] == []
    return inputs(recording)


def cloud_config(made: Mapping[str, Mapping[str, Any]]) -> str:
    if "template" in made:
        return str(made["template"]["metadata"]["user-data"])
    content = base64.b64decode(made["launch-template"]["userData"])
    return (gzip.decompress(content) if content[:2] == b"\x1f\x8b" else content).decode()


def test_machines_on_aws() -> None:
    made = of("Ec2Agents")
    template = dict(made["launch-template"])
    assert cloud_config({"launch-template": template}).startswith("#cloud-config\n")
    del template["userData"]
    tags = {"Name": NAME}
    assert template == {
        "imageId": "resolve:ssm:/aws/service/canonical/ubuntu/server/22.04/stable/current/amd64/hvm/ebs-gp2/ami-id",
        "instanceType": "t3.large",
        "iamInstanceProfile": {"arn": template["iamInstanceProfile"]["arn"]},
        "metadataOptions": {"httpEndpoint": "enabled", "httpTokens": "required", "httpPutResponseHopLimit": 1},
        "blockDeviceMappings": [
            {
                "deviceName": "/dev/sda1",
                "ebs": {"volumeSize": 30, "volumeType": "gp3", "encrypted": "true", "deleteOnTermination": "true"},
            }
        ],
        "networkInterfaces": [
            {"deviceIndex": 0, "associatePublicIpAddress": "false", "securityGroups": template["networkInterfaces"][0]["securityGroups"]}
        ],
        "tagSpecifications": [
            {"resourceType": "instance", "tags": {**tags, "scalr-agents:secret-version": "11111111-2222-3333-4444-555555555555"}},
            {"resourceType": "volume", "tags": tags},
        ],
        "updateDefaultVersion": True,
        "tags": tags,
    }
    assert "keyName" not in template
    group = dict(made["group"])
    assert group.pop("launchTemplate").keys() == {"id", "version"}
    assert group == {
        "name": NAME,
        "minSize": 1,
        "maxSize": 1,
        "vpcZoneIdentifiers": ["subnet-0a", "subnet-0b"],
        "healthCheckType": "EC2",
        "capacityRebalance": False,
        "instanceRefresh": {
            "strategy": "Rolling",
            "preferences": {"minHealthyPercentage": 100, "maxHealthyPercentage": 110, "skipMatching": True},
        },
        "tags": [{"key": "Name", "value": NAME, "propagateAtLaunch": False}],
    }
    assert made["drain"] == {
        "name": "drain",
        "autoscalingGroupName": NAME,
        "lifecycleTransition": "autoscaling:EC2_INSTANCE_TERMINATING",
        "heartbeatTimeout": 3720,
        "defaultResult": "CONTINUE",
    }


def test_what_a_machine_on_aws_reaches() -> None:
    made = of("Ec2Agents")
    assert "ingress" not in made["security-group"]
    rules = {name: rule for name, rule in made.items() if name.startswith(("egress", "ingress"))}
    assert {name: (rule["ipProtocol"], rule["fromPort"], rule["toPort"]) for name, rule in rules.items()} == {
        "egress-443-ipv4": ("tcp", 443, 443),
        "egress-443-ipv6": ("tcp", 443, 443),
    }
    more = of("Ec2Agents", https_proxy="http://proxy.acme:3128", no_proxy=["amazonaws.com"], otel_endpoint="http://otel.acme:4317")
    assert {name for name in more if name.startswith("egress")} == {f"egress-{p}-{f}" for p in (443, 3128, 4317) for f in ("ipv4", "ipv6")}
    own = of("Ec2Agents", security_groups=["sg-1"])
    assert not {name for name in own if name.startswith(("egress", "security-group"))}
    assert own["launch-template"]["networkInterfaces"][0]["securityGroups"] == ["sg-1"]


@pytest.mark.parametrize(
    ("args", "name", "path", "expected"),
    [
        ({"allow_metadata_service": True}, "launch-template", ("metadataOptions", "httpPutResponseHopLimit"), 2),
        ({"spot": True, "role": "vcs"}, "launch-template", ("instanceMarketOptions",), {"marketType": "spot"}),
        ({"spot": True, "role": "vcs"}, "group", ("capacityRebalance",), True),
        ({"on_change": "keep"}, "group", ("instanceRefresh",), None),
        ({"ami": "ami-0a1b2c3d4e5f60718"}, "launch-template", ("imageId",), "ami-0a1b2c3d4e5f60718"),
        ({"ami_parameter": "/acme/rocky9"}, "launch-template", ("imageId",), "resolve:ssm:/acme/rocky9"),
        ({"volume": {"size": "40Gi"}}, "launch-template", ("blockDeviceMappings", 0, "ebs", "volumeSize"), 40),
        ({"volume": {"size": "20G"}}, "launch-template", ("blockDeviceMappings", 0, "ebs", "volumeSize"), 19),
        ({"volume": {"kms_key": KEY}}, "launch-template", ("blockDeviceMappings", 0, "ebs", "kmsKeyId"), KEY),
        ({"volume": {"kms_key": KEY}}, "secret", ("kmsKeyId",), KEY),
        ({"drain_seconds": 7200}, "drain", ("heartbeatTimeout",), 7200),
        ({"min": 2, "max": 5}, "group", ("maxSize",), 5),
        ({"min": 2, "max": 5}, "scaling", ("policyType",), "TargetTrackingScaling"),
        (
            {"policies": ["arn:aws:iam::aws:policy/X"], "allow_metadata_service": True},
            "policy-0",
            ("policyArn",),
            "arn:aws:iam::aws:policy/X",
        ),
        ({"ssm": True}, "policy-ssm", ("policyArn",), "arn:aws:iam::aws:policy/AmazonSSMManagedInstanceCore"),
        ({"tags": {"team": "web"}}, "secret", ("tags", "team"), "web"),
    ],
)
def test_words_for_aws(args: dict[str, Any], name: str, path: tuple[Any, ...], expected: object) -> None:
    found: Any = of("Ec2Agents", **args)[name]
    for part in path:
        found = found.get(part) if isinstance(part, str) else found[part]
    assert found == expected


def test_machines_on_google() -> None:
    made = of("GceAgents")
    template = dict(made["template"])
    metadata = dict(template.pop("metadata"))
    assert metadata.pop("user-data").startswith("#cloud-config\n")
    assert metadata == {"enable-oslogin": "TRUE", "block-project-ssh-keys": "TRUE", "scalr-agents-secret-version": "3"}
    email, (tag,) = template["serviceAccount"]["email"], template["tags"]
    assert template == {
        "machineType": "e2-standard-2",
        "disks": [
            {
                "boot": True,
                "autoDelete": True,
                "sourceImage": "projects/ubuntu-os-cloud/global/images/family/ubuntu-2204-lts",
                "diskSizeGb": 30,
                "diskType": "pd-balanced",
            }
        ],
        "networkInterfaces": [{"subnetwork": "agents"}],
        "serviceAccount": {"email": email, "scopes": ["cloud-platform"]},
        "shieldedInstanceConfig": {"enableSecureBoot": True, "enableVtpm": True, "enableIntegrityMonitoring": True},
        "scheduling": {"automaticRestart": True, "gracefulShutdown": {"enabled": True, "maxDuration": {"seconds": 3600}}},
        "tags": [tag],
        "labels": {},
    }
    assert made["group"] == {
        "baseInstanceName": "it",
        "region": "europe-west1",
        "versions": [{"instanceTemplate": f"projects/{PROJECT}/global/instanceTemplates/it?uniqueId=1"}],
        "targetSize": 1,
        "updatePolicy": {
            "type": "PROACTIVE",
            "minimalAction": "REPLACE",
            "replacementMethod": "SUBSTITUTE",
            "maxSurgeFixed": 3,
            "maxUnavailableFixed": 0,
            "instanceRedistributionType": "NONE",
        },
    }
    assert made["secret-reader"] == {
        "secretId": f"projects/{PROJECT}/secrets/{NAME}",
        "role": "roles/secretmanager.secretAccessor",
        "member": f"serviceAccount:{email}",
    }
    common = {"network": NETWORK, "project": PROJECT, "direction": "EGRESS", "destinationRanges": ["0.0.0.0/0"], "targetTags": [tag]}
    assert made["egress"] == {**common, "allows": [{"protocol": "tcp", "ports": ["443"]}], "priority": 1000}
    assert made["egress-denied"] == {**common, "denies": [{"protocol": "all"}], "priority": 65000}


@pytest.mark.parametrize(
    ("args", "name", "path", "expected"),
    [
        ({"on_change": "keep"}, "group", ("updatePolicy", "type"), "OPPORTUNISTIC"),
        ({"role": "vcs"}, "template", ("scheduling",), {"automaticRestart": True}),
        (
            {"service_account": "runs@acme.iam.gserviceaccount.com"},
            "template",
            ("serviceAccount", "email"),
            "runs@acme.iam.gserviceaccount.com",
        ),
        ({"machine_image": "rocky"}, "template", ("disks", 0, "sourceImage"), "rocky"),
        ({"machine_type": "n4-standard-4"}, "template", ("disks", 0, "diskType"), "hyperdisk-balanced"),
        ({"volume": {"kms_key": "k"}}, "template", ("disks", 0, "diskEncryptionKey"), {"kmsKeySelfLink": "k"}),
        ({"min": 1, "max": 3}, "group", ("targetSize",), None),
        ({"min": 1, "max": 3}, "scaling", ("autoscalingPolicy", "maxReplicas"), 3),
        ({"labels": {"team": "web"}}, "secret", ("labels", "team"), "web"),
    ],
)
def test_words_for_google(args: dict[str, Any], name: str, path: tuple[Any, ...], expected: object) -> None:
    found: Any = of("GceAgents", **args)[name]
    for part in path:
        found = found.get(part) if isinstance(part, str) else found[part]
    assert found == expected


def test_a_service_account_of_one_s_own_is_not_made() -> None:
    assert "service-account" not in of("GceAgents", service_account="runs@acme.iam.gserviceaccount.com")


def test_a_group_waits_for_what_its_machines_need_and_its_removal_for_their_runs() -> None:
    on_aws, on_google = (record(component, args) for component, args in COMPONENTS.items())
    assert {"it-role-policy", "it-secret-version", "it-egress-443-ipv4", "it-profile"} <= on_aws.depends("it-group")
    assert {"it-secret-reader", "it-secret-version", "it-egress"} <= on_google.depends("it-group")
    assert {recording["it-group"].timeouts["delete"] for recording in (on_aws, on_google)} == {"4560s"}
    assert [resource.name for resource in on_aws.resources if resource.retain] == ["it-drain"]


@pytest.mark.parametrize("component", COMPONENTS)
def test_a_vcs_agent_has_nothing_to_drain(component: str) -> None:
    made = of(component, role="vcs")
    assert "drain" not in made
    assert "drain" not in cloud_config(made).replace("drain_", "").partition("scalr-agent.service")[2]


SECRET_ARN = f"arn:aws:secretsmanager:{REGION}:{ACCOUNT}:secret:it-AbCdEf"
GROUP_ARN = f"arn:aws:autoscaling:{REGION}:{ACCOUNT}:autoScalingGroup:0a1b:autoScalingGroupName/{{}}"


@pytest.mark.parametrize(
    ("action", "resource", "allowed"),
    [
        ("secretsmanager:GetSecretValue", SECRET_ARN, True),
        ("secretsmanager:GetSecretValue", SECRET_ARN.replace("it-", "other-"), False),
        ("secretsmanager:PutSecretValue", SECRET_ARN, False),
        ("autoscaling:CompleteLifecycleAction", GROUP_ARN.format(NAME), True),
        ("autoscaling:CompleteLifecycleAction", GROUP_ARN.format("other"), False),
        ("autoscaling:SetDesiredCapacity", GROUP_ARN.format(NAME), False),
        ("kms:Decrypt", KEY, False),
        ("ec2:DescribeInstances", "*", False),
    ],
)
def test_what_the_role_of_a_machine_may_do(action: str, resource: str, allowed: bool) -> None:
    assert allows(policies.machine(SECRET_ARN, NAME), action, resource) == allowed


def test_a_key_opens_the_secret_and_nothing_else() -> None:
    policy = policies.machine(SECRET_ARN, NAME, KEY)
    secret = "kms__EncryptionContext:SecretARN"
    through: dict[str, Any] = {"kms__ViaService": f"secretsmanager.{REGION}.amazonaws.com", secret: SECRET_ARN}
    assert allows(policy, "kms:Decrypt", KEY, **through)
    assert not allows(policy, "kms:Decrypt", KEY)
    assert not allows(policy, "kms:Decrypt", KEY, **{**through, "kms__ViaService": f"s3.{REGION}.amazonaws.com"})
    assert not allows(policies.machine(SECRET_ARN, NAME, drains=False), "autoscaling:CompleteLifecycleAction", GROUP_ARN.format(NAME))


def test_the_role_is_for_machines_and_has_the_policy_of_its_own_secret() -> None:
    made = of("Ec2Agents", volume={"kms_key": KEY})
    assert allows(made["role"]["assumeRolePolicy"], "sts:AssumeRole", principal={"Service": "ec2.amazonaws.com"})
    assert not allows(made["role"]["assumeRolePolicy"], "sts:AssumeRole", principal={"Service": "lambda.amazonaws.com"})
    arn = made["secret-version"]["secretId"]
    assert made["role-policy"]["policy"] == policies.machine(arn, NAME, KEY)


@pytest.mark.parametrize("component", COMPONENTS)
def test_user_data_is_what_the_command_prints_with_the_names_of_the_cloud(component: str) -> None:
    made = of(component)
    content = yaml.safe_load(cloud_config(made))
    unit = next(file["content"] for file in content["write_files"] if file["path"].endswith("/scalr-agent.service"))
    secret = made["secret-version"].get("secretId") or made["secret-version"]["secret"]
    assert f"ExecStartPre=/usr/local/lib/scalr-agent/host secrets {secret} /run/scalr-agent-secret/secret.env\n" in unit
    assert "<cloud" not in str(content)


@pytest.mark.parametrize(("component", "field"), [("Ec2Agents", "secretString"), ("GceAgents", "secretData")])
@pytest.mark.parametrize("wrap", [str, pulumi.Output.secret], ids=["plain", "secret"])
def test_the_secret_is_json_and_marked(component: str, field: str, wrap: Any) -> None:
    args = {**COMPONENTS[component]}
    made = inputs(record(component, lambda: {**args, "token": wrap(TOKEN), "secret_env": {"TF_TOKEN_acme": wrap("hidden-env")}}))
    content = made["secret-version"][field]
    assert isinstance(content, Secret)
    assert json.loads(content.value) == {"SCALR_AGENT_TOKEN": TOKEN, "TF_TOKEN_acme": "hidden-env"}


RANDOM = st.text("abcdefghijklmnopqrstuvwxyz0123456789", min_size=24, max_size=40)


@settings(max_examples=15)
@given(token=RANDOM, variable=RANDOM, component=st.sampled_from(sorted(COMPONENTS)), secret=st.booleans())
def test_no_request_carries_a_secret_in_plain(token: str, variable: str, component: str, secret: bool) -> None:
    wrap: Any = pulumi.Output.secret if secret else str
    recording = record(component, lambda: {**COMPONENTS[component], "token": wrap(token), "secret_env": {"A": wrap(variable)}})
    plain = [leaf for resource in recording.resources for _, leaf in leaves(resource.inputs) if not isinstance(leaf, Secret)]
    seen = str(plain) + cloud_config(inputs(recording)) + str(recording.outputs) + str(recording.log)
    assert token not in seen
    assert variable not in seen


@pytest.mark.parametrize(
    ("component", "args", "expected"),
    [
        ("Ec2Agents", {"token": ""}, "error: token: missing: the token of the agent pool"),
        ("Ec2Agents", {"subnets": []}, "error: subnets: missing"),
        ("Ec2Agents", {"concurrency": 6}, "error: concurrency: input should be less than or equal to 5; given the number 6"),
        (
            "Ec2Agents",
            {"volume": {"size": "8Gi"}},
            "error: volume.size: given 8Gi; an agent needs 20G at least, for images and the data of runs",
        ),
        ("Ec2Agents", {"secret_env": {"A": "x\ny"}}, "error: secret_env.A: has several lines, and a variable of a machine has one"),
        (
            "GceAgents",
            {"drain_seconds": 3601},
            "error: drain_seconds: given 3601; allowed: 30 to 3600, since Google waits one hour at most",
        ),
        ("GceAgents", {"instance_type": "x"}, "error: instance_type: unknown key 'instance_type'; did you mean 'machine_type'?"),
        (
            "GceAgents",
            {"https_proxy": "http://a:b@c"},
            "error: https_proxy: holds a login, which would lie in plain text on the machine and",
        ),
    ],
)
def test_arguments_that_are_refused(component: str, args: dict[str, Any], expected: str) -> None:
    found = refused(component, {**COMPONENTS[component], **args})
    assert [finding for finding in found if finding.startswith(expected)] != [], found


def test_an_output_that_is_no_text_ends_the_program_and_is_not_repeated() -> None:
    with pytest.raises(pulumi.RunError) as raised:
        run(program("Ec2Agents", lambda: {**AWS, "token": pulumi.Output.secret(["s3cr3t"])}))
    assert str(raised.value) == "machine 'it' cannot be deployed: empty, or no text of one line: SCALR_AGENT_TOKEN"


def stack_with(machines: Mapping[str, Any], **words: Any) -> Recording:
    """Deploy a stack of machines."""
    secrets = {
        name: {"token": TOKEN, "env": {"TF_TOKEN_acme": "hidden-env"}} for name, machine in machines.items() if "docker" not in machine
    }
    content = {"common": {"url": "https://acme.scalr.io"}, "machines": machines, "secrets": secrets, **words}
    configuration = {f"scalr-agents:{word}": json.dumps(entry) for word, entry in content.items()}
    return run(lambda: deploy(REPOSITORY), configuration=configuration, secret_keys=("scalr-agents:secrets",))


EC2 = {"subnets": ["subnet-0a"], "instanceType": "t3.large", "volume": {"size": "40Gi"}}
GCE = {"region": "europe-west1", "subnetwork": "agents", "machineType": "e2-standard-2", "image": "rocky"}


def test_a_stack_of_machines_needs_no_cluster() -> None:
    recording = stack_with({"fleet": {"ec2": EC2}, "other": {"gce": GCE}, "host": {"docker": {}}})
    assert recording.error is None, recording.error
    assert [r.name for r in recording.resources if r.type.startswith(("kubernetes:", "pulumi:providers"))] == []
    assert recording.exports.keys() == {"machines"}
    assert {name: set(outputs) for name, outputs in recording.exports["machines"].items()} == {
        "fleet": {"groupName", "roleArn", "secretArn"},
        "other": {"groupName", "serviceAccountEmail", "secretName"},
    }


def test_what_the_stack_file_says_reaches_the_machines() -> None:
    machine = {"ec2": EC2, "concurrency": 2, "memoryPerRun": "1Gi", "env": {"A": 1}, "agentVersion": "1.3.0", "onChange": "keep"}
    common = {"url": "https://acme.scalr.io", "ca": {"file": CA}, "imageRegistry": "mirror.acme", "agentVersion": "1.2.0"}
    recording = stack_with({"it": machine, "other": {"gce": GCE}}, common=common)
    assert recording.error is None, recording.error
    made = inputs(recording)
    template = {name: resource.inputs for name, resource in ((r.name, r) for r in recording.resources)}
    text = cloud_config(made)
    for line in ("SCALR_AGENT_CONCURRENCY=2\n", "MEM_LIMIT=1024\n", " A=1\n", "mirror.acme/scalr/agent:1.3.0 run\n"):
        assert line in text
    assert (STACKS / CA).read_text().splitlines()[-2] in text
    assert template["it-launch-template"]["blockDeviceMappings"][0]["ebs"]["volumeSize"] == 40
    assert "instanceRefresh" not in template["it-group"]
    assert template["other-template"]["disks"][0]["sourceImage"] == "rocky"
    assert "agent:1.2.0" in template["other-template"]["metadata"]["user-data"]
    assert template["it-secret-version"]["secretString"].value == json.dumps({"SCALR_AGENT_TOKEN": TOKEN, "TF_TOKEN_acme": "hidden-env"})


def test_names_in_user_data_are_those_of_the_stack() -> None:
    made = of("Ec2Agents")
    unit = next(file["content"] for file in yaml.safe_load(cloud_config(made))["write_files"] if file["path"].endswith("-drain.service"))
    assert f"ExecStart=/usr/local/lib/scalr-agent/host drain aws {NAME} drain\n" in unit
    assert made["group"]["name"] == NAME
