"""The forms of ids, tags and labels that AWS and Google Cloud accept. They refuse others only when something is created."""

import re
from collections.abc import Iterator, Mapping

from scalr_agents.model.fields import Deferred
from scalr_agents.model.findings import Finding, entry, error

ROLE_ARN = re.compile(r"arn:aws[a-z-]*:iam::\d{12}:role/[\w+=,.@/-]+", re.ASCII)
"""An IAM role of AWS."""
EMAIL = re.compile(r"[^@\s:]+@[^@\s]+\.[^@\s]+")
"""A service account of Google Cloud."""
GOOGLE_KEY = r"projects/[^/]+/locations/[^/]+/keyRings/[^/]+/cryptoKeys/[^/]+"
"""The full name of a key of Google Cloud, as a regular expression."""
_LONGEST_TAG = 128
_LONGEST_TAG_VALUE = 256


def ids(given: Mapping[str, str | Deferred], prefix: str) -> Iterator[Finding]:
    """IDs of AWS, by their paths."""
    for path, value in given.items():
        if isinstance(value, str) and not re.fullmatch(rf"{prefix}-[0-9a-f]+", value):
            yield error(path, f"given {value!r}, which is not a valid ID; expected {prefix}-<hexadecimal digits>")


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
