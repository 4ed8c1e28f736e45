"""Components under mocks that leave out what a provider says: the error names the property to add."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pulumi
import pytest
import scalr_agents

from tests.helpers import mocked_clouds
from tests.helpers.recording import run

INSTANCE = "projects/acme-infra/locations/europe-west1-b/instances/nfs-1"
MACHINE = {"token": "s3cr3t-token", "url": "https://acme.scalr.io"}
EC2: Any = {**MACHINE, "subnets": ["subnet-0000000a"], "instance_type": "t3.large"}
GCE: Any = {**MACHINE, "region": "europe-west1", "subnetwork": "agents", "machine_type": "e2-standard-4"}


@pytest.mark.parametrize(
    ("program", "missing", "method"),
    [
        (
            lambda: scalr_agents.EfsCache(
                "cache", {"vpc_id": "vpc-0", "subnets": {"eu-west-1a": "subnet-0"}, "clients": {"cidrs": ["10.0.0.0/8"]}}
            ),
            "aws:efs/fileSystem:FileSystem has no arn",
            "new_resource",
        ),
        (
            lambda: scalr_agents.EfsCsiDriver("driver", {"cluster_name": "prod"}),
            "aws:index/getPartition:getPartition has no partition",
            "call",
        ),
        (
            lambda: scalr_agents.FilestoreCache("cache", {"location": "europe-west1-b"}),
            r"gcp:filestore/instance:Instance has no networks\[0\]\.ipAddresses\[0\]",
            "new_resource",
        ),
        (
            lambda: scalr_agents.FilestoreCache("cache", {"instance_id": INSTANCE}),
            r"gcp:filestore/getInstance:getInstance has no (fileShares|networks|protocol)",
            "call",
        ),
        (
            lambda: scalr_agents.FilestoreCache("cache", {"instance_id": pulumi.Output.from_input(INSTANCE)}),
            r"gcp:filestore/getInstance:getInstance has no (fileShares|networks|protocol)",
            "call",
        ),
        (lambda: scalr_agents.Ec2Agents("runs", EC2), "aws:secretsmanager/secret:Secret has no arn", "new_resource"),
        (lambda: scalr_agents.GceAgents("runs", GCE), "gcp:serviceaccount/account:Account has no email", "new_resource"),
    ],
    ids=["EFS", "EFS driver", "Filestore", "existing Filestore", "existing Filestore of an output", "EC2", "GCE"],
)
def test_missing_mock_outputs_are_named(program: Callable[[], object], missing: str, method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mocked_clouds, "created", lambda _, name, inputs: (f"{name}-id", dict(inputs)))
    monkeypatch.setattr(mocked_clouds, "looked_up", lambda *_: ({}, []))
    with pytest.raises(pulumi.RunError, match=rf"{missing}.*: return it from {method} of your mocks"):
        run(partial(_done, program))


def _done(program: Callable[[], object]) -> None:
    program()


def test_missing_mock_lookups_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def found(token: str, _: object) -> tuple[dict[str, object], list[tuple[str, str]]]:
        return {} if "Subnet" in token else {"vpcConfig": mocked_clouds.CLUSTERS["prod"]}, []

    monkeypatch.setattr(mocked_clouds, "looked_up", found)
    error = run(partial(_done, lambda: scalr_agents.EfsCache("cache", {"eks_cluster": "prod"}))).error
    assert (
        "eks_cluster: cannot look up EKS cluster 'prod': aws:ec2/getSubnet:getSubnet has no availabilityZone: return it from call"
        in str(error)
    )
