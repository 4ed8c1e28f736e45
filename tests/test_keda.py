"""The objects for KEDA in the pages: as its definitions want them, and for workloads whose number the stack beside them leaves open."""

import re
from pathlib import Path
from typing import Any, NamedTuple
from zoneinfo import available_timezones

import pytest
import yaml
from scalr_agents.charts.shared.pods import WORKLOADS
from scalr_agents.model.manifests import Manifest

from tests import definitions
from tests.helpers import samples

PAGE = Path(__file__).parents[1] / "docs" / "operations.md"
SECTION = PAGE.read_text(encoding="utf-8").partition("## Numbers from KEDA\n")[2].partition("\n## ")[0]
STACK, *OTHERS = re.findall(r"^```yaml\n(.*?)^```", SECTION, re.MULTILINE | re.DOTALL)
OBJECTS: list[Manifest] = [manifest for block in OTHERS for manifest in yaml.safe_load_all(block)]
SCALED = [manifest for manifest in OBJECTS if manifest["kind"] == "ScaledObject"]
_TIME = r"[0-5]?\d (1?\d|2[0-3]) \* \* [0-6](-[0-6])?"


class Metadata(NamedTuple):
    """Names of what a trigger takes, as far as the page has it."""

    required: frozenset[str]
    optional: frozenset[str] = frozenset()


TRIGGERS = {
    "cron": Metadata(frozenset({"start", "end", "timezone", "desiredReplicas"})),
    "metrics-api": Metadata(frozenset({"url", "valueLocation"}), frozenset({"targetValue", "authMode"})),
}
"""From schema/generated/scalers-schema.yaml of github.com/kedacore/keda/v2 v2.21.0."""


@pytest.fixture(scope="module")
def workloads() -> dict[tuple[str, str], Manifest]:
    """Those of the stack on the page, by namespace and name. It has no findings."""
    config = {key.removeprefix("scalr-agents:"): value for key, value in yaml.safe_load(STACK)["config"].items()}
    loaded = samples.load({**config, "common": {"url": samples.URL}})
    assert [str(finding) for finding in loaded.findings] == []
    made = samples.objects(loaded)
    return {(each["metadata"]["namespace"], each["metadata"]["name"]): each for each in made if each["kind"] in WORKLOADS}


def _key(scaled: Manifest) -> tuple[str, str]:
    return scaled["metadata"]["namespace"], scaled["spec"]["scaleTargetRef"]["name"]


def test_the_objects_are_as_their_definitions_want_them() -> None:
    assert [manifest["kind"] for manifest in OBJECTS] == ["ScaledObject", "TriggerAuthentication", "ScaledObject"]
    for manifest in OBJECTS:
        definitions.assert_valid(manifest)


def test_they_set_the_numbers_that_the_stack_leaves_open(workloads: dict[tuple[str, str], Manifest]) -> None:
    assert [_key(scaled) for scaled in SCALED] == [key for key, each in workloads.items() if "replicas" not in each["spec"]]
    for scaled in SCALED:
        assert scaled["spec"]["scaleTargetRef"].keys() == {"name"}  # a Deployment
        assert workloads[_key(scaled)]["kind"] == "Deployment"


@pytest.mark.parametrize("trigger", [trigger for scaled in SCALED for trigger in scaled["spec"]["triggers"]], ids=str)
def test_triggers_have_what_they_require(trigger: dict[str, Any]) -> None:
    known, given = TRIGGERS[trigger["type"]], trigger["metadata"]
    assert known.required <= given.keys() <= known.required | known.optional
    if trigger["type"] == "cron":
        assert all(re.fullmatch(_TIME, given[edge]) for edge in ("start", "end"))
        assert given["timezone"] in available_timezones()


def test_windows_stay_below_the_largest_number() -> None:
    for scaled in SCALED:
        numbers = [int(each["metadata"].get("desiredReplicas", 0)) for each in scaled["spec"]["triggers"]]
        assert max(numbers) <= scaled["spec"]["maxReplicaCount"]


def test_secrets_are_those_of_the_authentications() -> None:
    names = {(each["metadata"]["namespace"], each["metadata"]["name"]) for each in OBJECTS if each["kind"] == "TriggerAuthentication"}
    used = [
        (scaled["metadata"]["namespace"], trigger["authenticationRef"]["name"])
        for scaled in SCALED
        for trigger in scaled["spec"]["triggers"]
        if "authenticationRef" in trigger
    ]
    assert set(used) == names
