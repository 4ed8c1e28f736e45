"""Machines in a managed instance group: requests, changes in place, and recovery after a failure."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from tests.clouds import programs
from tests.clouds.conftest import New
from tests.clouds.gcp.discovery import RefusedError
from tests.clouds.gcp.server import PROJECT, SELF, GoogleCloud
from tests.clouds.stacks import CloudStack
from tests.engine.stacks import up

Machines = Callable[..., CloudStack]
PATCH = "compute.regionInstanceGroupManagers.patch"


@pytest.fixture
def machines(on_google: New) -> Machines:
    """A stack with one group of machines for runs."""

    def made(**words: Any) -> CloudStack:
        stack = on_google("gcp-machines")
        gce = {"region": "europe-west1", "subnetwork": "agents", "machineType": "e2-standard-2", **words}
        stack.edit({"machines": {"legacy": {"gce": gce, "concurrency": 3}}})
        stack.set_secrets({"legacy.token": "token-of-legacy"})
        return stack

    return made


def template(google: GoogleCloud) -> Any:
    """The properties of the only template."""
    [found] = google.of_kind("instanceTemplates").values()
    return found["properties"]


def group(google: GoogleCloud) -> Any:
    [found] = google.of_kind("instanceGroupManagers").values()
    return found


def scaler(google: GoogleCloud) -> tuple[int, int]:
    """The least and the most machines that the autoscaler of the group wants."""
    [found] = google.of_kind("autoscalers").values()
    assert found["target"] == f"{SELF}projects/{PROJECT}/regions/europe-west1/instanceGroupManagers/{group(google)['name']}"
    return found["autoscalingPolicy"]["minNumReplicas"], found["autoscalingPolicy"]["maxNumReplicas"]


def test_a_subnetwork_name_is_looked_up_in_the_region(machines: Machines, google: GoogleCloud) -> None:
    """Whatever the region of the provider."""
    stack = machines()
    stack.set_config({"gcp:region": "us-central1"})
    up(stack)
    [interface] = template(google)["networkInterfaces"]
    assert interface["subnetwork"] == f"{SELF}projects/{PROJECT}/regions/europe-west1/subnetworks/agents"
    assert stack.preview().steps == {}


@pytest.mark.parametrize("word", ["name", "self_link"])
def test_a_subnetwork_that_is_an_output(word: str, on_google: New, google: GoogleCloud) -> None:
    stack = on_google("gcp-machines")
    stack.program = partial(programs.with_subnetwork, word)
    up(stack)
    assert template(google)["networkInterfaces"][0]["subnetwork"] == f"{SELF}projects/{PROJECT}/regions/europe-west1/subnetworks/agents"
    assert stack.preview().steps == {}


def test_a_group_that_scales_becomes_fixed_and_scales_again(machines: Machines, google: GoogleCloud) -> None:
    stack = machines(min=1, max=3)
    up(stack)
    assert scaler(google) == (1, 3)
    for words, expected in (({"max": None, "min": 2}, (2, 2)), ({"max": 4}, (2, 4)), ({"max": None, "min": 1}, (1, 1))):
        stack.edit({f"machines.legacy.gce.{word}": value for word, value in words.items()})
        assert up(stack).steps == {"legacy-scaling": ("update",)}
        assert scaler(google) == expected
        assert stack.preview().steps == {}
    assert google.refused() == []


ADVICE = "legacy: the state may differ from the actual group. Run `pulumi refresh`, then `pulumi up` again"


def test_a_refresh_repairs_a_failed_update(machines: Machines, google: GoogleCloud) -> None:
    """The provider stores what it wanted, so that another deployment would change nothing, and fail to delete the old template."""
    stack = machines()
    up(stack)
    stack.edit({"machines.legacy.gce.machineType": "e2-standard-4"})
    google.fail_once(PATCH, RefusedError(400, "INVALID_ARGUMENT", "no"))
    refused = stack.up()
    assert refused.failed
    assert ADVICE in refused.output
    assert not stack.refresh().failed
    up(stack)
    assert stack.preview().steps == {}
    assert template(google)["machineType"] == "e2-standard-4"
    group(google)["fingerprint"] = "b3RoZXI="  # after an update by others, or one whose response was lost
    stack.edit({"machines.legacy.gce.machineType": "e2-standard-8"})
    refused = stack.up()
    assert "Invalid fingerprint" in refused.output
    assert ADVICE in refused.output
    assert not stack.refresh().failed
    up(stack)
    assert template(google)["machineType"] == "e2-standard-8"
