"""Reads a stack's configuration from its files as Pulumi does: `Pulumi.yaml` and `Pulumi.<stack>.yaml`.

It works without the engine: secrets stay encrypted, and an ESC environment is reported, not opened.
"""

import re
import stat
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from scalr_agents.model import yaml_io
from scalr_agents.model.aws import AWS_REGIONS
from scalr_agents.model.findings import Finding, FindingsError, Path as KeyPath, Position, almost, entry, error, nearest, warning
from scalr_agents.model.maps import Placeholder
from scalr_agents.model.origins import Document, broken
from scalr_agents.model.texts import too_long
from scalr_agents.stack import project_config
from scalr_agents.stack.model import PREFIX, StackFile

PROJECT_FILE = "Pulumi.yaml"
_REGION = "aws:region"
_STACK_KEYS = {"config", "encryptedkey", "encryptionsalt", "environment", "secretsprovider"}
_CIPHERTEXT = re.compile(r"v1:[A-Za-z0-9+/=:]+|[A-Za-z0-9+/=_-]{20,}")
"""Base64, of a key in the stack file with a version, of a service without one."""
_LARGEST = 4 * 2**20
"""Characters of a file: no stack, no values and no certificates come near."""
_LONGEST_STACK = 100
_NO_TEXT = "not a text file in UTF-8"


class SourceError(Exception):
    """A file is missing or cannot be read; the text says which and why."""


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
    origins: Mapping[KeyPath, Origin]
    """The file and path of each key of our namespace, and of the settings below it that the project shares."""
    others: Mapping[str, Any]
    """The keys of other namespaces, such as `aws:region`."""
    environment: bool
    """Whether the stack imports an ESC environment, whose content is unknown here."""
    unread: str = ""
    """What is needed for Pulumi to read this file; empty if it does, or outside of a project."""

    @property
    def may_set_region(self) -> bool:
        """Whether a region of AWS is set, or may be: by a profile, or by an environment."""
        return self.environment or not self.others.keys().isdisjoint((_REGION, "aws:profile"))


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
    if too_much := too_long(stack, _LONGEST_STACK):
        raise SourceError(f"not a name of a stack: Pulumi allows at most {_LONGEST_STACK} characters{too_much}")
    settings = _read_yaml(project / PROJECT_FILE)
    directory = _stack_directory(project, settings)
    file = directory / f"Pulumi.{stack}.yaml"
    if not file.is_file():
        missing = f"no stack {stack!r}: {file} does not exist; stacks: {', '.join(stacks(directory)) or 'none'}"
        raise SourceError(f"{missing}{_elsewhere(project, file.name)}")
    return _source(file, project / PROJECT_FILE, settings)


def read_file(file: Path, project: Path | None) -> Source:
    """The configuration of a stack file, with the defaults of its project. Outside of a project, a key without a namespace is ours."""
    if project is None:
        return _source(file, file, {"name": PREFIX})
    settings = _read_yaml(project / PROJECT_FILE)
    read = _source(file, project / PROJECT_FILE, settings)
    is_read = file.parent.resolve() == _stack_directory(project, settings).resolve()
    is_stack = file.match("Pulumi.*.yaml") and file.is_relative_to(project)
    return read if is_read or not is_stack else read._replace(unread=_needed(project, file))


def _elsewhere(project: Path, name: str) -> str:
    """A remark on a stack file where Pulumi does not look for it."""
    file = None
    with suppress(OSError):  # it is only a remark
        folders = [project, *sorted(folder for folder in project.iterdir() if folder.is_dir())]
        file = next((folder / name for folder in folders if (folder / name).is_file()), None)
    return f". There is {file}: Pulumi reads it only {_needed(project, file)}; correct that, or move the file" if file else ""


def _needed(project: Path, file: Path) -> str:
    """What the project's file must say for Pulumi to read a stack file."""
    folder = file.parent.relative_to(project).as_posix()
    return f"without `stackConfigDir` in {PROJECT_FILE}" if folder == "." else f"with `stackConfigDir: {folder}` in {PROJECT_FILE}"


def unread(source: Source) -> Iterator[Finding]:
    """A warning on a stack file of a project that Pulumi does not read."""
    if source.unread:
        yield warning((), f"Pulumi reads this file only {source.unread}; correct that, or move the file")


def _source(file: Path, declared: Path, settings: Mapping[str, Any]) -> Source:
    content = _read_yaml(file)
    if not isinstance(content.get("config", {}), dict | None):
        position = Document(shown(file), read_text(file)).position(("config",))
        raise FindingsError([error("config", "expected a map", position=position)])
    if "config" not in content and not content.keys() <= _STACK_KEYS:
        message = "not a stack file, because it has no `config`; check a values file with: scalr-agents template CHART -f FILE"
        raise FindingsError([error("", message, position=Position(shown(file)))])
    name, own = str(settings.get("name", "")), as_map(content.get("config"))
    entries, refused = project_config.read(settings.get("config"), name)
    if refused:
        document = Document(shown(declared), read_text(declared))
        raise FindingsError(replace(finding, position=document.position(finding.at)) for finding in refused)
    config, origins = _own(file, own, name)
    config, used = project_config.applied(entries, config)
    of_project = {entry.path: Origin(declared, _place(entry, settings)) for entry in used}
    given = {entry.key: entry.content[entry.field] for entry in entries if entry.field}
    given |= {key: value for key, value in own.items() if value is not None}
    return Source(
        file=file,
        directory=file.parent,
        project=declared.parent,
        config=config.get(PREFIX, {}),
        origins={path[1:]: origin for path, origin in (of_project | origins).items() if path[0] == PREFIX},
        others={key: value for key, value in given.items() if project_config.split(key, name)[0] != PREFIX},
        environment=bool(content.get("environment")),
    )


def misspelt(source: Source) -> Iterator[Finding]:
    """Findings on keys of another namespace that is almost ours: Pulumi leaves them to a package of that name. Keys of ours are errors."""
    for key in sorted(source.others):
        namespace, _, path = key.rpartition(":")
        if almost(namespace, [PREFIX]):
            name = re.split(r"[.\[]", path)[0]
            meant = name if name in StackFile.model_fields else almost(name, list(StackFile.model_fields))
            find = error if meant else warning
            yield find((key,), f"has no effect, because it is not a key of {PREFIX}; did you mean '{PREFIX}:{meant or path}'?")


def unknown_region(source: Source) -> Iterator[Finding]:
    """A warning on a region of AWS that does not exist, as far as is known."""
    given = source.others.get(_REGION)
    if isinstance(given, str) and given not in AWS_REGIONS:
        yield warning((_REGION,), f"not a known AWS region; {nearest(given, AWS_REGIONS)}")


def stack_directory(project: Path) -> Path:
    """The directory of a project's stack files."""
    return _stack_directory(project, _read_yaml(project / PROJECT_FILE))


def _stack_directory(project: Path, settings: Mapping[str, Any]) -> Path:
    """It is named by `stackConfigDir`, or by `config`, an earlier name."""
    earlier = settings.get("config")
    return project / str(settings.get("stackConfigDir") or (earlier if isinstance(earlier, str) else ""))


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
        raise SourceError(f"{file}: {problem.strerror}") from None


def shown(file: Path) -> str:
    """The path of a file in findings: relative to the current directory, if the file is below it."""
    return str(file.relative_to(Path.cwd())) if file.is_relative_to(Path.cwd()) else str(file)


def read_text(file: Path, *, streams: bool = False) -> str:
    """The content of a file that a stack file or a command line names. With `streams`, it may be a pipe or a device."""
    try:
        return _read(file, streams=streams)
    except OSError as problem:
        raise SourceError(f"{file}: {problem.strerror}") from None
    except ValueError:  # not decodable, or not a valid path
        raise SourceError(f"{file}: {_NO_TEXT}") from None


def _read(file: Path, *, streams: bool = False) -> str:
    """Every file of a user is read here: a pipe would block without a writer, and a device may have no end."""
    mode = file.stat().st_mode
    if not (streams or stat.S_ISREG(mode) or stat.S_ISDIR(mode)):  # opening a directory says what it is
        raise SourceError(f"{file}: not a regular file")
    with file.open(encoding="utf-8") as opened:
        text = opened.read(_LARGEST + 1)
    if len(text) > _LARGEST:
        raise SourceError(f"{file}: larger than {_LARGEST // 2**20} MiB")
    return text


def as_map(content: Any) -> dict[str, Any]:
    """What should be a map. Anything else counts as empty."""
    return content if isinstance(content, dict) else {}


def _own(file: Path, config: Mapping[str, Any], project: str) -> tuple[project_config.Config, dict[KeyPath, Origin]]:
    """The configuration that a stack file sets, and where. Ciphertexts become sealed values."""
    values: dict[str, dict[str, Any]] = {}
    origins: dict[KeyPath, Origin] = {}
    for key, value in config.items():
        namespace, name = project_config.split(key, project)
        values.setdefault(namespace, {})[name] = seal(value, f"{namespace}:{name}")
        origins[namespace, name] = Origin(file, ("config", key))
    return values, origins


def _place(entry: project_config.Entry, settings: Mapping[str, Any]) -> KeyPath:
    """Where the value of a shared setting is in the project's file. It may be written without `value`."""
    written = settings["config"][entry.key]
    return ("config", entry.key, entry.field) if isinstance(written, dict) else ("config", entry.key)


def seal(value: Any, place: str) -> Any:
    """The value with its `secure:` ciphertexts replaced by sealed values."""
    if isinstance(value, dict):
        if set(value) == {"secure"} and isinstance(value["secure"], str):
            return Sealed(place, encrypted=bool(_CIPHERTEXT.fullmatch(value["secure"])))
        return {key: seal(item, entry(place, key)) for key, item in value.items()}
    if isinstance(value, list):
        return [seal(item, f"{place}[{index}]") for index, item in enumerate(value)]
    return value
