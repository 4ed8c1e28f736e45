"""What AWS and Google Cloud refuse for its form: ids, types, names and keys of machines."""

import re

from scalr_agents.charts.shared.checks import Findings
from scalr_agents.machines.settings import Ec2Settings, GceSettings
from scalr_agents.model import clouds
from scalr_agents.model.findings import error
from scalr_agents.model.messages import describe
from scalr_agents.model.spelling import Spelling

_INSTANCE_TYPE = re.compile(r"[a-z0-9-]+\.[a-z0-9-]+")
_PARAMETER = re.compile(r"[\w./-]+(:[\w.-]+)?")
"""Name of an SSM parameter, optionally with a version or a label."""
_KEY_ARN = re.compile(r"arn:[\w-]+:kms:[\w-]+:[0-9]{12}:key/[\w-]+")
_GOOGLE_FORMS = (
    ("machine_type", re.compile(r"[a-z0-9-]+"), "a machine type such as e2-standard-2"),
    ("service_account", clouds.EMAIL, "the email of a service account"),
    ("subnetwork", re.compile(r"[a-z][-a-z0-9]*|(.*/)?regions/[^/]+/subnetworks/[^/]+"), "the name of a subnetwork, or its full path"),
)
_GOOGLE_KEY = re.compile(clouds.GOOGLE_KEY + r"(/cryptoKeyVersions/[0-9]+)?")


def aws(given: Ec2Settings, say: Spelling) -> Findings:
    """Findings on machines on AWS."""
    for word, prefix in (("subnets", "subnet"), ("security_groups", "sg")):
        yield from clouds.ids({f"{say(word)}[{index}]": value for index, value in enumerate(getattr(given, word))}, prefix)
    if given.instance_type and not _INSTANCE_TYPE.fullmatch(given.instance_type):
        yield error(say("instance_type"), "expected an instance type such as t3.medium")
    if given.ami and not re.fullmatch(r"ami-[0-9a-f]+", given.ami):
        yield error(say("ami"), f"given {describe(given.ami, repeated=True)}; it has the form ami-0123456789abcdef0")
    if given.ami_parameter and not _PARAMETER.fullmatch(given.ami_parameter):
        yield error(say("ami_parameter"), "expected the name of an SSM parameter")
    key = given.volume.kms_key
    if isinstance(key, str) and key and not _KEY_ARN.fullmatch(key):
        yield error(f"{say('volume')}.{say('kms_key')}", "expected the ARN of a key, arn:aws:kms:<region>:<account>:key/<id>")
    yield from clouds.tags("tags", given.tags)


def google(given: GceSettings, say: Spelling) -> Findings:
    """Findings on machines on Google Cloud."""
    for word, form, expected in _GOOGLE_FORMS:
        value = getattr(given, word)
        if isinstance(value, str) and value and not form.fullmatch(value):
            yield error(say(word), f"expected {expected}")
    place = re.search(r"(?:^|/)regions/([^/]+)/", given.subnetwork) if isinstance(given.subnetwork, str) else None
    if place and given.region and place[1] != given.region:
        yield error(say("subnetwork"), f"is in region {place[1]}, but {say('region')} is {given.region}")
    key = given.volume.kms_key
    if isinstance(key, str) and key and not _GOOGLE_KEY.fullmatch(key):
        message = "expected the full name of a key, projects/<project>/locations/<location>/keyRings/<ring>/cryptoKeys/<key>"
        yield error(f"{say('volume')}.{say('kms_key')}", message)
    yield from clouds.labels("labels", given.labels)
