"""What AWS and Google answer: the outputs of new resources, and lookups of existing ones."""

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


IDENTITIES = {
    "aws:ec2/securityGroup:SecurityGroup": ("sg-{number}", f"arn:aws:ec2:{REGION}:{ACCOUNT}:security-group/"),
    "aws:efs/accessPoint:AccessPoint": ("fsap-{number}", f"arn:aws:elasticfilesystem:{REGION}:{ACCOUNT}:access-point/"),
    "aws:efs/fileSystem:FileSystem": ("fs-{number}", f"arn:aws:elasticfilesystem:{REGION}:{ACCOUNT}:file-system/"),
    "aws:efs/mountTarget:MountTarget": ("fsmt-{number}", None),
    "aws:eks/addon:Addon": ("{clusterName}:{addonName}", f"arn:aws:eks:{REGION}:{ACCOUNT}:addon/"),
    "aws:iam/role:Role": ("{name}-{number}", f"arn:aws:iam::{ACCOUNT}:role/"),
    "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule": ("sgr-{number}", None),
    "gcp:filestore/instance:Instance": (f"projects/{PROJECT}/locations/{{location}}/instances/{{name}}-{{number}}", None),
}
"""Form of the id of each type, and what its ARN begins with, where it has one."""


def created(token: str, name: str, inputs: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """Id and outputs of a new resource: what went in, and what the cloud adds."""
    form, arn = IDENTITIES.get(token, ("{name}-id", None))
    identity = form.format(**{**inputs, "name": name, "number": f"{zlib.crc32(name.encode()):08x}"})
    outputs = dict(inputs)
    if token.startswith(("aws:iam/role", "gcp:")):
        outputs["name"] = identity.rpartition("/")[2]
    if token == "gcp:serviceaccount/account:Account":
        outputs["email"] = f"{inputs['accountId']}@{PROJECT}.iam.gserviceaccount.com"
    if token.startswith("gcp:filestore/instance"):
        outputs["networks"] = [{**inputs["networks"][0], "ipAddresses": ["10.20.30.2"]}]
    return identity, outputs | ({"arn": f"{arn}{identity}"} if arn else {})


def looked_up(token: str, args: Mapping[str, Any]) -> tuple[dict[str, Any], list[tuple[str, str]]]:
    """What a lookup finds, or why it does not."""
    match token:
        case "aws:eks/getCluster:getCluster":
            network = CLUSTERS.get(args["name"])
            return (
                ({"vpcConfig": network}, []) if network else ({}, [("", f"reading EKS Cluster ({args['name']}): couldn't find resource")])
            )
        case "aws:ec2/getSubnet:getSubnet":
            return {"id": args["id"], "availabilityZone": f"{REGION}{args['id'][-1]}"}, []
        case "aws:index/getPartition:getPartition":
            return {"partition": "aws"}, []
        case "gcp:filestore/getInstance:getInstance":
            if "projects/{project}/locations/{location}/instances/{name}".format(**args) != INSTANCE:
                return {}, [("", "Error 404: not found")]
            share = {"name": "vol1", "capacityGb": 2048}
            return {"fileShares": [share], "networks": [{"ipAddresses": ["10.9.8.7"]}], "protocol": "NFS_V4_1"}, []
    raise AssertionError(f"unexpected lookup {token}")
