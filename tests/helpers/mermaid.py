"""The library that draws Mermaid pictures, for a site that loads nothing from other hosts."""

import base64
import shutil
import subprocess
import tarfile
import tempfile
from hashlib import sha512
from pathlib import Path

from tests import tools

VERSION = "11.17.2"
INTEGRITY = "V6K3C8EBdEsPFZXSKMJe6ppQOENxuHARr9GvHX4hh47lAbhMRD9qf4oEK7LoaRQxULMa80/qt5gHO73aCleBBg=="
"""SHA-512 of its npm package, as the registry says it."""
_MEMBER = "package/dist/mermaid.min.js"


def library() -> Path | None:
    """The file of the library, downloaded once with npm; `None` where that cannot be done. The theme then loads it from a public host."""
    file, npm = tools.cache() / f"mermaid-{VERSION}.min.js", shutil.which("npm")
    if not file.exists() and npm is not None:
        file.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=file.parent) as directory:
            subprocess.run([npm, "pack", "--silent", f"mermaid@{VERSION}"], cwd=directory, stdout=subprocess.DEVNULL, check=False)
            for package in Path(directory).glob("*.tgz"):
                extracted(package, Path(directory)).rename(file)
    return file if file.exists() else None


def extracted(package: Path, directory: Path, integrity: str = INTEGRITY) -> Path:
    """The library out of its package, which must be the one that is pinned."""
    if base64.b64encode(sha512(package.read_bytes()).digest()).decode() != integrity:
        raise ValueError(f"{package.name}: not the package that is pinned; see INTEGRITY in tests/helpers/mermaid.py")
    with tarfile.open(package) as archive:
        archive.extract(_MEMBER, directory, filter="data")
    return directory / _MEMBER
