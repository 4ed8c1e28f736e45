"""The format of values that AWS and Google Cloud define: IDs, types, names and keys of machines."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from scalr_agents.machines.settings import Ec2Settings, GceSettings
from scalr_agents.model import clouds
from scalr_agents.model.findings import Findings, error
from scalr_agents.model.messages import describe
from scalr_agents.model.spelling import Spelling

_INSTANCE_TYPE = re.compile(r"[a-z0-9-]+\.[a-z0-9-]+")
_PARAMETER = re.compile(r"[\w./-]+(:[\w.-]+)?")
"""Name of an SSM parameter, optionally with a version or a label."""
_KEY_ARN = re.compile(r"arn:[\w-]+:kms:[\w-]+:[0-9]{12}:key/[\w-]+")
_GOOGLE_FORMS = (
    ("machine_type", re.compile(r"[a-z0-9-]+"), "a machine type such as e2-standard-2"),
    ("service_account", clouds.EMAIL, "the email of a service account"),
    ("machine_image", re.compile(r"[-a-z0-9./:_]+", re.IGNORECASE), "an image, for instance projects/<project>/global/images/<name>"),
)
_SUBNETWORK = re.compile(
    r"(?P<bare>[a-z]([-a-z0-9]*[a-z0-9])?)"
    r"|(?:https://(?:www|compute)\.googleapis\.com/compute/[^/]+/)?(?:projects/(?P<project>[^/]+)/)?"
    r"regions/(?P<region>[^/]+)/subnetworks/(?P<name>[^/]+)"
)
_RETENTIONS = (1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653)
"""Retention periods of CloudWatch, in days."""
_ROLE_PATH = re.compile(r"/([!-.0-~]+/)*")
_LONGEST_ROLE_PATH = 512
_GOOGLE_KEY = re.compile(clouds.GOOGLE_KEY + r"(/cryptoKeyVersions/[0-9]+)?")


def aws(given: Ec2Settings, spell: Spelling) -> Findings:
    """Findings on machines on AWS."""
    for setting, prefix in (("subnets", "subnet"), ("security_groups", "sg")):
        yield from clouds.ids({f"{spell(setting)}[{index}]": value for index, value in enumerate(getattr(given, setting))}, prefix)
    for path, kind in instance_types(given, spell):
        if kind and not _INSTANCE_TYPE.fullmatch(kind):
            yield error(path, "expected an instance type such as t3.medium")
    if given.ami and not re.fullmatch(r"ami-[0-9a-f]+", given.ami):
        yield error(spell("ami"), f"given {describe(given.ami, repeated=True)}; expected an ID such as ami-0123456789abcdef0")
    if given.ami_parameter and not _PARAMETER.fullmatch(given.ami_parameter):
        yield error(spell("ami_parameter"), "expected the name of an SSM parameter")
    key = given.volume.kms_key
    if isinstance(key, str) and key and not _KEY_ARN.fullmatch(key):
        yield error(f"{spell('volume')}.{spell('kms_key')}", "expected the ARN of a key, arn:aws:kms:<region>:<account>:key/<id>")
    if given.role_path and (len(given.role_path) > _LONGEST_ROLE_PATH or not _ROLE_PATH.fullmatch(given.role_path)):
        yield error(
            spell("role_path"),
            f"given {describe(given.role_path, repeated=True)}; it must begin and end with '/', for instance /scalr/",
        )
    if given.log_retention_days is not None and given.log_retention_days not in _RETENTIONS:
        allowed = ", ".join(map(str, _RETENTIONS))
        yield error(spell("log_retention_days"), f"given {given.log_retention_days}; allowed: {allowed}")
    yield from clouds.tags("tags", given.tags)


def instance_types(given: Ec2Settings, spell: Spelling) -> Iterator[tuple[str, str]]:
    """The instance types, with their paths."""
    if given.instance_type:
        yield spell("instance_type"), given.instance_type
    for index, kind in enumerate(given.other_instance_types):
        yield f"{spell('other_instance_types')}[{index}]", kind


def google(given: GceSettings, spell: Spelling) -> Findings:
    """Findings on machines on Google Cloud."""
    for setting, form, expected in _GOOGLE_FORMS:
        value = getattr(given, setting)
        if isinstance(value, str) and value and not form.fullmatch(value):
            yield error(spell(setting), f"expected {expected}")
    if isinstance(given.subnetwork, str) and given.subnetwork:
        try:
            subnetwork(given.subnetwork, given.region)
        except ValueError as problem:
            yield error(spell("subnetwork"), str(problem))
    key = given.volume.kms_key
    if isinstance(key, str) and key and not _GOOGLE_KEY.fullmatch(key):
        message = "expected the full name of a key, projects/<project>/locations/<location>/keyRings/<ring>/cryptoKeys/<key>"
        yield error(f"{spell('volume')}.{spell('kms_key')}", message)
    yield from clouds.labels("labels", given.labels)


class Subnetwork(NamedTuple):
    """Where a subnetwork is."""

    name: str
    region: str
    project: str | None
    """`None` means the project of the provider."""


def subnetwork(given: str, region: str) -> Subnetwork:
    """Parse the name, the path or the URL of a subnetwork. Raises `ValueError` if it is invalid or in another region."""
    match = _SUBNETWORK.fullmatch(given)
    if match is None:
        raise ValueError("expected the name of a subnetwork, its path or its URL: projects/<project>/regions/<region>/subnetworks/<name>")
    if match["bare"]:
        return Subnetwork(match["bare"], region, None)
    if region and match["region"] != region:
        raise ValueError(f"is in region {match['region']}, but the machines are in {region}")
    return Subnetwork(match["name"], match["region"], match["project"])
