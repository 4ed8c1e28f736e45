"""Changes of fields, together if their effect is the same: what the engine does, and that the cloud takes it and nothing is left to do."""

import pytest

from tests.clouds import samples
from tests.clouds.aws.server import AwsCloud
from tests.clouds.conftest import New
from tests.clouds.gcp.server import HOST_PROJECT, PROJECT, SELF, GoogleCloud
from tests.clouds.stacks import CloudStack
from tests.engine import changing
from tests.engine.changing import ROLLED, Change, check
from tests.engine.stacks import up

TRIED = {"DeleteSecurityGroup", "StartInstanceRefresh"}
"""What the provider finds out by trying: whether a machine still has a group, and whether another change is under way."""


@pytest.fixture
def machines(on_aws: New, aws: AwsCloud) -> CloudStack:
    """A group of machines for runs on AWS."""
    stack = on_aws("aws-machines")
    ec2 = {"subnets": aws.places["dev"].private[:2], "instanceType": "t3.large"}
    stack.edit({"common.proxy": None, "machines": {"legacy": {"ec2": ec2}}})
    stack.set_secrets({"legacy.token": "token-of-legacy"})
    up(stack)
    return stack


def test_changes_of_machines_on_aws(machines: CloudStack, aws: AwsCloud) -> None:
    key = aws.client("kms").create_key()["KeyMetadata"]["Arn"]
    encrypted = {"secret": "update", "role-policy": "update", **ROLLED}
    check(
        machines,
        "machines.legacy",
        [
            Change({"ec2.instanceType": "m7g.large", "ec2.architecture": "arm64", "ec2.spot": True, "concurrency": 2}, ROLLED),
            Change({"ec2.min": 2, "ec2.max": 4}, {"group": "update", "scaling": "create"}),
            Change({"ec2.max": None, "ec2.min": 1, "ec2.maxInstanceLifetime": 604800}, {"group": "update", "scaling": "delete"}),
            Change({"ec2.maxInstanceLifetime": None, "onChange": "keep"}, {"group": "update"}),
            Change({"onChange": None}, {"group": "update"}),
            Change({"ec2.ami": aws.images["arm64"], "ec2.volume": {"size": "40Gi", "kmsKey": key}}, encrypted),
            Change({"ec2.volume": None, "agentVersion": "1.3.0"}, ROLLED),  # the secret keeps its key
            Change({"ec2.logRetentionDays": 30}, {"logs": "create", "role-policy": "update", **ROLLED}),
            Change({"ec2.logRetentionDays": 90}, {"logs": "update"}),
            Change({"ec2.logRetentionDays": None}, {"logs": "delete", "role-policy": "update", **ROLLED}),
            Change({"ec2.otherInstanceTypes": ["m6g.large", "r7g.large"]}, ROLLED),
            Change({"ec2.otherInstanceTypes": ["r7g.large"]}, {"group": "update"}),
            Change({"ec2.otherInstanceTypes": None, "ec2.spot": None, "drainSeconds": 600}, {"drain": "update", **ROLLED}),
            Change({"role": "vcs", "concurrency": None, "drainSeconds": None}, {"drain": "update", **ROLLED}),
        ],
    )
    machines.set_secrets({"legacy.token": "another-token"})
    check(machines, "machines.legacy", [Change({}, {"secret-version": "create, delete", **ROLLED})])
    assert {call.operation for call in aws.refused()} <= TRIED
    assert not machines.destroy().failed


def test_changes_of_network_and_identity_on_aws(machines: CloudStack, aws: AwsCloud) -> None:
    place = aws.places["dev"]
    check(machines, "machines.legacy", changing.of_places_on_aws(place.private, place.nodes))
    assert {call.operation for call in aws.refused()} <= TRIED
    assert not machines.destroy().failed


TEMPLATE = {"template": "create, delete", "group": "update"}
_OTHER_ACCOUNT = {**dict.fromkeys(("secret-reader", "template", "group"), "create, delete"), "scaling": "update"}
_OTHER_VPC = {**dict.fromkeys(("egress", "egress-denied"), "delete, create"), **TEMPLATE}


def test_changes_of_machines_on_google(on_google: New, google: GoogleCloud) -> None:
    stack = on_google("gcp-machines")
    stack.edit({"machines": {"legacy": {"gce": {"region": "europe-west1", "subnetwork": "agents", "machineType": "e2-standard-2"}}}})
    stack.set_secrets({"legacy.token": "token-of-legacy"})
    up(stack)
    shared, own = (
        f"projects/{project}/regions/europe-west1/subnetworks/{name}" for project, name in ((HOST_PROJECT, "shared"), (PROJECT, "agents"))
    )
    key = f"projects/{PROJECT}/locations/europe-west1/keyRings/agents/cryptoKeys/disks"
    image = "projects/ubuntu-os-cloud/global/images/family/ubuntu-2404-lts"
    check(
        stack,
        "machines.legacy",
        [
            Change({"gce.machineType": "n2-standard-4", "gce.image": image, "gce.volume": {"size": "50Gi", "kmsKey": key}}, TEMPLATE),
            Change({"gce.volume": None, "concurrency": 2, "drainSeconds": 600}, TEMPLATE),
            Change({"gce.egressPorts": [80, 8443], "onChange": "keep"}, {"egress": "update", "group": "update"}),
            Change({"gce.labels": {"team": "web"}, "allowMetadataService": True}, {"secret": "update", **TEMPLATE}),
            Change({"gce.serviceAccount": f"runs@{PROJECT}.iam.gserviceaccount.com"}, {"service-account": "delete", **_OTHER_ACCOUNT}),
            Change({"gce.serviceAccount": None}, {"service-account": "create", **_OTHER_ACCOUNT}),
            Change({"gce.subnetwork": shared}, _OTHER_VPC),
            Change({"gce.subnetwork": f"{SELF}{shared}"}, {}),
            Change({"gce.subnetwork": own}, _OTHER_VPC),
            Change({"gce.subnetwork": "agents"}, {}),
            Change({"gce.region": "us-central1"}, dict.fromkeys(("template", "group", "scaling"), "create, delete")),
            Change({"role": "vcs", "concurrency": None, "drainSeconds": None, "allowMetadataService": None}, TEMPLATE),
        ],
    )
    stack.set_secrets({"legacy.token": "another-token"})
    check(stack, "machines.legacy", [Change({}, {"secret-version": "create, delete", **TEMPLATE})])
    assert google.refused() == []
    assert not stack.destroy().failed


OTHER_CLAIM = dict.fromkeys(("cache-volume", "cache-claim", "controller-deployment"), "delete, create")
OTHER_INSTANCE = {"filestore-instance": "create, delete", **OTHER_CLAIM}
OWN_OF_A_FILE_SYSTEM = [f"efs-mount-target-eu-west-1{zone}" for zone in "abc"] + [
    *("efs-creation-token", "efs-file-system", "efs-backup-policy", "efs-policy", "cache-access-point")
]


def test_changes_of_a_cache_on_efs(on_aws: New, aws: AwsCloud) -> None:
    stack = on_aws("aws-prod")
    samples.STACKS["aws-prod"](stack, aws)
    place = aws.places["prod"]
    up(stack)
    other = aws.client("iam").create_role(RoleName="other-driver", AssumeRolePolicyDocument="{}")["Role"]["Arn"]
    key = aws.client("kms").create_key()["KeyMetadata"]["Arn"]
    tagged = ("efs-file-system", "efs-security-group", "cache-access-point")
    subnets = dict(zip(("eu-west-1a", "eu-west-1b", "eu-west-1c"), place.private, strict=True))
    check(
        stack,
        "caches.payments",
        [
            Change({"efs.throughputMode": "provisioned", "efs.provisionedThroughputMibps": 64}, {"efs-file-system": "update"}),
            Change({"efs.provisionedThroughputMibps": 128, "efs.infrequentAccessAfterDays": 30}, {"efs-file-system": "update"}),
            Change({"efs.throughputMode": "elastic", "efs.provisionedThroughputMibps": None}, {"efs-file-system": "update"}),
            Change({"efs.throughputMode": "bursting", "efs.infrequentAccessAfterDays": None}, {"efs-file-system": "update"}),
            Change({"efs.tags": {"team": "web"}}, dict.fromkeys((*tagged, f"efs-from-{place.nodes}"), "update")),
            Change({"efs.clients": {"cidrs": ["10.2.0.0/20"]}}, {"efs-from-10.2.0.0-20": "create", f"efs-from-{place.nodes}": "delete"}),
            Change({"efs.driverRole": other}, {"efs-policy": "update"}),
            Change({"efs.driverRole": None}, {"efs-policy": "update", **OTHER_CLAIM}),
            Change(
                {"efs.subnets": {zone: subnets[zone] for zone in ("eu-west-1a", "eu-west-1b")}}, {"efs-mount-target-eu-west-1c": "delete"}
            ),
            Change({"efs.subnets": subnets}, {"efs-mount-target-eu-west-1c": "create"}),
            Change({"onDelete": "delete"}, {}),
            Change({"efs.kmsKey": key}, {**dict.fromkeys(OWN_OF_A_FILE_SYSTEM, "create, delete"), **OTHER_CLAIM}),
            Change(
                {"efs.zone": "eu-west-1a", "efs.subnets": {"eu-west-1a": subnets["eu-west-1a"]}},
                {
                    **dict.fromkeys(OWN_OF_A_FILE_SYSTEM, "create, delete"),
                    **OTHER_CLAIM,
                    **{f"efs-mount-target-eu-west-1{zone}": "delete" for zone in "bc"},
                },
            ),
        ],
    )
    assert aws.refused() == []


def test_changes_of_a_cache_on_filestore(on_google: New, google: GoogleCloud) -> None:
    stack = on_google("gcp-prod")
    samples.STACKS["gcp-prod"](stack, google)
    up(stack)
    check(
        stack,
        "caches.apps",
        [
            Change(
                {"filestore.capacity": "2Ti"},
                dict.fromkeys(("filestore-instance", "cache-volume", "controller-task-template", "controller-deployment"), "update"),
            ),
            Change(
                {
                    "filestore.exportOptions": [{"ipRanges": ["10.0.0.0/20", "10.1.0.0/20"]}],
                    "filestore.labels": {"team": "web"},
                    "onDelete": "delete",
                },
                {"filestore-instance": "update"},
            ),
            Change({"filestore.network": "https://www.googleapis.com/compute/v1/projects/acme-network/global/networks/shared"}, {}),
            Change({"filestore.capacity": "10Ti"}, {"controller-task-template": "update", **OTHER_INSTANCE}),
            Change({"filestore.protocol": "NFS_V3"}, OTHER_INSTANCE),
            Change({"filestore.connectMode": "DIRECT_PEERING", "filestore.network": "default"}, OTHER_INSTANCE),
            Change({"filestore.network": f"projects/{PROJECT}/global/networks/default"}, {}),
            Change({"filestore.location": "us-central1"}, OTHER_INSTANCE),
            Change({"filestore.shareName": "plugins"}, OTHER_INSTANCE),
            Change({"filestore.tier": "ENTERPRISE"}, OTHER_INSTANCE),
        ],
    )
    assert google.refused() == []
