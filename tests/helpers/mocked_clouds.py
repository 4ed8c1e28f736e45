"""Mocked responses of AWS and Google: outputs of new resources, and lookups of existing ones."""

import zlib
from collections.abc import Mapping
from typing import Any

ACCOUNT, REGION, PROJECT = "111122223333", "eu-west-1", "acme-infra"
CLUSTERS = {
    "prod": {
        "vpcId": "vpc-0a1b2c3d",
        "subnetIds": ["subnet-0000000c", "subnet-0000000a", "subnet-0000000b", "subnet-0000001a"],
        "clusterSecurityGroupId": "sg-0c1a5e00",
    }
}
INSTANCE = "projects/acme-infra/locations/europe-west1-b/instances/nfs-1"
KEY = f"arn:aws:kms:{REGION}:{ACCOUNT}:key/11111111-2222-3333-4444-555555555555"
MANAGED_KEY = f"arn:aws:kms:{REGION}:{ACCOUNT}:key/00000000-0000-0000-0000-000000000000"
ALIASES = {f"arn:aws:kms:{REGION}:{ACCOUNT}:alias/caches": KEY}
"""Other names of keys; AWS answers with the key's ARN, whatever it was given."""


AMI, ROOT_DEVICE, VPC = "ami-0a1b2c3d4e5f60718", "/dev/sda1", "vpc-0a1b2c3d"
NETWORK = f"https://www.googleapis.com/compute/v1/projects/{PROJECT}/global/networks/agents"
SUBNETWORK = f"https://www.googleapis.com/compute/v1/projects/{PROJECT}/regions/europe-west1/subnetworks/agents"

IDENTITIES = {
    "aws:ec2/launchTemplate:LaunchTemplate": ("lt-{number}", f"arn:aws:ec2:{REGION}:{ACCOUNT}:launch-template/"),
    "aws:iam/instanceProfile:InstanceProfile": ("{unique}", f"arn:aws:iam::{ACCOUNT}:instance-profile/"),
    "aws:secretsmanager/secret:Secret": (f"arn:aws:secretsmanager:{REGION}:{ACCOUNT}:secret:{{unique}}-AbCdEf", ""),
    "gcp:secretmanager/secret:Secret": (f"projects/{PROJECT}/secrets/{{secretId}}", None),
    "aws:ec2/securityGroup:SecurityGroup": ("sg-{number}", f"arn:aws:ec2:{REGION}:{ACCOUNT}:security-group/"),
    "aws:efs/accessPoint:AccessPoint": ("fsap-{number}", f"arn:aws:elasticfilesystem:{REGION}:{ACCOUNT}:access-point/"),
    "aws:efs/fileSystem:FileSystem": ("fs-{number}", f"arn:aws:elasticfilesystem:{REGION}:{ACCOUNT}:file-system/"),
    "aws:efs/fileSystemPolicy:FileSystemPolicy": ("{fileSystemId}-policy", None),
    "aws:efs/mountTarget:MountTarget": ("fsmt-{number}", None),
    "aws:eks/addon:Addon": ("{clusterName}:{addonName}", f"arn:aws:eks:{REGION}:{ACCOUNT}:addon/"),
    "aws:iam/role:Role": ("{unique}", f"arn:aws:iam::{ACCOUNT}:role/"),
    "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule": ("sgr-{number}", None),
    "gcp:filestore/instance:Instance": (f"projects/{PROJECT}/locations/{{location}}/instances/{{unique}}", None),
}
"""Form of the id of each type, and what its ARN begins with, where it has one."""


_NEW: Mapping[str, Mapping[str, Any]] = {
    "aws:ec2/launchTemplate:LaunchTemplate": {"defaultVersion": 1, "latestVersion": 7},
    "aws:secretsmanager/secretVersion:SecretVersion": {"versionId": "11111111-2222-3333-4444-555555555555"},
    "gcp:compute/instanceTemplate:InstanceTemplate": {"selfLinkUnique": f"projects/{PROJECT}/global/instanceTemplates/it?uniqueId=1"},
    "gcp:secretmanager/secretVersion:SecretVersion": {"version": "3"},
}
"""What else the cloud says of a new resource."""


def created(token: str, name: str, inputs: Mapping[str, Any], number: str = "") -> tuple[str, dict[str, Any]]:
    """Id and outputs of a new resource: its inputs, and the outputs of the cloud. `number` distinguishes resources of one name."""
    form, arn = IDENTITIES.get(token, ("{name}-{number}" if number else "{name}-id", None))
    apart = number
    number = number or f"{zlib.crc32(name.encode()):08x}"
    identity = form.format(**{**inputs, "name": name, "number": number, "unique": inputs.get("name") or f"{name}-{number}"})
    outputs = dict(inputs)
    if token.startswith(("aws:iam/role", "gcp:")):
        outputs.setdefault("name", identity.rpartition("/")[2])
    if token == "gcp:serviceaccount/account:Account":
        outputs["email"] = f"{inputs['accountId']}@{PROJECT}.iam.gserviceaccount.com"
    if token == "aws:secretsmanager/secret:Secret":
        outputs.setdefault("kmsKeyId", "")  # with AWS's own key
    outputs |= {word: f"{value}-{apart}" if apart and isinstance(value, str) else value for word, value in _NEW.get(token, {}).items()}
    if token.startswith("gcp:filestore/instance"):
        outputs["networks"] = [{**inputs["networks"][0], "ipAddresses": ["10.20.30.2"]}]
    return identity, outputs | ({"arn": f"{arn}{identity}"} if arn is not None else {})


def zone(subnet: str) -> str:
    """The availability zone and VPC of a subnet."""
    return f"{REGION}{subnet[-1]}"


def looked_up(token: str, args: Mapping[str, Any]) -> tuple[dict[str, Any], list[tuple[str, str]]]:
    """The result of a lookup, or the reason of its failure."""
    match token:
        case "aws:eks/getCluster:getCluster":
            network = CLUSTERS.get(args["name"])
            return (
                ({"vpcConfig": network}, []) if network else ({}, [("", f"reading EKS Cluster ({args['name']}): couldn't find resource")])
            )
        case "gcp:filestore/getInstance:getInstance":
            if "projects/{project}/locations/{location}/instances/{name}".format(**args) != INSTANCE:
                return {}, [("", "Error 404: not found")]
            share = {"name": "vol1", "capacityGb": 2048}
            return {"fileShares": [share], "networks": [{"ipAddresses": ["10.9.8.7"]}], "protocol": "NFS_V4_1"}, []
        case "aws:ec2/getAmi:getAmi":
            assert args["filters"] == [{"name": "image-id", "values": [AMI]}], args
        case "gcp:compute/getSubnetwork:getSubnetwork":
            return _subnetwork(**args), []
    return _found(token, args), []


def _subnetwork(name: str, region: str, project: str = PROJECT) -> dict[str, Any]:
    """A subnetwork of the network `agents`."""
    place = f"https://www.googleapis.com/compute/v1/projects/{project}"
    return {"network": f"{place}/global/networks/agents", "project": project, "selfLink": f"{place}/regions/{region}/subnetworks/{name}"}


def _found(token: str, args: Mapping[str, Any]) -> dict[str, Any]:
    """What is always there."""
    known: dict[str, dict[str, Any]] = {
        "aws:ec2/getAmi:getAmi": {"id": AMI, "rootDeviceName": ROOT_DEVICE},
        "aws:ec2/getSubnet:getSubnet": {"id": args.get("id"), "availabilityZone": zone(args.get("id", "?")), "vpcId": VPC},
        "aws:index/getPartition:getPartition": {"partition": "aws"},
        "aws:ssm/getParameter:getParameter": {"name": args.get("name"), "insecureValue": AMI},
    }
    assert token in known, f"unexpected lookup {token}"
    return known[token]
