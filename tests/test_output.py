"""Manifests as text and as files."""

import json
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from scalr_agents import output
from scalr_agents.stack.source import Sealed

Manifest = dict[str, Any]

ROLE: Manifest = {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {"name": "scalr.runs"}, "rules": []}
ACCOUNT: Manifest = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "runs", "namespace": "scalr"}}
SECRET: Manifest = {
    "apiVersion": "v1",
    "kind": "Secret",
    "metadata": {"name": "runs", "namespace": "scalr"},
    "stringData": {"token": "s3cr3t", "ca.crt": "a\nb\n"},
}
SEALED: Manifest = SECRET | {
    "metadata": {"name": "runs-env", "namespace": "scalr"},
    "stringData": {"A": "known", "B": Sealed("scalr-agents:secrets.runs.env.B")},
}
OTHER: Manifest = SECRET | {
    "metadata": {"name": "more", "namespace": "scalr"},
    "stringData": {"token": Sealed("scalr-agents:secrets.more.token")},
}


def _mode(file: Path) -> int:
    return stat.S_IMODE(file.stat().st_mode)


@pytest.fixture(params=[0o000, 0o022, 0o077], ids=oct)
def mask(request: pytest.FixtureRequest) -> Iterator[int]:
    """The process's own mask for new files."""
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


def test_yaml_is_one_document_per_object_in_their_order() -> None:
    assert output.text([ROLE, ACCOUNT], "yaml") == (
        "---\napiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata:\n  name: scalr.runs\nrules: []\n"
        "---\napiVersion: v1\nkind: ServiceAccount\nmetadata:\n  name: runs\n  namespace: scalr\n"
    )


def test_json_is_a_list_that_kubectl_takes() -> None:
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
    text = output.text([SEALED], form)
    read = yaml.safe_load(text) if form == "yaml" else json.loads(text)["items"][0]
    assert read == SEALED | {"stringData": {"A": "known", "B": "<secret scalr-agents:secrets.runs.env.B>"}}
    assert SEALED["stringData"]["B"] == Sealed("scalr-agents:secrets.runs.env.B")


@pytest.mark.parametrize("form", ["yaml", "json"])
def test_placeholders_are_printed_at_any_depth(form: str) -> None:
    text = output.text([{"kind": "Pod", "spec": {"containers": [{"args": ["x", Sealed("a.b")]}]}}], form)
    read = yaml.safe_load(text) if form == "yaml" else json.loads(text)["items"][0]
    assert read == {"kind": "Pod", "spec": {"containers": [{"args": ["x", "<secret a.b>"]}]}}


def test_unknown_values_are_named_once_and_sorted() -> None:
    nested = {"kind": "Pod", "spec": {"containers": [{"args": [Sealed("scalr-agents:a[0]")], "env": None, "tty": False}]}}
    assert [str(value) for value in output.unknown([SEALED, OTHER, nested, SEALED, ACCOUNT])] == [
        "<secret scalr-agents:a[0]>",
        "<secret scalr-agents:secrets.more.token>",
        "<secret scalr-agents:secrets.runs.env.B>",
    ]
    assert output.unknown([ACCOUNT, SECRET]) == []


@pytest.mark.parametrize("form", ["yaml", "json"])
def test_every_object_has_a_file_named_after_it(tmp_path: Path, form: str) -> None:
    directory = tmp_path / "a" / "b"
    assert output.write([ROLE, ACCOUNT, SECRET], directory, form) == []
    assert sorted(file.name for file in directory.iterdir()) == [
        f"clusterrole_scalr.runs.{form}",
        f"scalr_secret_runs.{form}",
        f"scalr_serviceaccount_runs.{form}",
    ]


def test_a_file_holds_the_object_alone(tmp_path: Path) -> None:
    output.write([ACCOUNT, SECRET], tmp_path, "yaml")
    assert (tmp_path / "scalr_serviceaccount_runs.yaml").read_text(encoding="utf-8") == (
        "---\napiVersion: v1\nkind: ServiceAccount\nmetadata:\n  name: runs\n  namespace: scalr\n"
    )
    assert (tmp_path / "scalr_secret_runs.yaml").read_text(encoding="utf-8") == (
        "---\napiVersion: v1\nkind: Secret\nmetadata:\n  name: runs\n  namespace: scalr\n"
        "stringData:\n  token: s3cr3t\n  ca.crt: |\n    a\n    b\n"
    )
    output.write([ROLE], tmp_path, "json")
    assert (tmp_path / "clusterrole_scalr.runs.json").read_text(encoding="utf-8") == json.dumps(ROLE, indent=2) + "\n"


def test_secrets_are_readable_by_their_owner_alone(tmp_path: Path, mask: int) -> None:
    output.write([ROLE, SECRET], tmp_path, "yaml")
    assert _mode(tmp_path / "scalr_secret_runs.yaml") == 0o600
    assert _mode(tmp_path / "clusterrole_scalr.runs.yaml") == 0o644


@pytest.mark.parametrize("older", [0o600, 0o640, 0o644, 0o666, 0o777], ids=oct)
def test_an_older_file_is_replaced_and_gets_the_right_mode(tmp_path: Path, older: int) -> None:
    secret, role = tmp_path / "scalr_secret_runs.json", tmp_path / "clusterrole_scalr.runs.json"
    for file in (secret, role):
        file.write_text("x" * 10_000, encoding="utf-8")
        file.chmod(older)
    output.write([ROLE, SECRET], tmp_path, "json")
    assert (_mode(secret), _mode(role)) == (0o600, 0o644)
    assert json.loads(secret.read_text(encoding="utf-8")) == SECRET
    assert json.loads(role.read_text(encoding="utf-8")) == ROLE


@pytest.mark.parametrize("form", ["yaml", "json"])
def test_secrets_with_unknown_content_are_left_out_and_returned(tmp_path: Path, form: str) -> None:
    assert output.write([SEALED, ACCOUNT, SECRET, OTHER], tmp_path, form) == [SEALED, OTHER]
    assert sorted(file.name for file in tmp_path.iterdir()) == [f"scalr_secret_runs.{form}", f"scalr_serviceaccount_runs.{form}"]


def test_a_secret_that_is_left_out_keeps_its_older_file(tmp_path: Path) -> None:
    file = tmp_path / "scalr_secret_more.yaml"
    file.write_text("real\n", encoding="utf-8")
    output.write([OTHER], tmp_path, "yaml")
    assert file.read_text(encoding="utf-8") == "real\n"


def test_nothing_to_write_makes_an_empty_directory(tmp_path: Path) -> None:
    assert output.write([], tmp_path / "out", "yaml") == []
    assert list((tmp_path / "out").iterdir()) == []
