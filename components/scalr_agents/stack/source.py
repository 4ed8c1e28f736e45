"""Reads a stack's configuration from its files as Pulumi does: `Pulumi.yaml` and `Pulumi.<stack>.yaml`.

Only what needs no engine: a secret stays sealed, and an ESC environment is reported, not opened.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from scalr_agents import yaml_io
from scalr_agents.stack.model import PREFIX
from scalr_agents.values.fields import Placeholder

PROJECT_FILE = "Pulumi.yaml"
_DECLARATION = {"value", "default", "type", "description", "secret", "items"}


class SourceError(Exception):
    """Files that cannot be read; the text says which and why."""


@dataclass(frozen=True)
class Sealed(Placeholder):
    """A secret of a stack file, which only Pulumi can open, or one that is not set yet. A deferred value."""

    place: str

    def __str__(self) -> str:
        return f"<secret {self.place}>"


@dataclass(frozen=True)
class CloudValue(Placeholder):
    """Something that only the cloud knows, such as the id of what it has yet to make. A deferred value."""

    place: str

    def __str__(self) -> str:
        return f"<cloud {self.place}>"


class Source(NamedTuple):
    """A stack's configuration: the keys of our namespace, and what could not be read."""

    file: Path
    directory: Path
    """Directory of the stack files, to which their paths are relative."""
    config: Mapping[str, Any]
    environment: bool
    """Whether the stack imports an ESC environment, whose content is unknown here."""


def find_project(start: Path) -> Path:
    """The directory of the nearest `Pulumi.yaml`, from `start` upwards."""
    for directory in (start, *start.parents):
        if (directory / PROJECT_FILE).is_file():
            return directory
    raise SourceError(f"no {PROJECT_FILE} in {start} or above")


def read(project: Path, stack: str) -> Source:
    """The configuration of a stack of the project."""
    settings = _read_yaml(project / PROJECT_FILE)
    name = str(settings.get("name", ""))
    directory = _stack_directory(project, settings)
    file = directory / f"Pulumi.{stack}.yaml"
    if not file.is_file():
        raise SourceError(f"no stack {stack!r}: there is no {file}; stacks: {', '.join(stacks(directory)) or 'none'}")
    content = _read_yaml(file)
    if not isinstance(content.get("config", {}), dict | None):
        raise SourceError(f"{file}: config: expected a map")
    config = {**_defaults(_map(settings.get("config")), name), **dict(_ours(_map(content.get("config")), name))}
    return Source(file, directory, config, environment=bool(content.get("environment")))


def stack_directory(project: Path) -> Path:
    """The directory of a project's stack files."""
    return _stack_directory(project, _read_yaml(project / PROJECT_FILE))


def _stack_directory(project: Path, settings: Mapping[str, Any]) -> Path:
    return project / str(settings.get("stackConfigDir") or "")


def stacks(directory: Path) -> list[str]:
    """The stacks that have a file in a directory."""
    return sorted(file.name.removeprefix("Pulumi.").removesuffix(".yaml") for file in directory.glob("Pulumi.*.yaml"))


def _read_yaml(file: Path) -> dict[str, Any]:
    try:
        return yaml_io.load_stack_file(file.read_text(encoding="utf-8"))
    except (yaml_io.YamlError, OSError, UnicodeDecodeError) as problem:
        raise SourceError(f"{file}: {problem}") from None


def read_text(file: Path) -> str:
    """The content of a file that a stack file or a command line names."""
    try:
        return file.read_text(encoding="utf-8")
    except OSError as problem:
        raise SourceError(f"{file}: {problem.strerror}") from None
    except ValueError:  # what does not decode, or a path that is none
        raise SourceError(f"{file}: not a text file") from None


def _map(content: Any) -> dict[str, Any]:
    return content if isinstance(content, dict) else {}


def _ours(config: Mapping[str, Any], project: str) -> Iterator[tuple[str, Any]]:
    """The keys of our namespace; a key without one has the project's name for it. Ciphertexts become sealed values."""
    for key, value in config.items():
        namespace, _, word = key.rpartition(":")
        if (namespace.removesuffix(":config") or project) == PREFIX:
            yield word, seal(value, f"{PREFIX}:{word}")


def _defaults(config: Mapping[str, Any], project: str) -> dict[str, Any]:
    """The project's own configuration: a value, or a declaration with a `value` or a `default`."""
    given = {}
    for word, content in _ours(config, project):
        declared = isinstance(content, dict) and content.keys() & _DECLARATION
        value = content.get("value", content.get("default")) if declared else content
        if value is not None:
            given[word] = value
    return given


def seal(value: Any, place: str) -> Any:
    """The value with its `secure:` ciphertexts replaced."""
    if isinstance(value, dict):
        if set(value) == {"secure"} and isinstance(value["secure"], str):
            return Sealed(place)
        return {key: seal(item, f"{place}.{key}") for key, item in value.items()}
    if isinstance(value, list):
        return [seal(item, f"{place}[{index}]") for index, item in enumerate(value)]
    return value
