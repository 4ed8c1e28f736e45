"""`make dist`: wheel and source distribution, plugins, their bill of materials, and checksums. The same commit gives the same bytes."""

import hashlib
import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import tomllib
import venv
import zipfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from uuid import NAMESPACE_URL, uuid5

import scalr_agents
from cyclonedx.contrib.this.builders import this_component
from cyclonedx.model import HashAlgorithm, HashType
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.output.json import JsonV1Dot6
from packageurl import PackageURL
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.helpers.pins import DEPLOYED, LAYERS, pins
from tests.package import plugin

REPOSITORY = Path(__file__).parents[2]
PACKAGE = REPOSITORY / "components"
CHECKSUMS = "SHA256SUMS"


def build(directory: Path, epoch: int, address: str = "") -> None:
    """Build everything into a new or empty directory. `epoch` is the time that archives have, in seconds: that of the commit.

    Programs download the plugin from `address`, if it is given: https://www.pulumi.com/docs/iac/packages-and-automation/pulumi-packages/schema/.
    """
    directory.mkdir(parents=True, exist_ok=True)
    bill = directory / f"scalr_agents-{scalr_agents.__version__}.cdx.json"
    bill.write_text(bill_of_materials(epoch) + "\n", encoding="utf-8")
    wheel = _build(directory, epoch, bill)
    (directory / plugin.SCHEMA).write_text(schema := plugin.schema(address), encoding="utf-8")
    archive = plugin.archive(wheel, schema, epoch)
    for name in plugin.names():
        (directory / name).write_bytes(archive)
    sums = [f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n" for file in sorted(directory.iterdir())]
    (directory / CHECKSUMS).write_text("".join(sums), encoding="utf-8")


def _build(directory: Path, epoch: int, bill: Path) -> Path:
    """Build wheel and source distribution; returns the wheel.

    The wheel is built from a copy of the package whose `pyproject.toml` names the bill of materials, which the repository does not have.
    """
    with tempfile.TemporaryDirectory() as temporary:
        copy = Path(temporary) / PACKAGE.name
        shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__", "venv"))
        shutil.copy(bill, copy)
        with (copy / "pyproject.toml").open("a", encoding="utf-8") as project:
            project.write(f'\n[tool.hatch.build.targets.wheel]\nsbom-files = ["{bill.name}"]\n')
        for target, source in (("sdist", PACKAGE), ("wheel", copy)):
            subprocess.run(
                [sys.executable, "-m", "hatchling", "build", "-t", target, "-d", str(directory.resolve())],
                cwd=source,
                env={**os.environ, "SOURCE_DATE_EPOCH": str(epoch)},
                check=True,
                capture_output=True,
            )
    [wheel] = directory.glob("*.whl")
    return wheel


def bill_of_materials(epoch: int) -> str:
    """A CycloneDX 1.6 document: the pinned packages of a deployment with their hashes, and the direct dependencies of the package."""
    package = _component("scalr-agents", scalr_agents.__version__)
    bom = Bom(serial_number=uuid5(NAMESPACE_URL, f"{package.purl}#{epoch}"))
    bom.metadata.timestamp = datetime.fromtimestamp(epoch, UTC)
    bom.metadata.component = package
    bom.metadata.tools.components.add(this_component())
    deployed = {pin.name: pin for layer in DEPLOYED for pin in pins(LAYERS[layer])}
    components = {name: _component(name, pin.version, pin.hashes) for name, pin in deployed.items()}
    for component in components.values():
        bom.components.add(component)
    bom.register_dependency(package, [components[name] for name in sorted(_asked_for())])
    return JsonV1Dot6(bom).output_as_string(indent=2)


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


def _component(name: str, version: str, hashes: tuple[str, ...] = ()) -> Component:
    return Component(
        type=ComponentType.LIBRARY,
        name=name,
        version=version,
        bom_ref=f"{name}=={version}",
        purl=PackageURL("pypi", name=name, version=version),
        hashes=[HashType(alg=HashAlgorithm.SHA_256, content=content) for content in hashes],
    )


def _asked_for() -> set[str]:
    project = tomllib.loads((PACKAGE / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    asked = [*project["dependencies"], *(each for extra in ("aws", "gcp") for each in project["optional-dependencies"][extra])]
    return {str(canonicalize_name(Requirement(each).name)) for each in asked}


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
