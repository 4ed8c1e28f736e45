"""Manifests as files, in a directory that holds nothing else.

The directory has a list of the files that were written, so that the next time those are removed that are no longer rendered. No link is
ever followed, and nobody else's file is ever touched.
"""

import json
import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from scalr_agents import output
from scalr_agents.charts.shared.manifests.objects import Manifest
from scalr_agents.model import yaml_io

_LIST = ".scalr-agents"
_UNFINISHED = ".scalr-agents.new"
_ABOUT = "# The files that `scalr-agents render -d` has written here. It replaces and removes them.\n"
_PRIVATE = 0o600
_PUBLIC = 0o644


class DirectoryError(ValueError):
    """A directory that is not written to; the text says why, and what to do."""


class Written(NamedTuple):
    """What became of objects and files."""

    left_out: list[Manifest]
    """Objects of which something is not known: applying a placeholder would destroy the real one. A file from before stays."""
    removed: list[str]
    """Names of files of objects that there are no more."""


def write(objects: Sequence[Manifest], directory: Path, form: str) -> Written:
    """One file per object, those with Secrets readable by their owner alone. Raises `DirectoryError`, and `OSError`."""
    left_out: dict[str, Manifest] = {}
    files: dict[str, Manifest] = {}
    for manifest in objects:
        name = _name(manifest)
        if output.unknown([manifest]):
            left_out[name] = manifest
        else:
            files[f"{name}.{form}"] = manifest
    with _opened(directory) as folder:
        before = _own_files(folder)
        kept = {name for name in before if name.rpartition(".")[0] in left_out}
        obsolete = sorted(before - files.keys() - kept)
        _write(folder, _LIST, _listed(before | files.keys()), _PUBLIC)  # first of all: whoever is interrupted knows his files again
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
    """A descriptor of the directory, which is made if need be. Whatever takes its place meanwhile, this one is written to."""
    if directory.is_symlink():
        raise DirectoryError("is a link; name the directory itself")
    directory.mkdir(parents=True, exist_ok=True)
    folder = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        yield folder
    finally:
        os.close(folder)


def _own_files(folder: int) -> set[str]:
    """The files of the list that are there. Raises `DirectoryError` for everything else."""
    there = set(os.listdir(folder))
    links = sorted(name for name in there if not stat.S_ISREG(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode))
    if links:
        raise DirectoryError(f"holds something that is not a regular file: {', '.join(links)}; remove it, or name another directory")
    own = {line for line in _read(folder).splitlines() if not line.startswith("#")} if _LIST in there else set()
    strangers = sorted(there - own - {_LIST, _UNFINISHED})
    if strangers:
        raise DirectoryError(
            f"holds files that were not written by `render -d`: {', '.join(strangers)}; move them, or name another directory, since files "
            "that are no longer rendered are removed"
        )
    return own & there


def _read(folder: int) -> str:
    with os.fdopen(os.open(_LIST, os.O_RDONLY | os.O_NOFOLLOW, dir_fd=folder), encoding="utf-8") as file:
        return file.read()


def _write(folder: int, name: str, content: str, mode: int) -> None:
    """A whole file or none, never readable by more than its mode says, and in place of a link that would lead elsewhere."""
    with suppress(FileNotFoundError):
        os.unlink(_UNFINISHED, dir_fd=folder)
    with os.fdopen(os.open(_UNFINISHED, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode, dir_fd=folder), "w", encoding="utf-8") as file:
        os.fchmod(file.fileno(), mode)
        file.write(content)
    os.replace(_UNFINISHED, name, src_dir_fd=folder, dst_dir_fd=folder)
