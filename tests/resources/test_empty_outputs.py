"""Empty outputs, such as missing outputs of a StackReference."""

from typing import Any

import pulumi
import pytest
import scalr_agents

from tests.helpers.components import program, record
from tests.helpers.programs import ARGS, TOKEN
from tests.helpers.recording import Recording, run

EMPTY = "this output is empty or not a string"
ADVICE = "if it comes from a StackReference, check its name there"
PLACE = {"namespace": "scalr", "release": "runs"}
INSTANCE = "projects/acme/locations/europe-west1-b/instances/cache"
MACHINE = {"token": TOKEN, "url": ARGS["url"], "region": "europe-west1", "subnetwork": "nodes", "machine_type": "n2-standard-4"}
AGENT = {**ARGS, "token": TOKEN}
COMPLETE: dict[str, dict[str, Any]] = {
    "AgentJob": AGENT,
    "AgentLocal": AGENT,
    "AgentK8s": AGENT,
    "EfsCache": {"eks_cluster": "prod"},
    "EfsClaim": {**PLACE, "file_system_id": "fs-00000123"},
    "EfsCsiDriver": {"cluster_name": "prod"},
    "FilestoreCache": {"location": "europe-west1-b"},
    "FilestoreClaim": {**PLACE, "instance_id": INSTANCE, "ip_address": "10.0.0.2"},
    "GceAgents": MACHINE,
    "StorageClassClaim": {**PLACE, "storage_class_name": "nfs"},
}


def made(component: str, word: str, content: object) -> Recording:
    return run(program(component, lambda: {**COMPLETE[component], word: pulumi.Output.from_input(content)}))


@pytest.mark.parametrize("content", [None, "", " ", 5], ids=["none", "empty", "blank", "number"])
@pytest.mark.parametrize(
    ("component", "word"),
    [
        ("AgentJob", "agent_image"),
        ("AgentJob", "runner_image"),  # Kubernetes accepts the template of the Jobs without it
        ("AgentLocal", "agent_image"),
        ("AgentK8s", "agent_image"),
        ("EfsCache", "driver_role"),  # without it, the policy of the file system lets every client mount
        ("EfsClaim", "file_system_id"),
        ("EfsCsiDriver", "cluster_name"),
        ("EfsCsiDriver", "role_arn"),
        ("FilestoreCache", "network"),
        ("FilestoreClaim", "instance_id"),
        ("FilestoreClaim", "ip_address"),
        ("GceAgents", "subnetwork"),
        ("GceAgents", "service_account"),
    ],
)
def test_required_outputs_must_not_be_empty(component: str, word: str, content: object) -> None:
    with pytest.raises(scalr_agents.ArgsError) as caught:  # printed without a traceback
        made(component, word, content)
    owner = "AgentController 'it-controller'" if component == "AgentJob" else f"{component} 'it'"
    assert str(caught.value) == f"{owner} cannot be deployed:\n  error: {word}: {EMPTY}; {ADVICE}"


@pytest.mark.parametrize("content", [None, ""], ids=["none", "empty"])
@pytest.mark.parametrize(
    ("component", "word"),
    [
        ("EfsCache", "kms_key"),
        ("FilestoreCache", "reserved_ip_range"),
        ("FilestoreClaim", "protocol"),
        ("StorageClassClaim", "storage_class_name"),
    ],
)
def test_empty_optional_outputs_use_the_default(component: str, word: str, content: object) -> None:
    recording = made(component, word, content)
    assert recording.error is None
    assert ("warning", f"it: {word}: {EMPTY}, so the default is used; {ADVICE}") in recording.log


@pytest.mark.parametrize("content", [None, ""], ids=["none", "empty"])
@pytest.mark.parametrize("component", ["AgentJob", "AgentLocal", "AgentK8s"])
def test_an_empty_role_annotation_is_a_warning(component: str, content: object) -> None:
    role = "eks.amazonaws.com/role-arn"
    recording = record(
        component, lambda: {**COMPLETE[component], "service_account_annotations": {role: pulumi.Output.from_input(content), "team": ""}}
    )
    (warning,) = [text for _, text in recording.log if "ServiceAccount" in text]
    account = recording.of_type("kubernetes:core/v1:ServiceAccount")[0].inputs["metadata"]["name"]
    assert warning == f"ServiceAccount {account!r}: annotation {role}: {EMPTY}, so that the annotation has no effect; {ADVICE}"
