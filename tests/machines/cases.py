"""The printed documents of machines. `python -m tests.machines.cases` renews their snapshots."""

from pathlib import Path

import yaml
from scalr_agents.machines import documents, files
from scalr_agents.model import yaml_io

from tests.helpers.machines import CA, CASES, STACKS, machine

SNAPSHOTS = Path(__file__).parent / "snapshots"
PRINTED = [(name, form) for name in CASES for form in documents.FORMS]


def document(name: str, form: str) -> str:
    """The printed document, with the names of our own scripts instead of their content."""
    made = machine(name)
    text = made.document(form)
    names = ("on_machine.py", "install.sh", "install-package.sh", "trust.sh")
    scripts = {files.program(script, made.machine.platform): f"<{script}>\n" for script in names}
    if form == "cloud-init":
        content = yaml.safe_load(text)
        for file in content["write_files"]:
            file["content"] = scripts.get(file["content"], file["content"])
        text = yaml_io.dump([content])
    for script, short in scripts.items():
        text = text.replace(script, short)
    bundle = (STACKS / CA).read_text()
    return text.replace(bundle, "<certificates>\n")


def snapshot(name: str, form: str) -> Path:
    return SNAPSHOTS / f"{name}.{form}.txt"


def renew() -> None:
    """Write the snapshots from today's documents."""
    for file in SNAPSHOTS.glob("*.txt"):
        file.unlink()
    for name, form in PRINTED:
        snapshot(name, form).write_text(document(name, form))


if __name__ == "__main__":
    renew()
