"""The components for machines: resources, permissions of machines, and secrets only where they belong."""

import json
from typing import Any

import pulumi
import pytest
import yaml
from hypothesis import given, settings, strategies as st
from scalr_agents.machines.aws import machine_policy

from tests.helpers.components import inputs, program, record, refused
from tests.helpers.mocked_clouds import NETWORK, PROJECT, SUBNETWORK
from tests.helpers.policies import allows
from tests.helpers.recording import Secret, run
from tests.resources.machine_groups import AWS, COMPONENTS, GCP, KEY, NAME, TOKEN, cloud_config, of


def test_ec2_resources_and_inputs() -> None:
    made = of("Ec2Agents")
    template = dict(made["launch-template"])
    assert cloud_config({"launch-template": template}).startswith("#cloud-config\n")
    del template["userData"]
    tags = {"Name": NAME}
    assert template == {
        "name": NAME,
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
    hook = {
        "name": "drain",
        "lifecycleTransition": "autoscaling:EC2_INSTANCE_TERMINATING",
        "heartbeatTimeout": 3720,
        "defaultResult": "CONTINUE",
    }
    assert group.pop("launchTemplate").keys() == {"id", "version"}
    assert group == {
        "name": NAME,
        "minSize": 1,
        "maxSize": 1,
        "vpcZoneIdentifiers": ["subnet-0a", "subnet-0b"],
        "healthCheckType": "EC2",
        "capacityRebalance": False,
        "waitForCapacityTimeout": "0",
        "initialLifecycleHooks": [hook],
        "instanceRefresh": {
            "strategy": "Rolling",
            "preferences": {"minHealthyPercentage": 100, "maxHealthyPercentage": 110, "skipMatching": True},
        },
        "tags": [{"key": "Name", "value": NAME, "propagateAtLaunch": False}],
    }
    assert made["drain"] == {"autoscalingGroupName": NAME, **hook}


def test_ec2_egress_rules() -> None:
    made = of("Ec2Agents")
    assert "ingress" not in made["security-group"]
    rules = {name: rule for name, rule in made.items() if name.startswith(("egress", "ingress"))}
    assert {name: (rule["ipProtocol"], rule["fromPort"], rule["toPort"]) for name, rule in rules.items()} == {
        "egress-443-ipv4": ("tcp", 443, 443),
        "egress-443-ipv6": ("tcp", 443, 443),
    }
    more = of("Ec2Agents", https_proxy="http://proxy.acme:3128", no_proxy=["amazonaws.com"], otel_endpoint="http://otel.acme:4317")
    assert {name for name in more if name.startswith("egress")} == {f"egress-{p}-{f}" for p in (443, 3128, 4317) for f in ("ipv4", "ipv6")}
    assert made["security-group"]["name"] == f"{NAME}-443"
    assert more["security-group"]["name"] == f"{NAME}-443-3128-4317"
    further = of("Ec2Agents", egress_ports=[8443, 80], url="https://acme.scalr.io:6443", image_registry="registry.acme:5000")
    assert further["security-group"]["name"] == f"{NAME}-80-443-5000-6443-8443"
    own = of("Ec2Agents", security_groups=["sg-1"])
    assert not {name for name in own if name.startswith(("egress", "security-group"))}
    assert own["launch-template"]["networkInterfaces"][0]["securityGroups"] == ["sg-1"]


def at(found: Any, path: tuple[Any, ...]) -> Any:
    for part in path:
        found = found.get(part) if isinstance(part, str) else found[part]
    return found


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
            "policy-arn-aws-iam-aws-policy-X",
            ("policyArn",),
            "arn:aws:iam::aws:policy/X",
        ),
        ({"permissions_boundary": "arn:aws:iam::aws:policy/X"}, "role", ("permissionsBoundary",), "arn:aws:iam::aws:policy/X"),
        ({"role_path": "/scalr/"}, "role", ("path",), "/scalr/"),
        ({"role_path": "/scalr/"}, "profile", ("path",), "/scalr/"),
        ({"max_instance_lifetime": 604800}, "group", ("maxInstanceLifetime",), 604800),
        ({"log_retention_days": 30}, "logs", ("retentionInDays",), 30),
        ({"ssm": True}, "policy-ssm", ("policyArn",), "arn:aws:iam::aws:policy/AmazonSSMManagedInstanceCore"),
        ({"tags": {"team": "web"}}, "secret", ("tags", "team"), "web"),
    ],
)
def test_ec2_settings(args: dict[str, Any], name: str, path: tuple[Any, ...], expected: object) -> None:
    assert at(of("Ec2Agents", **args)[name], path) == expected


def test_gce_resources_and_inputs() -> None:
    made = of("GceAgents")
    template = dict(made["template"])
    metadata = dict(template.pop("metadata"))
    assert metadata.pop("user-data").startswith("#cloud-config\n")
    assert metadata == {"enable-oslogin": "TRUE", "block-project-ssh-keys": "TRUE", "scalr-agents-secret-version": "3"}
    email, (tag,) = template["serviceAccount"]["email"], template["tags"]
    assert template == {
        "region": "europe-west1",
        "machineType": "e2-standard-2",
        "disks": [
            {
                "boot": True,
                "autoDelete": True,
                "sourceImage": UBUNTU,
                "diskSizeGb": 30,
                "diskType": "pd-balanced",
            }
        ],
        "networkInterfaces": [{"subnetwork": SUBNETWORK}],
        "serviceAccount": {"email": email, "scopes": ["cloud-platform"]},
        "shieldedInstanceConfig": {"enableSecureBoot": True, "enableVtpm": True, "enableIntegrityMonitoring": True},
        "scheduling": {"automaticRestart": True, "gracefulShutdown": {"enabled": True, "maxDuration": {"seconds": 3600}}},
        "tags": [tag],
        "labels": {},
    }
    assert made["group"] == {
        "name": tag,
        "baseInstanceName": "it",
        "region": "europe-west1",
        "versions": [{"instanceTemplate": f"projects/{PROJECT}/global/instanceTemplates/it?uniqueId=1"}],
        "updatePolicy": {
            "type": "PROACTIVE",
            "minimalAction": "REPLACE",
            "replacementMethod": "SUBSTITUTE",
            "maxSurgeFixed": 3,
            "maxUnavailableFixed": 0,
            "minReadySec": 300,
            "instanceRedistributionType": "NONE",
        },
    }
    assert made["secret-reader"] == {
        "secretId": f"projects/{PROJECT}/secrets/{NAME}",
        "role": "roles/secretmanager.secretAccessor",
        "member": f"serviceAccount:{email}",
    }
    common = {"network": NETWORK, "project": PROJECT, "direction": "EGRESS", "destinationRanges": ["0.0.0.0/0"], "targetTags": [tag]}
    assert made["egress"] == {"name": f"{tag}-egress", **common, "allows": [{"protocol": "tcp", "ports": ["443"]}], "priority": 1000}
    assert made["egress-denied"] == {"name": f"{tag}-egress-denied", **common, "denies": [{"protocol": "all"}], "priority": 65000}
    assert {inputs["direction"] for inputs in made.values() if "direction" in inputs} == {"EGRESS"}


UBUNTU = "projects/ubuntu-os-cloud/global/images/family/ubuntu-2204-lts"
GOOGLE_KEY = "projects/acme/locations/europe-west1/keyRings/agents/cryptoKeys/disks"


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
        ({"volume": {"kms_key": GOOGLE_KEY}}, "template", ("disks", 0, "diskEncryptionKey"), {"kmsKeySelfLink": GOOGLE_KEY}),
        ({"machine_type": "c4a-standard-4"}, "template", ("disks", 0, "sourceImage"), f"{UBUNTU}-arm64"),
        ({"egress_ports": [80]}, "egress", ("allows", 0, "ports"), ["80", "443"]),
        *(({"min": 1, "max": most}, "group", ("targetSize",), None) for most in (1, 3)),
        *(({"min": 1, "max": most}, "scaling", ("autoscalingPolicy", "maxReplicas"), most) for most in (1, 3)),
        ({}, "scaling", ("autoscalingPolicy", "minReplicas"), 1),
        ({"labels": {"team": "web"}}, "secret", ("labels", "team"), "web"),
    ],
)
def test_gce_settings(args: dict[str, Any], name: str, path: tuple[Any, ...], expected: object) -> None:
    assert at(of("GceAgents", **args)[name], path) == expected


def test_an_existing_service_account_is_used() -> None:
    assert "service-account" not in of("GceAgents", service_account="runs@acme.iam.gserviceaccount.com")


def test_group_dependencies_and_timeouts() -> None:
    on_aws, on_google = (record(component, args) for component, args in COMPONENTS.items())
    assert {"it-role-policy", "it-secret-version", "it-egress-443-ipv4", "it-profile"} <= on_aws.depends("it-group")
    assert {"it-secret-reader", "it-secret-version", "it-egress"} <= on_google.depends("it-group")
    assert {recording["it-group"].timeouts["delete"] for recording in (on_aws, on_google)} == {"4680s"}
    assert [resource.name for resource in on_aws.resources if resource.retain] == ["it-drain"]


ARN = "arn:aws:iam::aws:policy/"


def test_replacement_keeps_resources_of_running_machines() -> None:
    """Another role results in another group. Replacements are created first, and rules are deleted with their security group."""
    first, other = (record("Ec2Agents", {**AWS, "policies": [f"{ARN}X"], "role_path": path}) for path in ("", "/scalr/"))
    moved = {"role", "role-policy", "profile", "group", "policy-arn-aws-iam-aws-policy-X", "security-group"}
    for recording in (first, other):
        assert {name for name in moved if recording[f"it-{name}"].goes_first is False} == moved
    names = [[recording[f"it-{name}"].inputs["name"] for name in ("role", "profile", "group")] for recording in (first, other)]
    assert names == [[NAME] * 3, [f"{NAME}-639e2e6d"] * 3]
    rules = [resource for resource in first.resources if resource.name.startswith("it-egress")]
    assert {rule.deleted_with for rule in rules} == {"it-security-group"}
    assert first["it-security-group"].replaced_by_change_of == "443"


def test_changing_the_account_replaces_the_gce_group() -> None:
    own = record("GceAgents", GCP)["it-group"]
    given = record("GceAgents", {**GCP, "service_account": "runs@acme.iam.gserviceaccount.com"})["it-group"]
    assert [(group.replaced_by_change_of, group.goes_first) for group in (own, given)] == [("own", False), ("given", False)]
    assert own.inputs["name"] != given.inputs["name"]


def test_output_policies_are_exclusive() -> None:
    """Outputs have no value yet that could be part of a name."""

    def call() -> None:
        program("Ec2Agents", {**AWS, "policies": [f"{ARN}X", pulumi.Output.from_input(f"{ARN}Y")], "ssm": True})()

    recording = run(call)
    assert {resource.name for resource in recording.resources if "policy" in resource.name} == {
        "it-role-policy",
        "it-policy-arn-aws-iam-aws-policy-X",
        "it-policy-ssm",
    }
    every = recording["it-policies"]
    assert every.type == "aws:iam/rolePolicyAttachmentsExclusive:RolePolicyAttachmentsExclusive"
    assert every.inputs == {"roleName": NAME, "policyArns": [f"{ARN}X", f"{ARN}AmazonSSMManagedInstanceCore", f"{ARN}Y"]}
    assert "it-policies" in recording.depends("it-group")


def test_a_secret_keeps_a_removed_key() -> None:
    """The provider cannot remove the key, and machines need it to read the secret."""
    without, given = (record("Ec2Agents", {**AWS, "volume": volume})["it-secret"] for volume in ({}, {"kms_key": KEY}))
    assert (without.ignored_changes, given.ignored_changes) == (("name", "kmsKeyId"), ("name",))


def test_a_vcs_agent_on_gce_does_not_drain() -> None:
    made = of("GceAgents", role="vcs")
    assert "drain" not in cloud_config(made).replace("drain_", "").partition("scalr-agent.service")[2]


def test_a_vcs_agent_on_aws_completes_the_hook_of_its_group() -> None:
    """The hook belongs to the group and stays when the group changes its role."""
    made = of("Ec2Agents", role="vcs")
    assert made["drain"] == of("Ec2Agents")["drain"]
    assert f"host drain aws {NAME} drain" in cloud_config(made)


def test_the_role_is_for_ec2_with_the_policy_of_its_secret() -> None:
    made = of("Ec2Agents", volume={"kms_key": KEY})
    assert allows(made["role"]["assumeRolePolicy"], "sts:AssumeRole", principal={"Service": "ec2.amazonaws.com"})
    assert not allows(made["role"]["assumeRolePolicy"], "sts:AssumeRole", principal={"Service": "lambda.amazonaws.com"})
    arn = made["secret-version"]["secretId"]
    assert made["role-policy"]["policy"] == machine_policy(arn, NAME, KEY)


@pytest.mark.parametrize("component", COMPONENTS)
def test_user_data_matches_the_printed_document(component: str) -> None:
    made = of(component)
    content = yaml.safe_load(cloud_config(made))
    unit = next(file["content"] for file in content["write_files"] if file["path"].endswith("/scalr-agent.service"))
    secret = made["secret-version"].get("secretId") or made["secret-version"]["secret"]
    assert f"ExecStartPre=/usr/local/lib/scalr-agent/host secrets {secret} /run/scalr-agent-secret/secret.env\n" in unit
    assert "<cloud" not in str(content)


@pytest.mark.parametrize(("component", "field"), [("Ec2Agents", "secretString"), ("GceAgents", "secretData")])
@pytest.mark.parametrize("wrap", [str, pulumi.Output.secret], ids=["plain", "secret"])
def test_the_secret_is_json_and_marked_secret(component: str, field: str, wrap: Any) -> None:
    args = {**COMPONENTS[component]}
    made = inputs(record(component, lambda: {**args, "token": wrap(TOKEN), "secret_env": {"TF_TOKEN_acme": wrap("hidden-env")}}))
    content = made["secret-version"][field]
    assert isinstance(content, Secret)
    assert json.loads(content.value) == {"SCALR_AGENT_TOKEN": TOKEN, "TF_TOKEN_acme": "hidden-env"}


RANDOM = st.text("abcdefghijklmnopqrstuvwxyz0123456789", min_size=24, max_size=40)


@settings(max_examples=15)
@given(token=RANDOM, variable=RANDOM, component=st.sampled_from(sorted(COMPONENTS)), secret=st.booleans())
def test_no_request_contains_a_plain_secret(token: str, variable: str, component: str, secret: bool) -> None:
    wrap: Any = pulumi.Output.secret if secret else str
    recording = record(component, lambda: {**COMPONENTS[component], "token": wrap(token), "secret_env": {"A": wrap(variable)}})
    seen = recording.readable + cloud_config(inputs(recording))
    assert token not in seen
    assert variable not in seen


@pytest.mark.parametrize(
    ("component", "args", "expected"),
    [
        ("Ec2Agents", {"token": ""}, "error: token: missing: set the token of the agent pool"),
        ("GceAgents", {"token": "null"}, 'error: token: is the word "null", which is not a token; set the token of the agent pool'),
        ("GceAgents", {"token": f" {TOKEN}", "ca_bundle": "x"}, "warning: token: begins or ends with white space"),
        ("Ec2Agents", {"subnets": ["subnet-0a", ""]}, "error: subnets[1]: given an empty string; expected the ID of a subnet"),
        ("Ec2Agents", {"no_proxy": ["a.b", "a\nExecStartPre=+/bin/true"]}, "error: no_proxy[1]: not a host (github.acme.internal)"),
        ("GceAgents", {"http_proxy": "http://a:1\nB=1"}, "error: http_proxy: contains a line break or another control character"),
        (
            "GceAgents",
            {"https_proxy": "http://a:b@c"},
            "error: https_proxy: contains credentials, which would be stored in plain text on the machine and",
        ),
        ("GceAgents", {"secret_env": {"A": ""}}, "error: secret_env.A: empty; set it, or remove it"),
        ("Ec2Agents", {"secret_env": {" ": "x"}}, "error: secret_env. : not a valid name of an environment variable"),
        ("Ec2Agents", {"ca_bundle": "certs/ca.pem"}, "error: ca_bundle: not PEM"),
        (
            "GceAgents",
            {"drain_seconds": 3601},
            "error: drain_seconds: given 3601; allowed: 30 to 3600, because Google waits at most one hour",
        ),
        ("GceAgents", {"instance_type": "x"}, "error: instance_type: unknown key 'instance_type'; did you mean 'machine_type'?"),
    ],
)
def test_invalid_arguments(component: str, args: dict[str, Any], expected: str) -> None:
    found = refused(component, {**COMPONENTS[component], **args})
    assert [finding for finding in found if finding.startswith(expected)] != [], found


def test_a_non_string_output_fails_and_is_not_printed() -> None:
    with pytest.raises(pulumi.RunError) as raised:
        run(program("Ec2Agents", lambda: {**AWS, "token": pulumi.Output.secret(["s3cr3t"])}))
    assert str(raised.value) == "machine 'it' cannot be deployed: these variables are empty or not a string of one line: SCALR_AGENT_TOKEN"


@pytest.mark.parametrize("component", COMPONENTS)
def test_arguments_without_effect_are_warnings(component: str) -> None:
    alone = {"no_proxy": ["10.0.0.0/8"], "ca_scope": "tasks", "otel_traces": True}
    found = [text for _, text in record(component, {**COMPONENTS[component], **alone}).log]
    assert found == [
        "it: ca_scope: has no effect without ca_bundle",
        "it: no_proxy: has no effect without http_proxy or https_proxy",
        "it: otel_traces: has no effect without otel_endpoint",
    ]
