"""Builds the programs that are missing: `python -m tests.tools.build control-plane` or `node`, which is what `make` calls them.

One after another, since linking the larger ones takes gigabytes of memory each.
"""

import os
import shutil
import subprocess
import sys
import time

from tests.tools import CONTROL_PLANE, MODULES, NODE, Module

_WANTED = {"control-plane": CONTROL_PLANE, "node": NODE}
_NO_GO = "Go is not on PATH; the programs that these tests run are built with it: https://go.dev/doc/install (1.21 or newer)"


def main(what: str) -> None:
    """Build what is missing, saying on stderr what and how long it took."""
    programs = [(module, name) for module in MODULES for name in module.programs if name in _WANTED[what]]
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
    command = [go, "build", "-mod=readonly", "-buildvcs=false", f"-ldflags={module.ldflags}", "-o", str(unfinished), module.programs[name]]
    environment = {**os.environ, "CGO_ENABLED": "0", "GOWORK": "off"}
    result = subprocess.run(command, cwd=module.directory, env=environment, capture_output=True, text=True, check=False)
    if result.returncode:
        sys.exit(f"failed\n{result.stderr.strip()}")
    unfinished.replace(module.output / name)


def _say(text: str) -> None:
    sys.stderr.write(text)
    sys.stderr.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
