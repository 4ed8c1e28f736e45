"""All installed packages are pinned with hashes."""

import re
import subprocess
import tomllib
from importlib.metadata import distributions, version
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from tests.helpers.pins import DEPLOYED, LAYERS, PIN, pins
from tests.package.distribution import libraries

REPOSITORY = Path(__file__).parents[2]
PINS = {name: list(pins(text)) for name, text in LAYERS.items()}
PINNED = {pin.name: pin.version for found in PINS.values() for pin in found}
UNPINNED = {"pip", "setuptools", "scalr-agents"}
"""What comes with Python, and the package itself, which is a directory."""


@pytest.mark.parametrize("layer", LAYERS)
def test_layers_contain_only_hashed_pins(layer: str) -> None:
    assert PINS[layer]
    assert [pin.name for pin in PINS[layer] if not pin.hashes] == []
    assert re.sub(r"^#.*\n|\s", "", PIN.sub("", LAYERS[layer]), flags=re.MULTILINE) == ""


def test_every_package_has_one_pinned_version() -> None:
    """Once, but for what a layer needs everywhere and a layer below it on some platforms: colorama."""
    found = [pin for pins in PINS.values() for pin in pins]
    assert len(PINNED) == len({(pin.name, pin.version) for pin in found})
    assert len(PINNED) + 1 == len(found)


def test_installed_packages_match_the_pins() -> None:
    installed = {canonicalize_name(each.metadata["Name"]): each.version for each in distributions()}
    assert {name: each for name, each in installed.items() if name not in UNPINNED and PINNED.get(name) != each} == {}


def test_the_pins_are_in_the_ranges_of_the_package() -> None:
    project = tomllib.loads((REPOSITORY / "components" / "pyproject.toml").read_text())["project"]
    ranges = [*project["dependencies"], *(each for extra in project["optional-dependencies"].values() for each in extra)]
    asked = [Requirement(each) for each in ranges]
    assert {each.name for each in asked if Version(PINNED[canonicalize_name(each.name)]) not in each.specifier} == set()


@pytest.mark.parametrize("directory", [".", "components"])
def test_pulumi_installs_only_the_deployment_layers(directory: str) -> None:
    """Next to hashes, pip refuses what has none. Options that allow it are known to few versions of pip, and not to uv."""
    lines = [line for line in (REPOSITORY / directory / "requirements.txt").read_text().splitlines() if not line.startswith("#")]
    files = [(REPOSITORY / directory / line.removeprefix("-r ")).resolve() for line in lines if line.startswith("-r ")]
    assert files == [REPOSITORY / "requirements" / f"{name}.txt" for name in DEPLOYED]
    assert len(files) == len(lines)


def test_the_program_finds_the_package(tmp_path: Path) -> None:
    """Pulumi runs a directory with the environment that it has installed, which does not have the package."""
    python = libraries(tmp_path)

    def run(code: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([python, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)

    assert "No module named 'scalr_agents'" in run("import scalr_agents").stderr
    host = run(f"import runpy; print(runpy.run_path({str(REPOSITORY / 'components')!r})['scalr_agents'].__file__)")
    assert host.stdout.strip() == str(REPOSITORY / "components" / "scalr_agents" / "__init__.py"), host.stderr
    program = run(f"import runpy; runpy.run_path({str(REPOSITORY)!r})")  # fails in what it finds: no engine has started it
    assert f'File "{REPOSITORY}/components/scalr_agents/resources/deploy.py"' in program.stderr


def test_clouds_are_a_separate_layer() -> None:
    """Pulumi downloads the plugins of the packages that are installed, which those of the clouds need not be."""
    assert {pin.name for pin in PINS["clouds"]} == {"pulumi-aws", "pulumi-gcp"}
    assert "pulumi-kubernetes" in {pin.name for pin in PINS["kubernetes"]}


def test_make_installs_only_hashed_packages() -> None:
    """The backend that builds the package is pinned, too: pip would download another one for it."""
    makefile = (REPOSITORY / "Makefile").read_text()
    assert re.findall(r"^(?:CORE|KUBERNETES|DEPLOY) := .*", makefile, re.MULTILINE) == [
        "CORE := --require-hashes -r requirements/core.txt",
        "KUBERNETES := $(CORE) -r requirements/kubernetes.txt",
        "DEPLOY := $(KUBERNETES) -r requirements/clouds.txt",
    ]
    assert set(re.findall(r"\$\(PIP\) (.*?) >&2", makefile)) == {
        "$(CORE)",
        "--no-deps --no-build-isolation -e ./components",
        "$(KUBERNETES)",
        "$(DEPLOY)",
        "$(DEPLOY) -r requirements/dev.txt",
        "$(DEPLOY) -r requirements/dev.txt -r requirements/docs.txt",
    }
    assert Version(version("hatchling")) in Requirement("hatchling>=1.27").specifier
