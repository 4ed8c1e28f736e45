"""What `package.json` names, outside of the repository: in a directory of its own for each lock file."""

import shutil
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

from tests import tools

_FILES = [Path(__file__).parent / name for name in ("package.json", "package-lock.json")]


def modules() -> Path:
    """The directory of the installed packages."""
    return tools.cache() / f"node-{sha256(b''.join(file.read_bytes() for file in _FILES)).hexdigest()[:12]}" / "node_modules"


def install() -> None:
    """Install the packages, unless they are there or cannot be had. Then tests are skipped, and say so."""
    npm = shutil.which("npm")
    if (modules() / ".bin").exists() or npm is None:
        return
    modules().parent.mkdir(parents=True, exist_ok=True)
    for file in _FILES:
        shutil.copy(file, modules().parent)
    done = subprocess.run(
        [npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund"], cwd=modules().parent, capture_output=True, text=True, check=False
    )
    if done.returncode:
        shutil.rmtree(modules(), ignore_errors=True)
        print(f"npm ci failed\n{done.stderr.strip()}", file=sys.stderr)


if __name__ == "__main__":
    install()
