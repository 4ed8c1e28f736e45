"""Manifests as text."""

import json

import pytest
import yaml
from scalr_agents import output
from scalr_agents.stack.source import Sealed

from tests.helpers.manifests import ACCOUNT, OTHER, ROLE, SEALED, SECRET


def test_yaml_is_one_document_per_object_in_their_order() -> None:
    assert output.text([ROLE, ACCOUNT], "yaml") == (
        "---\napiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata:\n  name: scalr.runs\nrules: []\n"
        "---\napiVersion: v1\nkind: ServiceAccount\nmetadata:\n  name: runs\n  namespace: scalr\n"
    )


def test_json_is_a_list_for_kubectl() -> None:
    text = output.text([ACCOUNT], "json")
    assert text == (
        '{\n  "apiVersion": "v1",\n  "kind": "List",\n  "items": [\n    {\n      "apiVersion": "v1",\n      "kind": "ServiceAccount",\n'
        '      "metadata": {\n        "name": "runs",\n        "namespace": "scalr"\n      }\n    }\n  ]\n}\n'
    )
    assert json.loads(output.text([ROLE, SECRET], "json"))["items"] == [ROLE, SECRET]


def test_no_objects_are_an_empty_stream_or_list() -> None:
    assert output.text([], "yaml") == ""
    assert json.loads(output.text([], "json")) == {"apiVersion": "v1", "kind": "List", "items": []}


@pytest.mark.parametrize("form", ["yaml", "json"])
def test_deferred_values_are_printed_as_placeholders(form: str) -> None:
    pod = {"kind": "Pod", "spec": {"containers": [{"args": ["x", Sealed("a.b")]}]}}
    text = output.text([SEALED, pod], form)
    assert (list(yaml.safe_load_all(text)) if form == "yaml" else json.loads(text)["items"]) == [
        SEALED | {"stringData": {"A": "known", "B": "<secret scalr-agents:secrets.runs.env.B>"}},
        {"kind": "Pod", "spec": {"containers": [{"args": ["x", "<secret a.b>"]}]}},
    ]
    assert SEALED["stringData"]["B"] == Sealed("scalr-agents:secrets.runs.env.B")


def test_unknown_values_are_named_once_and_sorted() -> None:
    nested = {"kind": "Pod", "spec": {"containers": [{"args": [Sealed("scalr-agents:a[0]")], "env": None, "tty": False}]}}
    assert [str(value) for value in output.unknown([SEALED, OTHER, nested, SEALED, ACCOUNT])] == [
        "<secret scalr-agents:a[0]>",
        "<secret scalr-agents:secrets.more.token>",
        "<secret scalr-agents:secrets.runs.env.B>",
    ]
    assert output.unknown([ACCOUNT, SECRET]) == []
