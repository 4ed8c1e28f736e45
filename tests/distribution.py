"""`make dist`: wheel and source distribution, their bill of materials, and checksums. The same commit gives the same bytes."""

import hashlib
import os
import subprocess
import sys
import sysconfig
import tarfile
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

REPOSITORY = Path(__file__).parents[1]
PACKAGE = REPOSITORY / "components"
CHECKSUMS = "SHA256SUMS"


def build(directory: Path, epoch: int) -> None:
    """Build everything into an empty directory. `epoch` is the time that archives have, in seconds: that of the commit."""
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-d", str(directory.resolve())],
        cwd=PACKAGE,
        env={**os.environ, "SOURCE_DATE_EPOCH": str(epoch)},
        check=True,
        capture_output=True,
    )
    name = f"scalr_agents-{scalr_agents.__version__}.cdx.json"
    (directory / name).write_text(bill_of_materials(epoch) + "\n", encoding="utf-8")
    sums = [f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n" for file in sorted(directory.iterdir())]
    (directory / CHECKSUMS).write_text("".join(sums), encoding="utf-8")


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
    """The names of all files, those in archives below the archive's."""
    for file in sorted(directory.iterdir()):
        yield file.name
        if file.suffix == ".whl":
            yield from (f"  {name}" for name in sorted(zipfile.ZipFile(file).namelist()))
        elif file.suffix == ".gz":
            with tarfile.open(file) as archive:
                yield from (f"  {name}" for name in sorted(archive.getnames()))


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
    target = REPOSITORY / "dist"
    for file in target.iterdir() if target.exists() else ():
        file.unlink()
    target.mkdir(exist_ok=True)
    done = subprocess.run(["git", "log", "-1", "--format=%ct"], cwd=REPOSITORY, check=True, capture_output=True, text=True)
    build(target, int(done.stdout))
    print("\n".join(contents(target)))


if __name__ == "__main__":
    main()
