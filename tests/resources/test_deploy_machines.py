"""Machines of a stack, from the stack file to what the clouds are asked for."""

import json
from collections.abc import Mapping
from typing import Any

from tests.helpers.components import inputs
from tests.helpers.machines import CA, STACKS
from tests.helpers.programs import deployed
from tests.helpers.recording import Recording
from tests.resources.machine_groups import TOKEN, cloud_config


def stack_with(machines: Mapping[str, Any], **words: Any) -> Recording:
    """Deploy a stack of machines."""
    secrets = {
        name: {"token": TOKEN, "env": {"TF_TOKEN_acme": "hidden-env"}} for name, machine in machines.items() if "docker" not in machine
    }
    return deployed({"common": {"url": "https://acme.scalr.io"}, "machines": machines, "secrets": secrets, **words})


EC2 = {"subnets": ["subnet-0a"], "instanceType": "t3.large", "volume": {"size": "40Gi"}}
GCE = {"region": "europe-west1", "subnetwork": "agents", "machineType": "e2-standard-2", "image": "rocky"}


def test_a_stack_of_machines_needs_no_cluster() -> None:
    recording = stack_with({"fleet": {"ec2": EC2}, "other": {"gce": GCE}, "host": {"docker": {}}})
    assert recording.error is None, recording.error
    assert [r.name for r in recording.resources if r.type.startswith(("kubernetes:", "pulumi:providers"))] == []
    assert recording.exports.keys() == {"machines"}
    assert {name: set(outputs) for name, outputs in recording.exports["machines"].items()} == {
        "fleet": {"groupName", "roleArn", "secretArn"},
        "other": {"groupName", "serviceAccountEmail", "secretName"},
    }


def test_stack_file_settings_reach_the_machines() -> None:
    machine = {"ec2": EC2, "concurrency": 2, "memoryPerRun": "1Gi", "env": {"A": 1}, "agentVersion": "1.3.0", "onChange": "keep"}
    common = {"url": "https://acme.scalr.io", "ca": {"file": CA}, "imageRegistry": "mirror.acme", "agentVersion": "1.2.0"}
    recording = stack_with({"it": machine, "other": {"gce": GCE}}, common=common)
    assert recording.error is None, recording.error
    made = inputs(recording)
    template = {name: resource.inputs for name, resource in ((r.name, r) for r in recording.resources)}
    text = cloud_config(made)
    for line in ("SCALR_AGENT_CONCURRENCY=2\n", "MEM_LIMIT=1024\n", " A=1\n", "mirror.acme/scalr/agent:1.3.0 run\n"):
        assert line in text
    last = (STACKS / CA).read_text().splitlines()[-2]
    assert last not in text
    assert last in template["other-template"]["metadata"]["user-data"]
    assert template["it-launch-template"]["blockDeviceMappings"][0]["ebs"]["volumeSize"] == 40
    assert "instanceRefresh" not in template["it-group"]
    assert template["other-template"]["disks"][0]["sourceImage"] == "rocky"
    assert "agent:1.2.0" in template["other-template"]["metadata"]["user-data"]
    stored = json.loads(template["it-secret-version"]["secretString"].value)
    assert last in stored.pop("ca-certificates")
    assert stored == {"SCALR_AGENT_TOKEN": TOKEN, "TF_TOKEN_acme": "hidden-env"}
