"""Manifests as text, or as files in a directory that contains nothing else.

The directory has a list of the files that were written, so that the next run removes those that are no longer rendered. Links are never
followed, and files of others are never touched.
"""

import json
import os
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

from scalr_agents.model import yaml_io
from scalr_agents.model.manifests import Manifest
from scalr_agents.model.maps import Deferred, is_deferred

_LIST = ".scalr-agents"
_UNFINISHED = ".scalr-agents.new"
_ABOUT = "# The files that `scalr-agents render -d` has written here. It replaces and removes them.\n"
_PRIVATE = 0o600
_PUBLIC = 0o644


class DirectoryError(ValueError):
    """A directory that cannot be used; the text says why, and what to do."""


class Written(NamedTuple):
    """The result of writing."""

    left_out: list[Manifest]
    """Objects with unknown values: applying a placeholder would overwrite the real value. An existing file stays."""
    removed: list[str]
    """Names of removed files, whose objects are no longer rendered."""


def text(objects: Sequence[Manifest], form: str) -> str:
    """The objects as a stream of YAML documents, or as a JSON `List`. Deferred values are printed as their placeholders."""
    printable = [_printable(manifest) for manifest in objects]
    if form == "yaml":
        return yaml_io.dump(printable)
    return json.dumps({"apiVersion": "v1", "kind": "List", "items": printable}, indent=2) + "\n"


def unknown(objects: Iterable[Manifest]) -> list[Deferred]:
    """The values that are printed as placeholders, each once."""
    values = {str(value): value for manifest in objects for value in _leaves(manifest) if is_deferred(value)}
    return [values[text] for text in sorted(values)]


def _printable(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _printable(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_printable(item) for item in value]
    return str(value) if is_deferred(value) else value


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, Mapping | list):
        for item in value.values() if isinstance(value, Mapping) else value:
            yield from _leaves(item)
    else:
        yield value


def write(objects: Sequence[Manifest], directory: Path, form: str) -> Written:
    """One file per object, those with Secrets readable by their owner alone. Raises `DirectoryError`, and `OSError`."""
    left_out: dict[str, Manifest] = {}
    files: dict[str, Manifest] = {}
    for manifest in objects:
        name = _name(manifest)
        if unknown([manifest]):
            left_out[name] = manifest
        else:
            files[f"{name}.{form}"] = manifest
    with _opened(directory) as folder:
        before = _own_files(folder)
        kept = {name for name in before if name.rpartition(".")[0] in left_out}
        obsolete = sorted(before - files.keys() - kept)
        _write(folder, _LIST, _listed(before | files.keys()), _PUBLIC)  # first, so that an interrupted run recognizes its files
        for name, manifest in files.items():
            content = yaml_io.dump([manifest]) if form == "yaml" else json.dumps(manifest, indent=2) + "\n"
            _write(folder, name, content, _PRIVATE if manifest["kind"] == "Secret" else _PUBLIC)
        for name in obsolete:
            os.unlink(name, dir_fd=folder)
        _write(folder, _LIST, _listed(files.keys() | kept), _PUBLIC)
    return Written([*left_out.values()], obsolete)


def _name(manifest: Manifest) -> str:
    metadata = manifest["metadata"]
    return "_".join(part for part in (metadata.get("namespace"), manifest["kind"].lower(), metadata["name"]) if part)


def _listed(names: Iterable[str]) -> str:
    return _ABOUT + "".join(f"{name}\n" for name in sorted(names))


@contextmanager
def _opened(directory: Path) -> Iterator[int]:
    """A descriptor of the directory, which is created if needed. All files go there, even if the path is replaced meanwhile."""
    if directory.is_symlink():
        raise DirectoryError("is a link; name the directory itself")
    directory.mkdir(parents=True, exist_ok=True)
    folder = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        yield folder
    finally:
        os.close(folder)


def _own_files(folder: int) -> set[str]:
    """The files of the list that exist. Raises `DirectoryError` for everything else."""
    there = set(os.listdir(folder))
    links = sorted(name for name in there if not stat.S_ISREG(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode))
    if links:
        raise DirectoryError(f"contains something that is not a regular file: {', '.join(links)}; remove it, or use another directory")
    own: set[str] = set()
    if _LIST in there:
        with os.fdopen(os.open(_LIST, os.O_RDONLY | os.O_NOFOLLOW, dir_fd=folder), encoding="utf-8") as file:
            own = {line for line in file.read().splitlines() if not line.startswith("#")}
    strangers = sorted(there - own - {_LIST, _UNFINISHED})
    if strangers:
        raise DirectoryError(
            f"contains files that were not written by `render -d`: {', '.join(strangers)}; move them, or use another directory, "
            "because files that are no longer rendered are removed"
        )
    return own & there


def _write(folder: int, name: str, content: str, mode: int) -> None:
    """Writes a whole file or none, never with wider permissions than its mode, and replaces a link instead of following it."""
    with suppress(FileNotFoundError):
        os.unlink(_UNFINISHED, dir_fd=folder)
    with os.fdopen(os.open(_UNFINISHED, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode, dir_fd=folder), "w", encoding="utf-8") as file:
        os.fchmod(file.fileno(), mode)
        file.write(content)
    os.replace(_UNFINISHED, name, src_dir_fd=folder, dst_dir_fd=folder)
