"""`make dist`: wheel and source distribution, plugins, and checksums. The same commit gives the same bytes."""

import hashlib
import os
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from collections.abc import Iterator
from pathlib import Path

from tests.package import plugin

REPOSITORY = Path(__file__).parents[2]
PACKAGE = REPOSITORY / "components"
CHECKSUMS = "SHA256SUMS"


def build(directory: Path, epoch: int, address: str = "") -> None:
    """Build everything into a new or empty directory. `epoch` is the time that archives have, in seconds: that of the commit.

    Programs download the plugin from `address`, if it is given: https://www.pulumi.com/docs/iac/packages-and-automation/pulumi-packages/schema/.
    """
    directory.mkdir(parents=True, exist_ok=True)
    wheel = _build(directory, epoch)
    (directory / plugin.SCHEMA).write_text(schema := plugin.schema(address), encoding="utf-8")
    archive = plugin.archive(wheel, schema, epoch)
    for name in plugin.names():
        (directory / name).write_bytes(archive)
    sums = [f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n" for file in sorted(directory.iterdir())]
    (directory / CHECKSUMS).write_text("".join(sums), encoding="utf-8")


def _build(directory: Path, epoch: int) -> Path:
    """Build wheel and source distribution; returns the wheel."""
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-t", "wheel", "-d", str(directory.resolve())],
        cwd=PACKAGE,
        env={**os.environ, "SOURCE_DATE_EPOCH": str(epoch)},
        check=True,
        capture_output=True,
    )
    [wheel] = directory.glob("*.whl")
    return wheel


def install(directory: Path, target: Path) -> Path:
    """A Python environment in `target`, outside of the repository, with the wheel that was built into a directory; returns its Python."""
    python = libraries(target)
    [wheel] = directory.glob("*.whl")
    subprocess.run([sys.executable, "-m", "pip", "--quiet", "--python", python, "install", "--no-deps", wheel], check=True)
    return python


def libraries(target: Path) -> Path:
    """A Python environment in `target` with the libraries of this environment, without our package; returns its Python."""
    venv.create(target, symlinks=True)
    packages = Path(sysconfig.get_path("purelib", vars={"base": str(target)}))
    (packages / "libraries.pth").write_text(sysconfig.get_path("purelib"))
    return target / "bin" / "python"


def contents(directory: Path) -> Iterator[str]:
    """The names of all files, those in archives below the archive's. Plugins of all platforms have the same files."""
    for file in sorted(directory.iterdir()):
        yield file.name
        if file.name not in plugin.names()[1:]:
            yield from (f"  {name}" for name in members(file))


def members(file: Path) -> list[str]:
    """The names of the files in an archive; of another file, none."""
    if file.suffix == ".whl":
        return sorted(zipfile.ZipFile(file).namelist())
    if file.suffix == ".gz":
        with tarfile.open(file) as archive:
            return sorted(archive.getnames())
    return []


def main() -> None:
    address = os.environ.get("PLUGIN_DOWNLOAD_URL", "")
    try:
        plugin.schema(address)
    except plugin.AddressError as problem:
        sys.exit(f"PLUGIN_DOWNLOAD_URL: {problem}")
    target = REPOSITORY / "dist"
    for file in target.iterdir() if target.exists() else ():
        file.unlink()
    done = subprocess.run(["git", "log", "-1", "--format=%ct"], cwd=REPOSITORY, check=True, capture_output=True, text=True)
    build(target, int(done.stdout), address)
    print("\n".join(contents(target)))


if __name__ == "__main__":
    main()
