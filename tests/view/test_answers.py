"""What is read of answers, whatever is in them."""

import json
from typing import Any

import pytest
from scalr_agents.cluster.answers import Odd, page, understood
from scalr_agents.cluster.objects import Claim, Condition, Event, Job, Object, Pod, Reason, Summary, Workload


def pod(**parts: Any) -> dict[str, Any]:
    return {"metadata": {"name": "a"}, **parts}


def names(kind: type[Any], items: object) -> tuple[list[str], list[Odd]]:
    found = page(kind, json.dumps({"items": items}).encode())
    assert found is not None
    return [item.name for item in found.items], [*found.odd]


@pytest.mark.parametrize("kind", [Object, Pod, Job, Event, Claim, Workload])
def test_only_a_name_is_needed(kind: type[Any]) -> None:
    assert understood(kind, {"metadata": {"name": "a"}}) == (kind(name="a"), [])


@pytest.mark.parametrize(
    ("item", "place"),
    [
        (pod(status="x"), "status"),
        (pod(status={"phase": 5}), "status.phase"),
        (pod(spec={"nodeName": {}}), "spec.nodeName"),
        (pod(spec={"containers": [{"name": "a"}, {"name": 1}]}), "spec.containers.name"),
        (pod(spec={"containers": [{"name": "a"}, {}]}), "spec.containers"),
        (pod(spec={"containers": [{"name": "a"}, 5]}), "spec.containers"),
        (pod(status={"containerStatuses": [{"name": "a", "state": []}]}), "status.containerStatuses.state"),
        (pod(status={"containerStatuses": [{"name": "a", "restartCount": 10**400}]}), "status.containerStatuses.restartCount"),
        (pod(status={"conditions": [{"lastTransitionTime": "yesterday"}]}), "status.conditions.lastTransitionTime"),
        ({"metadata": {"name": "a", "labels": {"team": 1}}}, "metadata.labels.team"),
        ({"metadata": {"name": "a", "labels": {"x" * 200: 1}}}, f"metadata.labels.{'x' * 84}"),
    ],
)
def test_what_is_not_understood_counts_as_not_set(item: dict[str, Any], place: str) -> None:
    found, odd = understood(Pod, item)
    assert found is not None
    assert odd[0] == Odd("a", place)
    assert found.name == "a"


@pytest.mark.parametrize("item", [None, 5, "x", [], {}, {"metadata": None}, {"metadata": []}, {"metadata": {"name": None}}])
def test_an_object_without_a_name_is_none(item: object) -> None:
    assert understood(Pod, item) == (None, [Odd("", "")])


def test_null_counts_as_not_set() -> None:
    item = {"metadata": {"name": "a", "labels": None}, "spec": None, "status": {"phase": None, "containerStatuses": None}}
    assert understood(Pod, item) == (Pod(name="a"), [])


def test_what_is_compared_later_is_not_changed() -> None:
    item = pod(status={"phase": 5, "conditions": [5, {"type": "Ready"}]})
    before = json.dumps(item)
    found, _ = understood(Pod, item)
    assert (json.dumps(item), found) == (before, Pod(name="a", conditions=(Condition(type="Ready"),)))


def test_an_object_does_not_hide_the_others() -> None:
    items = [pod(), {"metadata": {}}, 5, {"metadata": {"name": "b"}, "status": []}, {"metadata": {"name": "c"}}]
    assert names(Pod, items) == (["a", "b", "c"], [Odd("", ""), Odd("", ""), Odd("b", "status")])


def test_an_object_in_which_too_much_is_odd_is_not_understood() -> None:
    assert names(Pod, [pod(status={"conditions": [5] * 900}), {"metadata": {"name": "b"}}]) == (["b"], [Odd("a", "")])


@pytest.mark.parametrize("body", [b"", b"[]", b"{}", b'{"items": {}}', b"\xff", b'{"items": [' + b"[" * 300, b'{"items": [NaN]}'])
def test_what_is_no_list(body: bytes) -> None:
    assert page(Pod, body) is None


@pytest.mark.parametrize("body", [b'{"items": null}', b'{"items": []}', b'{"items": [], "metadata": null}'])
def test_an_empty_list(body: bytes) -> None:
    found = page(Pod, body)
    assert found is not None
    assert ([*found.items], [*found.odd], found.following) == ([], [], "")


def test_a_next_page_that_is_not_understood_is_told() -> None:
    found = page(Pod, b'{"items": [], "metadata": {"continue": 5}}')
    assert found is not None
    assert found.odd == [Odd("", "metadata.continue")]


def test_a_field_is_where_the_api_has_it() -> None:
    status = {"name": "a", "state": {"waiting": {"reason": "ImagePullBackOff"}}}
    found, odd = understood(Pod, pod(status={"containerStatuses": [status]}))
    assert found is not None
    assert (found.statuses[0].state.waiting, odd) == (Reason(reason="ImagePullBackOff"), [])


def test_a_kubelet_may_tell_anything() -> None:
    found, odd = understood(
        Summary, {"pods": [{"volume": [{"pvcRef": {"name": "a"}, "usedBytes": "many"}, {"pvcRef": {"name": 5}}]}, {"volume": None}]}
    )
    assert found is not None
    assert ([volume.claim for pod in found.pods for volume in pod.volume], len(odd)) == (["a", ""], 2)
