"""Manifests as text, and as files of a directory that holds nothing else."""

import json
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml
from scalr_agents import output
from scalr_agents.output import DirectoryError, write
from scalr_agents.stack.source import Sealed

from tests.helpers.manifests import ACCOUNT, OTHER, ROLE, SEALED, SECRET

LIST = ".scalr-agents"


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


def _mode(file: Path) -> int:
    return stat.S_IMODE(file.stat().st_mode)


@pytest.fixture(params=[0o000, 0o022, 0o077], ids=oct)
def mask(request: pytest.FixtureRequest) -> Iterator[int]:
    """The process's own mask for new files."""
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


def _files(directory: Path) -> list[str]:
    return sorted(file.name for file in directory.iterdir() if file.name != LIST)


def _content(directory: Path) -> dict[str, str]:
    return {file.name: file.read_text(encoding="utf-8") for file in directory.iterdir()}


@pytest.mark.parametrize("form", ["yaml", "json"])
def test_every_object_has_a_file_named_after_it(tmp_path: Path, form: str) -> None:
    directory = tmp_path / "a" / "b"
    assert write([ROLE, ACCOUNT, SECRET], directory, form) == ([], [])
    assert _files(directory) == [
        f"clusterrole_scalr.runs.{form}",
        f"scalr_secret_runs.{form}",
        f"scalr_serviceaccount_runs.{form}",
    ]


def test_a_file_contains_only_its_object(tmp_path: Path) -> None:
    write([ACCOUNT, SECRET], tmp_path, "yaml")
    for file, manifest in (("scalr_serviceaccount_runs.yaml", ACCOUNT), ("scalr_secret_runs.yaml", SECRET)):
        assert (tmp_path / file).read_text(encoding="utf-8") == output.text([manifest], "yaml")
    write([ROLE], tmp_path, "json")
    assert (tmp_path / "clusterrole_scalr.runs.json").read_text(encoding="utf-8") == json.dumps(ROLE, indent=2) + "\n"


def test_secret_files_are_readable_only_by_the_owner(tmp_path: Path, mask: int) -> None:
    write([ROLE, SECRET], tmp_path, "yaml")
    assert _mode(tmp_path / "scalr_secret_runs.yaml") == 0o600
    assert _mode(tmp_path / "clusterrole_scalr.runs.yaml") == 0o644


@pytest.mark.parametrize("older", [0o600, 0o640, 0o644, 0o666, 0o777], ids=oct)
def test_an_older_file_is_replaced_and_gets_the_right_mode(tmp_path: Path, older: int) -> None:
    secret, role = tmp_path / "scalr_secret_runs.json", tmp_path / "clusterrole_scalr.runs.json"
    write([ROLE, SECRET], tmp_path, "json")
    for file in (secret, role):
        file.write_text("x" * 10_000, encoding="utf-8")
        file.chmod(older)
    write([ROLE, SECRET], tmp_path, "json")
    assert (_mode(secret), _mode(role)) == (0o600, 0o644)
    assert json.loads(secret.read_text(encoding="utf-8")) == SECRET
    assert json.loads(role.read_text(encoding="utf-8")) == ROLE


@pytest.mark.parametrize("form", ["yaml", "json"])
def test_secrets_with_unknown_content_are_omitted_and_returned(tmp_path: Path, form: str) -> None:
    assert write([SEALED, ACCOUNT, SECRET, OTHER], tmp_path, form) == ([SEALED, OTHER], [])
    assert _files(tmp_path) == [f"scalr_secret_runs.{form}", f"scalr_serviceaccount_runs.{form}"]


def test_an_omitted_secret_keeps_its_older_file(tmp_path: Path) -> None:
    write([OTHER | {"stringData": {"token": "real"}}, ROLE], tmp_path, "yaml")
    before = _content(tmp_path)["scalr_secret_more.yaml"]
    for form in ("yaml", "json", "json"):  # in the other format it is still the only one with the content
        write([OTHER], tmp_path, form)
        assert _files(tmp_path) == ["scalr_secret_more.yaml"]
        assert _content(tmp_path)["scalr_secret_more.yaml"] == before
    assert write([], tmp_path, "yaml").removed == ["scalr_secret_more.yaml"]


def test_stale_files_are_removed(tmp_path: Path) -> None:
    write([ROLE, ACCOUNT, SECRET], tmp_path, "yaml")
    assert write([ACCOUNT], tmp_path, "yaml").removed == ["clusterrole_scalr.runs.yaml", "scalr_secret_runs.yaml"]
    assert _files(tmp_path) == ["scalr_serviceaccount_runs.yaml"]
    assert write([ACCOUNT], tmp_path, "json").removed == ["scalr_serviceaccount_runs.yaml"]
    assert _files(tmp_path) == ["scalr_serviceaccount_runs.json"]
    assert write([ROLE], tmp_path, "json").removed == ["scalr_serviceaccount_runs.json"]


def test_the_same_objects_make_the_same_directory(tmp_path: Path) -> None:
    write([ROLE, SECRET], tmp_path, "yaml")
    before = _content(tmp_path)
    assert before[LIST].splitlines()[1:] == ["clusterrole_scalr.runs.yaml", "scalr_secret_runs.yaml"]
    write([ROLE, SECRET], tmp_path, "yaml")
    assert _content(tmp_path) == before


@pytest.mark.parametrize("name", ["README.md", ".gitignore", "scalr_serviceaccount_runs.yaml"])
@pytest.mark.parametrize("written", [False, True])
def test_foreign_files_are_refused(tmp_path: Path, name: str, *, written: bool) -> None:
    if written:
        write([ROLE], tmp_path, "yaml")
    (tmp_path / name).write_text("mine")
    before = _content(tmp_path)
    with pytest.raises(DirectoryError) as caught:
        write([ACCOUNT, SECRET], tmp_path, "yaml")
    assert str(caught.value).startswith(f"contains files that were not written by `render -d`: {name}; move them, or use another directory")
    assert _content(tmp_path) == before


def test_a_removed_file_is_written_again(tmp_path: Path) -> None:
    write([ROLE, SECRET], tmp_path, "yaml")
    (tmp_path / "clusterrole_scalr.runs.yaml").unlink()
    (tmp_path / "scalr_secret_runs.yaml").unlink()
    assert write([ROLE], tmp_path, "yaml").removed == []
    assert _files(tmp_path) == ["clusterrole_scalr.runs.yaml"]


def test_a_link_as_directory_is_refused(tmp_path: Path) -> None:
    elsewhere, link = tmp_path / "elsewhere", tmp_path / "out"
    elsewhere.mkdir()
    for target in (elsewhere, tmp_path / "nothing"):
        link.symlink_to(target)
        with pytest.raises(DirectoryError, match="is a link; name the directory itself"):
            write([SECRET], link, "yaml")
        link.unlink()
    assert list(tmp_path.iterdir()) == [elsewhere]
    assert list(elsewhere.iterdir()) == []


def test_a_link_replacing_the_directory_is_not_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "out").symlink_to(tmp_path / "elsewhere")
    monkeypatch.setattr(Path, "is_symlink", lambda _: False)
    with pytest.raises(OSError, match=r"Not a directory|Too many levels"):
        write([SECRET], tmp_path / "out", "yaml")
    assert list((tmp_path / "elsewhere").iterdir()) == []


@pytest.mark.parametrize("name", ["scalr_secret_runs.yaml", LIST, "other"])
def test_a_link_among_the_files_is_refused(tmp_path: Path, name: str) -> None:
    directory, victim = tmp_path / "out", tmp_path / "victim"
    write([SECRET, ROLE], directory, "yaml")
    victim.write_text("scalr_secret_runs.yaml\nclusterrole_scalr.runs.yaml\nother\n")
    (directory / name).unlink(missing_ok=True)
    (directory / name).symlink_to(victim)
    before = victim.read_text()
    with pytest.raises(DirectoryError, match=rf"not a regular file: {name}; remove it"):
        write([SECRET], directory, "yaml")
    assert victim.read_text() == before
    assert (directory / "clusterrole_scalr.runs.yaml").exists()


def test_a_directory_among_the_files_is_refused(tmp_path: Path) -> None:
    (tmp_path / "values").mkdir()
    with pytest.raises(DirectoryError, match="not a regular file: values"):
        write([SECRET], tmp_path, "yaml")


@pytest.mark.parametrize(("name", "moment"), [("scalr_secret_runs.yaml", "fchmod"), (LIST, "fchmod"), (".scalr-agents.new", "replace")])
def test_a_link_that_appears_while_files_are_written_is_replaced(
    name: str, moment: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    directory, victim = tmp_path / "out", tmp_path / "victim"
    write([ROLE], directory, "yaml")
    victim.write_text("before")
    with _linked_after(moment, directory / name, victim, monkeypatch):
        write([ROLE, SECRET], directory, "yaml")
    assert victim.read_text() == "before"
    assert not (directory / "scalr_secret_runs.yaml").is_symlink()
    assert _mode(directory / "scalr_secret_runs.yaml") == 0o600


@pytest.mark.parametrize(("name", "moment"), [(LIST, "stat"), (".scalr-agents.new", "unlink")])
def test_a_link_created_during_writing_is_not_followed(name: str, moment: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    directory, victim = tmp_path / "out", tmp_path / "victim"
    write([], directory, "yaml")
    victim.write_text("scalr_secret_runs.yaml\n")
    with (
        _linked_after(moment, directory / name, victim, monkeypatch),
        pytest.raises(OSError, match=r"Too many levels of symbolic links|File exists"),
    ):
        write([SECRET], directory, "yaml")
    assert victim.read_text() == "scalr_secret_runs.yaml\n"


@contextmanager
def _linked_after(call: str, link: Path, target: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Somebody else puts a link into the directory after the first such call for a file in it."""
    real = getattr(os, call)

    def interfered(*arguments: Any, **options: Any) -> Any:
        try:
            return real(*arguments, **options)
        finally:
            if call != "stat" or "dir_fd" in options:
                meanwhile.undo()
                link.unlink(missing_ok=True)
                link.symlink_to(target)

    with monkeypatch.context() as meanwhile:
        meanwhile.setattr(os, call, interfered)
        yield


def test_listed_files_outside_the_directory_are_not_removed(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("x")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / LIST).write_text(f"../victim\n{victim}\n..\n.\n\n")
    assert write([ROLE], tmp_path / "out", "yaml").removed == []
    assert victim.exists()


def test_an_interrupted_write_can_be_repeated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write([ACCOUNT], tmp_path, "yaml")
    replace = os.replace

    def interrupted(source: str, target: str, **options: int) -> None:
        if target == "scalr_secret_runs.yaml":
            raise KeyboardInterrupt
        replace(source, target, **options)

    monkeypatch.setattr(os, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write([ROLE, SECRET], tmp_path, "yaml")
    monkeypatch.undo()
    assert _files(tmp_path) == [".scalr-agents.new", "clusterrole_scalr.runs.yaml", "scalr_serviceaccount_runs.yaml"]
    assert write([ROLE], tmp_path, "yaml").removed == ["scalr_serviceaccount_runs.yaml"]
