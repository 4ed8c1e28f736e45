"""The types of values that AWS defines, one for each form. AWS refuses others only when something is created.

An `Input` may be an output of another resource; what has no such type must be known before the deployment.
"""

import ipaddress
import re
from collections.abc import Sequence
from typing import Annotated

from scalr_agents.model.fields import InputText, Line, Text, unset
from scalr_agents.model.forms import Form, caution

_LONGEST_TAG, _LONGEST_TAG_VALUE = 128, 256
_LONGEST_ROLE_PATH = 512
_HEX = r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_ANY_CLIENT = ("0.0.0.0/0", "::/0")
AWS_REGIONS = (
    *("af-south-1", "ap-east-1", "ap-east-2", "ap-northeast-1", "ap-northeast-2", "ap-northeast-3", "ap-south-1", "ap-south-2"),
    *("ap-southeast-1", "ap-southeast-2", "ap-southeast-3", "ap-southeast-4", "ap-southeast-5", "ap-southeast-6", "ap-southeast-7"),
    *("ca-central-1", "ca-west-1", "cn-north-1", "cn-northwest-1", "eu-central-1", "eu-central-2", "eu-isoe-west-1", "eu-north-1"),
    *("eu-south-1", "eu-south-2", "eu-west-1", "eu-west-2", "eu-west-3", "eusc-de-east-1", "il-central-1", "me-central-1", "me-south-1"),
    *("mx-central-1", "sa-east-1", "us-east-1", "us-east-2", "us-gov-east-1", "us-gov-west-1", "us-iso-east-1", "us-iso-west-1"),
    *("us-isob-east-1", "us-isob-west-1", "us-isof-east-1", "us-isof-south-1", "us-west-1", "us-west-2"),
)
"""The regions of AWS, as its SDKs have them in November 2026."""
EFS_DRIVER = "efs.csi.aws.com"
EFS_MOUNT_OPTIONS = ["acregmin=1", "acregmax=3", "acdirmin=1", "acdirmax=3"]
"""Keep the NFS attribute cache short (seconds), so that a run sees what another run has just cached."""


def _id(prefix: str, what: str, digits: int = 1) -> Form:
    """An ID, for which its digits alone may be meant."""
    return Form(
        expected=f"the ID of {what}, for instance {prefix}-0a1b2c3d4e5f67890",
        test=rf"{prefix}-[0-9a-f]{{{digits},40}}",
        meant=lambda given: (given.strip().lower(), f"{prefix}-{given.strip().lower()}"),
    )


def _last(given: str) -> Sequence[str]:
    """The name in an ARN or a path."""
    return given.strip(), given.strip().rpartition("/")[2]


def _network(given: str) -> str:
    """A network as AWS returns it; the empty string for what is none."""
    try:
        return str(ipaddress.ip_network(given.strip(), strict=False))
    except ValueError:
        return ""


def _open(given: str) -> str:
    everyone = "allows every client that can reach a mount target to mount; give the networks of the nodes"
    return everyone if given in _ANY_CLIENT else ""


ROLE = Form(
    expected="the ARN of a role: arn:<partition>:iam::<account>:role/<path and name>",
    test=r"arn:aws[a-z-]*:iam::\d{12}:role/[\w+=,.@/-]+",
    look_up="aws iam get-role --role-name <name> --query Role.Arn --output text",
)
_KEY = Form(
    expected="the ARN of a key, as AWS returns it: arn:<partition>:kms:<region>:<account>:key/<id>",
    test=rf"arn:aws[a-z-]*:kms:[a-z0-9-]+:\d{{12}}:key/({_HEX}|mrk-[0-9a-f]{{32}})",
    look_up="aws kms describe-key --key-id {} --query KeyMetadata.Arn --output text",
)
_POLICY = Form(
    expected="the ARN of a policy: arn:<partition>:iam::<account>:policy/<name>", test=r"arn:[\w-]+:iam::(aws|\d{12}):policy/\S+"
)
_ZONE = Form(expected="an availability zone, for instance eu-west-1a", test=r"(?!subnet-)[a-z]{2,}(-[a-z0-9]+)+(?<=[a-z])")
_TAG_KEY = Form(
    expected=f"the key of a tag: at most {_LONGEST_TAG} characters, not starting with aws:",
    test=lambda key: bool(key) and not key.lower().startswith("aws:"),
    longest=_LONGEST_TAG,
)
_TAG_VALUE = Form(
    expected=f"the value of a tag: at most {_LONGEST_TAG_VALUE} letters, digits, spaces and any of _ . : / = + - @",
    test=lambda value: bool(re.fullmatch(r"[\w\s.:/=+@-]*", value)),
    longest=_LONGEST_TAG_VALUE,
    repeated=False,
)

FileSystemId = Annotated[InputText, _id("fs", "a file system", digits=8)]
VpcId = Annotated[InputText, _id("vpc", "a VPC")]
SubnetId = Annotated[InputText, _id("subnet", "a subnet")]
SecurityGroupId = Annotated[InputText, _id("sg", "a security group")]
AmiId = Annotated[Line, _id("ami", "an image")]
KmsKey = Annotated[InputText, _KEY]
"""A key by its ARN. AWS accepts an alias or an ID too, but returns the ARN, and the provider would replace what is encrypted with it."""
RoleArn = Annotated[InputText, ROLE]
PolicyArn = Annotated[InputText, _POLICY]
Zone = Annotated[Text, _ZONE]
_CLUSTER = Form(expected="the name of an EKS cluster, not its ARN", test=r"[0-9A-Za-z][\w-]{0,99}", meant=_last)
ClusterName = Annotated[Text, _CLUSTER]
InputClusterName = Annotated[InputText, _CLUSTER]
InstanceType = Annotated[Line, Form(expected="an instance type, for instance t3.medium", test=r"[a-z0-9-]+\.[a-z0-9-]+", longest=63)]
ParameterName = Annotated[
    Line, Form(expected="the name of an SSM parameter, for instance /acme/image", test=r"[\w./-]+(:[\w.-]+)?", repeated=False)
]
RolePath = Annotated[
    Line,
    Form(
        expected="a path that begins and ends with '/', for instance /scalr/",
        test=r"/([!-.0-~]+/)*",
        longest=_LONGEST_ROLE_PATH,
        meant=lambda given: (f"/{given.strip('/ ')}/",),
    ),
]
ClientNetwork = Annotated[
    str,
    Form(
        expected="a network, for instance 10.0.0.0/16 or fd00::/64",
        test=lambda text: _network(text) == text,
        meant=lambda given: (_network(given),),
    ),
    caution(_open),
]
"""The network of clients, in the form in which AWS returns it."""
Tags = Annotated[dict[Annotated[str, _TAG_KEY], Annotated[InputText, _TAG_VALUE]], unset({})]
"""Tags; a value may be an output."""
