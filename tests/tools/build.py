"""Builds the programs that are missing: `python -m tests.tools.build control-plane`, `node` or `clouds`, as `make` calls them.

One after another, since linking the larger ones takes gigabytes of memory each.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.tools import MODULES, TARGETS, Base, Module

_NO_GO = "Go is not on PATH; the programs that these tests run are built with it: https://go.dev/doc/install (1.21 or newer)"


def main(what: str) -> None:
    """Build what is missing, saying on stderr what and how long it took."""
    programs = [(module, name) for module in MODULES for name in module.programs if name in TARGETS[what]]
    missing = [(module, name) for module, name in programs if not (module.output / name).exists()]
    go = shutil.which("go")
    if missing and go is None:
        sys.exit(_NO_GO)
    for number, (module, name) in enumerate(missing, start=1):
        _say(f"[{number}/{len(missing)}] building {name} ({f'{module.name} {module.version}'.strip()}) ... ")
        started = time.monotonic()
        _build(str(go), module, name)
        _say(f"{time.monotonic() - started:.0f} s\n")


def _build(go: str, module: Module, name: str) -> None:
    """Build one program, which appears in its place when it is complete. No C compiler is needed."""
    module.output.mkdir(parents=True, exist_ok=True)
    unfinished = module.output / f".{name}.{os.getpid()}"
    flags = ["-mod=readonly", "-buildvcs=false", f"-tags={module.tags}", f"-ldflags={module.ldflags}"]
    command = [go, "build", *flags, "-o", str(unfinished), module.programs[name]]
    with _directory(go, module) as directory:
        _run(command, directory)
        for file, (source, path) in module.documents.items():
            shutil.copyfile(Path(_run([go, "list", "-m", "-f", "{{.Dir}}", source], directory).strip(), path), module.output / file)
    unfinished.replace(module.output / name)


@contextmanager
def _directory(go: str, module: Module) -> Iterator[Path]:
    """Where a module is built: its own directory, or a copy of its base in which its files lie."""
    if module.base is None:
        yield module.directory
        return
    with tempfile.TemporaryDirectory(dir=module.output) as copy:
        _lay_over(go, module, module.base, Path(copy))
        yield Path(copy)


def _lay_over(go: str, module: Module, base: Base, copy: Path) -> None:
    there = json.loads(_run([go, "mod", "download", "-json", base.version], module.directory.parent))
    if there["Sum"] != base.sum:
        sys.exit(f"failed\n{base.version} is not what it was: {there['Sum']}, expected {base.sum}")
    shutil.copytree(there["Dir"], copy, dirs_exist_ok=True, copy_function=shutil.copyfile)
    for directory, _, _ in os.walk(copy):
        Path(directory).chmod(0o755)  # modules in Go's cache are read-only
    shutil.copytree(module.directory, copy, dirs_exist_ok=True)


def _run(command: list[str], directory: Path) -> str:
    environment = {**os.environ, "CGO_ENABLED": "0", "GOWORK": "off"}
    result = subprocess.run(command, cwd=directory, env=environment, capture_output=True, text=True, check=False)
    if result.returncode:
        sys.exit(f"failed\n{result.stderr.strip()}")
    return result.stdout


def _say(text: str) -> None:
    sys.stderr.write(text)
    sys.stderr.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
