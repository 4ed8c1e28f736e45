"""Reads a stack's configuration from its files as Pulumi does: `Pulumi.yaml` and `Pulumi.<stack>.yaml`.

It works without the engine: secrets stay encrypted, and an ESC environment is reported, not opened.
"""

import re
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from scalr_agents.model import yaml_io
from scalr_agents.model.fields import Placeholder
from scalr_agents.model.findings import Finding, FindingsError, Position, almost, entry, error, warning
from scalr_agents.model.findings import Path as KeyPath
from scalr_agents.model.positions import Document, broken
from scalr_agents.stack.model import PREFIX, StackFile

PROJECT_FILE = "Pulumi.yaml"
_STACK_KEYS = {"config", "encryptedkey", "encryptionsalt", "environment", "secretsprovider"}
_CIPHERTEXT = re.compile(r"v1:[A-Za-z0-9+/=:]+|[A-Za-z0-9+/=_-]{20,}")
"""Base64, of a key in the stack file with a version, of a service without one."""
_LARGEST = 4 * 2**20
"""Characters of a file: no stack, no values and no certificates come near."""
_NO_TEXT = "not a text file in UTF-8"
_DECLARATION = {"value", "default", "type", "description", "secret", "items"}


class SourceError(Exception):
    """A file is missing or cannot be read; the text says which and why."""


class UnreadableError(SourceError):
    """A file cannot be read. The text has its path; `reason` has not, for callers whose path may be a secret."""

    def __init__(self, file: Path, reason: str) -> None:
        super().__init__(f"{file}: {reason}")
        self.reason = reason


@dataclass(frozen=True)
class Sealed(Placeholder):
    """A secret of a stack file that only Pulumi can decrypt, or that is not set yet. A deferred value."""

    place: str
    encrypted: bool = True
    """Whether the value may be one that Pulumi has encrypted, and not a placeholder."""

    def __str__(self) -> str:
        return f"<secret {self.place}>"


@dataclass(frozen=True)
class CloudValue(Placeholder):
    """A value that only the cloud knows, such as the id of a resource that does not exist yet. A deferred value."""

    place: str

    def __str__(self) -> str:
        return f"<cloud {self.place}>"


class Origin(NamedTuple):
    """The file and path of the content of a configuration key."""

    file: Path
    path: KeyPath


class Source(NamedTuple):
    """A stack's configuration: the keys of our namespace, and what could not be read."""

    file: Path
    directory: Path
    """Directory of the stack files; paths in them are relative to it."""
    project: Path
    """Directory of the project; outside of one, that of the file."""
    config: Mapping[str, Any]
    origins: Mapping[str, Origin]
    """The file and path of each key of our namespace."""
    others: frozenset[str]
    """The keys of other namespaces, such as `aws:region`."""
    environment: bool
    """Whether the stack imports an ESC environment, whose content is unknown here."""


def find_project(start: Path) -> Path:
    """The directory of the nearest `Pulumi.yaml`, from `start` upwards."""
    for directory in (start, *start.parents):
        if (directory / PROJECT_FILE).is_file():
            return directory
    raise SourceError(f"no {PROJECT_FILE} in {start} or a directory above it; name the project's directory with --project")


def project_of(file: Path) -> Path | None:
    """The project that a stack file belongs to, if there is one."""
    try:
        return find_project(file.parent)
    except SourceError:
        return None


def read(project: Path, stack: str) -> Source:
    """The configuration of a stack of the project. Raises `FindingsError` for a file that is not valid YAML."""
    settings = _read_yaml(project / PROJECT_FILE)
    directory = _stack_directory(project, settings)
    file = directory / f"Pulumi.{stack}.yaml"
    if not file.is_file():
        raise SourceError(f"no stack {stack!r}: {file} does not exist; stacks: {', '.join(stacks(directory)) or 'none'}")
    return _source(file, project / PROJECT_FILE, settings)


def read_file(file: Path, project: Path | None) -> Source:
    """The configuration of a stack file, with the defaults of its project. Outside of a project, a key without a namespace is ours."""
    declared = project / PROJECT_FILE if project else file
    return _source(file, declared, _read_yaml(declared) if project else {"name": PREFIX})


def _source(file: Path, declared: Path, settings: Mapping[str, Any]) -> Source:
    content = _read_yaml(file)
    if not isinstance(content.get("config", {}), dict | None):
        position = Document(shown(file), read_text(file)).position(("config",))
        raise FindingsError([error("config", "expected a map", position=position)])
    if "config" not in content and not content.keys() <= _STACK_KEYS:
        message = "not a stack file, because it has no `config`; check a values file with: scalr-agents template CHART -f FILE"
        raise FindingsError([error("", message, position=Position(shown(file)))])
    name, defaults, own = str(settings.get("name", "")), _map(settings.get("config")), _map(content.get("config"))
    given = [*_defaults(declared, defaults, name), *_ours(file, own, name)]
    return Source(
        file=file,
        directory=file.parent,
        project=declared.parent,
        config={each.word: each.value for each in given},
        origins={each.word: each.origin for each in given},
        others=frozenset(key for key, value in {**defaults, **own}.items() if _word(key, name) is None and value is not None),
        environment=bool(content.get("environment")),
    )


def misspelt(source: Source) -> Iterator[Finding]:
    """Warnings on keys of another namespace that is almost ours: Pulumi leaves them to a package of that name."""
    for key in sorted(source.others):
        namespace, _, word = key.rpartition(":")
        if word in StackFile.model_fields and almost(namespace, [PREFIX]):
            yield warning((key,), f"has no effect, because it is not a key of {PREFIX}; did you mean '{PREFIX}:{word}'?")


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
        return yaml_io.load_stack_file(_read(file))
    except yaml_io.YamlError as problem:
        raise FindingsError([broken(shown(file), problem)]) from None
    except UnicodeDecodeError:
        raise FindingsError([error("", _NO_TEXT, position=Position(shown(file)))]) from None
    except OSError as problem:
        raise UnreadableError(file, str(problem.strerror)) from None


def shown(file: Path) -> str:
    """The path of a file in findings: relative to the current directory, if the file is below it."""
    return str(file.relative_to(Path.cwd())) if file.is_relative_to(Path.cwd()) else str(file)


def read_text(file: Path, *, streams: bool = False) -> str:
    """The content of a file that a stack file or a command line names. With `streams`, it may be a pipe or a device."""
    try:
        return _read(file, streams=streams)
    except OSError as problem:
        raise UnreadableError(file, str(problem.strerror)) from None
    except ValueError:  # not decodable, or not a valid path
        raise UnreadableError(file, _NO_TEXT) from None


def _read(file: Path, *, streams: bool = False) -> str:
    """Every file of a user is read here: a pipe would block without a writer, and a device may have no end."""
    mode = file.stat().st_mode
    if not (streams or stat.S_ISREG(mode) or stat.S_ISDIR(mode)):  # opening a directory says what it is
        raise UnreadableError(file, "not a regular file")
    with file.open(encoding="utf-8") as opened:
        text = opened.read(_LARGEST + 1)
    if len(text) > _LARGEST:
        raise UnreadableError(file, f"larger than {_LARGEST // 2**20} MiB")
    return text


def _map(content: Any) -> dict[str, Any]:
    return content if isinstance(content, dict) else {}


class _Entry(NamedTuple):
    word: str
    value: Any
    origin: Origin


def _word(key: str, project: str) -> str | None:
    """The name of a key within our namespace, or `None`. A key without a namespace is in the one of the project's name."""
    namespace, _, word = key.rpartition(":")
    return word if (namespace.removesuffix(":config") or project) == PREFIX else None


def _ours(file: Path, config: Mapping[str, Any], project: str) -> Iterator[_Entry]:
    """The keys of our namespace. Ciphertexts become sealed values."""
    for key, value in config.items():
        word = _word(key, project)
        if word is not None:
            yield _Entry(word, seal(value, f"{PREFIX}:{word}"), Origin(file, ("config", key)))


def _defaults(file: Path, config: Mapping[str, Any], project: str) -> Iterator[_Entry]:
    """The project's own configuration: a value, or a declaration with a `value` or a `default`."""
    for word, content, origin in _ours(file, config, project):
        declared = isinstance(content, dict) and content.keys() & _DECLARATION
        key = next((key for key in ("value", "default") if declared and key in content), None)
        value = content[key] if key else None if declared else content
        if value is not None:
            yield _Entry(word, value, Origin(file, (*origin.path, key) if key else origin.path))


def seal(value: Any, place: str) -> Any:
    """The value with its `secure:` ciphertexts replaced by sealed values."""
    if isinstance(value, dict):
        if set(value) == {"secure"} and isinstance(value["secure"], str):
            return Sealed(place, encrypted=bool(_CIPHERTEXT.fullmatch(value["secure"])))
        return {key: seal(item, entry(place, key)) for key, item in value.items()}
    if isinstance(value, list):
        return [seal(item, f"{place}[{index}]") for index, item in enumerate(value)]
    return value
