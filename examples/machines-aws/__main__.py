"""Agents on EC2 in a VPC of this program: machines for runs, which may assume a role, and a machine for a VCS provider."""

# pulumi install
# pulumi stack init prod
# pulumi config set aws:region eu-west-1
# pulumi config set vpcId vpc-0a1b2c3d                (with a NAT gateway, to which `routeTableId` leads)
# pulumi config set routeTableId rtb-0a1b2c3d
# pulumi config set url https://acme.scalr.io
# pulumi config set --secret token                    (asks for the token of the pool for runs)
# pulumi config set --secret vcsToken                 (asks for the token of the pool for VCS providers)
# pulumi up

import pulumi
import pulumi_aws as aws
from scalr_agents import Ec2Agents

config = pulumi.Config()
url = config.require("url")

subnet = aws.ec2.Subnet("agents", vpc_id=config.require("vpcId"), cidr_block=config.get("cidr") or "10.0.64.0/24")
aws.ec2.RouteTableAssociation("agents", subnet_id=subnet.id, route_table_id=config.require("routeTableId"))

# Its output goes straight into the machines: nothing has to be written down.
runs = Ec2Agents(
    "runs",
    {
        "url": url,
        "agent_version": "1.4.0",
        "token": config.require_secret("token"),
        "subnets": [subnet.id],
        "instance_type": "t3.large",
        "min": 1,
        "max": 3,
        "concurrency": 3,
        "memory_per_run": "1Gi",
        "drain_seconds": 3600,
        # Runs are the machine's role, and can be whatever that can be. It reads the agent's token, too: docs/machines.md
        "allow_metadata_service": True,
        "policies": ["arn:aws:iam::aws:policy/ReadOnlyAccess"],  # enough for a plan; put in what your runs need
        "tags": {"team": "platform"},
    },
)

# A pool of its own, on a machine of its own. What a VCS agent can read is not for runs.
vcs = Ec2Agents(
    "vcs",
    {
        "url": url,
        "agent_version": "1.4.0",
        "token": config.require_secret("vcsToken"),
        "role": "vcs",
        "subnets": [subnet.id],
        "instance_type": "t3.small",
    },
)

pulumi.export("groups", [runs.group_name, vcs.group_name])
pulumi.export("roleArn", runs.role_arn)
