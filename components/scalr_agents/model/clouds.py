"""The forms of ids, tags and labels that AWS and Google Cloud accept. They refuse others only when something is created."""

import re
from collections.abc import Iterator, Mapping
from typing import Literal

from scalr_agents.model.findings import Finding, entry, error
from scalr_agents.model.forms import Deferred

Cloud = Literal["aws", "azure", "gcp"]
"""Where a cluster runs: EKS, AKS or GKE."""
ROLE_ARN = re.compile(r"arn:aws[a-z-]*:iam::\d{12}:role/[\w+=,.@/-]+", re.ASCII)
"""An IAM role of AWS."""
EMAIL = re.compile(r"[^@\s:]+@[^@\s]+\.[^@\s]+")
"""A service account of Google Cloud."""
GOOGLE_KEY = r"projects/[^/]+/locations/[^/]+/keyRings/[^/]+/cryptoKeys/[^/]+"
"""The full name of a key of Google Cloud, as a regular expression."""
AWS_REGIONS = (
    *("af-south-1", "ap-east-1", "ap-east-2", "ap-northeast-1", "ap-northeast-2", "ap-northeast-3", "ap-south-1", "ap-south-2"),
    *("ap-southeast-1", "ap-southeast-2", "ap-southeast-3", "ap-southeast-4", "ap-southeast-5", "ap-southeast-6", "ap-southeast-7"),
    *("ca-central-1", "ca-west-1", "cn-north-1", "cn-northwest-1", "eu-central-1", "eu-central-2", "eu-isoe-west-1", "eu-north-1"),
    *("eu-south-1", "eu-south-2", "eu-west-1", "eu-west-2", "eu-west-3", "eusc-de-east-1", "il-central-1", "me-central-1", "me-south-1"),
    *("mx-central-1", "sa-east-1", "us-east-1", "us-east-2", "us-gov-east-1", "us-gov-west-1", "us-iso-east-1", "us-iso-west-1"),
    *("us-isob-east-1", "us-isob-west-1", "us-isof-east-1", "us-isof-south-1", "us-west-1", "us-west-2"),
)
"""The regions of AWS, as its SDKs have them in November 2026."""
_LONGEST_TAG = 128
_LONGEST_TAG_VALUE = 256


def ids(given: Mapping[str, str | Deferred], prefix: str, digits: int = 1) -> Iterator[Finding]:
    """IDs of AWS, by their paths. They have at least so many digits."""
    for path, value in given.items():
        if isinstance(value, str) and not re.fullmatch(rf"{prefix}-[0-9a-f]{{{digits},40}}", value):
            few = f"{digits} or more " if digits > 1 else ""
            yield error(path, f"given {value!r}, which is not a valid ID; expected {prefix}-<{few}hexadecimal digits>")


def tags(path: str, given: Mapping[str, str | Deferred]) -> Iterator[Finding]:
    """Tags of AWS."""
    for key, value in given.items():
        if key.lower().startswith("aws:") or not 0 < len(key) <= _LONGEST_TAG:
            yield error(entry(path, key), f"not a valid tag key: use at most {_LONGEST_TAG} characters, not starting with aws:")
        if isinstance(value, str) and not (len(value) <= _LONGEST_TAG_VALUE and re.fullmatch(r"[\w\s.:/=+@-]*", value)):
            message = f"not a valid tag value: use at most {_LONGEST_TAG_VALUE} letters, digits, spaces and any of _ . : / = + - @"
            yield error(entry(path, key), message)


def labels(path: str, given: Mapping[str, str | Deferred]) -> Iterator[Finding]:
    """Labels of Google Cloud."""
    for key, value in given.items():
        if not re.fullmatch(r"[^\W\d_][-\w]{0,62}", key) or key != key.lower():
            yield error(
                entry(path, key),
                "not a valid label key: use at most 63 lower case letters, digits, '-' and '_', starting with a letter",
            )
        if isinstance(value, str) and not (re.fullmatch(r"[-\w]{0,63}", value) and value == value.lower()):
            yield error(entry(path, key), "not a valid label value: use at most 63 lower case letters, digits, '-' and '_'")


EFS_DRIVER = "efs.csi.aws.com"
EFS_MOUNT_OPTIONS = ["acregmin=1", "acregmax=3", "acdirmin=1", "acdirmax=3"]
"""Keep the NFS attribute cache short (seconds), so that a run sees what another run has just cached."""
