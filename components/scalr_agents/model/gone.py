"""What went before the first release, and what serves instead: one row each. The first release removes this table.

Keys are those of stack files, values files and arguments, by the end of their path, with `*` for a name; and options and commands.
"""

from fnmatch import fnmatchcase

from scalr_agents.model.findings import Path
from scalr_agents.model.section import in_stack_files

_WITH_FORMATS = ("alerts", "check", "doctor", "hosts", "impact", "machine", "render", "status", "template")
GONE = {
    "task.buffer.schedule": "set task.buffer.replicas: null, and let KEDA set the number (docs/operations.md, Numbers from KEDA)",
    "task.buffer.kubectlImage": "it was the image of task.buffer.schedule, which is removed too",
    **{f"scalr-agents {command} --format": "write -o or --output" for command in _WITH_FORMATS},
    "scalr-agents completion": "run scalr-agents with _SCALR_AGENTS_COMPLETE=bash_source, zsh_source or fish_source",
    "scalr-agents adopt --kind": "write the chart after the release: adopt RELEASE CHART",
    "scalr-agents graph -o": "graph prints Mermaid only",
    "scalr-agents graph --output": "graph prints Mermaid only",
    "scalr-agents images --digests": "images prints the digest behind the name of each image that has one",
    "scalr-agents template --set-file": "write the value into a values file, and give that with -f",
    "scalr-agents template --set-json": "write the value into a values file, and give that with -f",
}


def of_key(path: Path) -> str:
    """The message on a key that went, however programs or stack files spell it; empty for any other key."""
    given = ".".join(in_stack_files(part.rpartition(":")[2]) for part in path if isinstance(part, str))
    return next((f"removed; {advice}" for row, advice in GONE.items() if fnmatchcase(f".{given}", f"*.{row}")), "")


def of_command(*words: str) -> str:
    """The message on a command, or one with an option, that went; empty for any other."""
    advice = GONE.get(" ".join(("scalr-agents", *words)))
    return f"removed; {advice}" if advice else ""
