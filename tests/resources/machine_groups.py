"""Groups of machines for tests: arguments of both clouds, what is registered, and the user data."""

import base64
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from scalr_agents.model.maps import merge

from tests.helpers.cloud_arguments import mismatches
from tests.helpers.components import inputs, record
from tests.helpers.mocked_clouds import ACCOUNT, REGION
from tests.helpers.recording import opened

TOKEN = "s3cr3t-token"
AWS: dict[str, Any] = {"url": "https://acme.scalr.io", "token": TOKEN, "subnets": ["subnet-0a", "subnet-0b"], "instance_type": "t3.large"}
GCP: dict[str, Any] = {
    "url": "https://acme.scalr.io",
    "token": TOKEN,
    "region": "europe-west1",
    "subnetwork": "agents",
    "machine_type": "e2-standard-2",
}
KEY = f"arn:aws:kms:{REGION}:{ACCOUNT}:key/11111111-2222-3333-4444-555555555555"
COMPONENTS = {"Ec2Agents": AWS, "GceAgents": GCP}
NAME = "scalr-agents-test-it"


def of(component: str, **args: Any) -> dict[str, Mapping[str, Any]]:
    recording = record(component, merge(COMPONENTS[component], args))
    sent = [
        replace(resource, inputs=opened(resource.inputs))
        for resource in recording.resources
        if resource.custom and not resource.type.startswith("pulumi:")
    ]
    assert [problem for resource in sent for problem in mismatches(resource)] == []
    return inputs(recording)


def cloud_config(made: Mapping[str, Mapping[str, Any]]) -> str:
    if "template" in made:
        return str(made["template"]["metadata"]["user-data"])
    return base64.b64decode(made["launch-template"]["userData"]).decode()
