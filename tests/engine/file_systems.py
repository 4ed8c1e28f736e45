"""File systems of EFS, for the tests of the engine to vary."""

from typing import Any

from tests.engine.stacks import Deployment
from tests.helpers.mocked_clouds import ACCOUNT, REGION

OTHER_KEY = f"arn:aws:kms:{REGION}:{ACCOUNT}:key/mrk-0123456789abcdef0123456789abcdef"
EFS = "caches.runs.efs"
PLACE: dict[str, Any] = {
    "vpcId": "vpc-0f1e",
    "subnets": {"eu-west-1a": "subnet-0a", "eu-west-1b": "subnet-0b"},
    "clients": {"cidrs": ["10.0.0.0/16"]},
}


def handle(stack: Deployment) -> str:
    """The file system that the agent's volume is on."""
    volume = stack.cluster.objects["PersistentVolume//scalr-dev.runs-cache"]
    return str(volume["spec"]["csi"]["volumeHandle"]).partition("::")[0]
