"""The types of values that Google Cloud defines, one for each form. Google refuses others only when something is created."""

import re
from collections.abc import Sequence
from typing import Annotated

from scalr_agents.model.fields import InputText, Line, Text, unset
from scalr_agents.model.forms import Form


def _region_of_zone(given: str) -> Sequence[str]:
    return given.strip().lower(), given.strip().lower()[:-2]


EMAIL = Form(
    expected="the email of a service account: <name>@<project>.iam.gserviceaccount.com",
    test=r"[^@\s:]+@[^@\s]+\.[^@\s]+",
    repeated=False,
)
_KEY = r"projects/[^/]+/locations/[^/]+/keyRings/[^/]+/cryptoKeys/[^/]+"
_LOOK_UP = "gcloud kms keys list --location=<location> --keyring=<ring> --format='value(name)'"
_KEY_NAME = "projects/<project>/locations/<location>/keyRings/<ring>/cryptoKeys/<key>"
_LABEL_KEY = Form(
    expected="the key of a label: at most 63 lower case letters, digits, '-' and '_', starting with a letter",
    test=lambda key: bool(re.fullmatch(r"[^\W\d_][-\w]{0,62}", key)) and key == key.lower(),
)
_LABEL_VALUE = Form(
    expected="the value of a label: at most 63 lower case letters, digits, '-' and '_'",
    test=lambda value: bool(re.fullmatch(r"[-\w]{0,63}", value)) and value == value.lower(),
    repeated=False,
)

REGION = r"[a-z]+-[a-z]+[0-9]+"
ZONE = rf"{REGION}-[a-z]"
Region = Annotated[Line, Form(expected="a region, for instance europe-west1", test=REGION, meant=_region_of_zone)]
ProjectId = Annotated[Text, Form(expected="the ID of a project", test=r"([a-z0-9.-]+:)?[a-z][-a-z0-9]*[a-z0-9]|[0-9]+")]
KmsKey = Annotated[
    InputText,
    Form(
        expected=f"the full name of a key, without a version: {_KEY_NAME}",
        test=_KEY,
        meant=lambda given: (given.strip(), given.strip().partition("/cryptoKeyVersions/")[0]),
        look_up=_LOOK_UP,
    ),
]
DiskKmsKey = Annotated[
    InputText, Form(expected=f"the full name of a key: {_KEY_NAME}", test=rf"{_KEY}(/cryptoKeyVersions/[0-9]+)?", look_up=_LOOK_UP)
]
"""The key of a disk, which may be one of its versions."""
ServiceAccount = Annotated[InputText, EMAIL]
MachineType = Annotated[Line, Form(expected="a machine type, for instance e2-standard-2", test=r"[a-z0-9-]+", longest=63)]
ImageName = Annotated[
    Line, Form(expected="an image, for instance projects/<project>/global/images/<name>", test=r"[-A-Za-z0-9./:_]+", repeated=False)
]
Labels = Annotated[dict[Annotated[str, _LABEL_KEY], Annotated[InputText, _LABEL_VALUE]], unset({})]
"""Labels; a value may be an output."""
