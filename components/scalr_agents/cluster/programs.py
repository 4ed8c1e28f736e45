"""Programs that a kubeconfig runs to get a credential. In a kubeconfig of the project, everybody who may change the project names them."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from scalr_agents.stack.source import PROJECT_FILE, Source, as_map, read_text

_TOP = (".git", PROJECT_FILE)
"""What is at the top of a checkout, and of a project."""
_LONGEST = 100


def checkouts(source: Source) -> list[Path]:
    """The directories from which a stack's settings come: the checkouts of its file and of its project, or at least the project."""
    return list(dict.fromkeys(map(_top, (source.directory, source.project))))


def _top(directory: Path) -> Path:
    above = (*reversed(directory.parents), directory)
    return next((each for each in above if any((each / name).exists() for name in _TOP)), directory)


def relative(kubeconfigs: str) -> list[Path]:
    """The directories of kubeconfigs at relative paths. A stack file that names one counts from its project, wherever that leads."""
    files = (Path(path).expanduser() for path in kubeconfigs.split(os.pathsep) if path)
    return [file.parent for file in files if not file.is_absolute()]


def refusal(kubeconfigs: str, untrusted: Sequence[Path]) -> str:
    """Why not to load some kubeconfigs, separated as in `KUBECONFIG`; empty if none below these directories names a program.

    Every user of them counts, since the context that is used may be in another one.
    """
    files = [file for path in kubeconfigs.split(os.pathsep) if path and _is_below(file := Path(path).expanduser(), untrusted)]
    if odd := [file for file in files if not file.is_file()]:
        return f"kubeconfig {odd[0]} is not a regular file"
    found = [(file, *each) for file in files for each in _programs(file)]
    if not found:
        return ""
    file, user, command = found[0]
    what = f"its user {user[:_LONGEST]!r} runs the program {command[:_LONGEST]!r} to get a credential"
    return (
        f"kubeconfig {file} is in the project, and {what}; "
        "use a kubeconfig outside of the project. If you trust everybody who may change the project, use --allow-exec"
    )


def _is_below(file: Path, directories: Sequence[Path]) -> bool:
    """Whether an existing file is below one of these directories, whatever links lead to it."""
    return file.exists() and any(above.samefile(directory) for above in file.resolve().parents for directory in directories)


def _programs(file: Path) -> Iterator[tuple[str, str]]:
    """The users of a kubeconfig that run a program, with its name alone: arguments may have secrets."""
    import yaml

    try:
        users = as_map(yaml.safe_load(read_text(file))).get("users")
    except RecursionError:
        raise yaml.YAMLError("too deep") from None
    for entry in map(as_map, users if isinstance(users, list) else ()):
        user = as_map(entry.get("user"))
        if "exec" in user:
            yield str(entry.get("name")), str(as_map(user["exec"]).get("command"))
        provider = as_map(as_map(user.get("auth-provider")).get("config"))
        if "cmd-path" in provider:
            yield str(entry.get("name")), str(provider["cmd-path"]).partition(" ")[0]
