"""The output of `make dist`: reproducible, complete, and usable outside of the repository."""

import hashlib
import json
import subprocess
from pathlib import Path

import pytest
import scalr_agents
import yaml
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

from tests import distribution
from tests.helpers.pins import DEPLOYED, LAYERS, pins

EPOCH = 1_790_000_000
VERSION = scalr_agents.__version__
EXAMPLE = distribution.REPOSITORY / "examples" / "importing"


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("dist")
    distribution.build(directory, EPOCH)
    return directory


@pytest.fixture(scope="module")
def elsewhere(dist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return distribution.install(dist, tmp_path_factory.mktemp("elsewhere"))


def test_the_same_commit_gives_the_same_bytes(dist: Path, tmp_path: Path) -> None:
    distribution.build(tmp_path, EPOCH)
    for file in dist.iterdir():
        assert (tmp_path / file.name).read_bytes() == file.read_bytes(), file.name


def test_checksums_are_those_of_all_files(dist: Path) -> None:
    lines = (dist / distribution.CHECKSUMS).read_text().splitlines()
    assert dict(line.split("  ")[::-1] for line in lines) == {
        file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in dist.iterdir() if file.name != distribution.CHECKSUMS
    }
    assert len(lines) == 3


def test_the_archives_have_the_package_and_nothing_else(dist: Path) -> None:
    files = (file for file in (distribution.PACKAGE / "scalr_agents").rglob("*.*") if file.parent.name != "__pycache__")
    package = {str(file.relative_to(distribution.PACKAGE)) for file in files if file.is_file()}
    listed = [line.strip() for line in distribution.contents(dist) if line.startswith(" ")]
    information, root = f"scalr_agents-{VERSION}.dist-info", f"scalr_agents-{VERSION}"
    about = {f"{information}/{name}" for name in ("METADATA", "RECORD", "WHEEL", "entry_points.txt", "licenses/LICENSE")}
    beside = {f"{root}/{name}" for name in (".gitignore", "LICENSE", "PKG-INFO", "README.md", "pyproject.toml")}
    assert set(listed) == package | about | beside | {f"{root}/{name}" for name in package}


def test_the_license_is_that_of_the_repository() -> None:
    assert (distribution.PACKAGE / "LICENSE").read_text() == (distribution.REPOSITORY / "LICENSE").read_text()


def test_the_bill_of_materials_names_what_is_deployed(dist: Path) -> None:
    [file] = dist.glob("*.cdx.json")
    text = file.read_text()
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(text) is None
    bill = json.loads(text)
    listed = {each["name"]: (each["version"], {digest["content"] for digest in each["hashes"]}) for each in bill["components"]}
    assert listed == {pin.name: (pin.version, set(pin.hashes)) for layer in DEPLOYED for pin in pins(LAYERS[layer])}
    assert (bill["metadata"]["component"]["name"], bill["metadata"]["component"]["version"]) == ("scalr-agents", VERSION)
    [asked] = [each["dependsOn"] for each in bill["dependencies"] if each["ref"] == f"scalr-agents=={VERSION}"]
    assert {name.partition("==")[0] for name in asked} == {
        "click",
        "pulumi",
        "pulumi-aws",
        "pulumi-gcp",
        "pulumi-kubernetes",
        "pydantic",
        "pyyaml",
    }


def test_the_wheel_renders_elsewhere(elsewhere: Path, tmp_path: Path) -> None:
    command = [str(elsewhere.with_name("scalr-agents")), "template", "agent-job", "--set", "agent.token=x", "--release", "runs"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    kinds = [manifest["kind"] for manifest in yaml.safe_load_all(done.stdout)]
    assert kinds[0] == "CustomResourceDefinition"
    assert kinds.count("Deployment") == 1


def test_an_example_s_tests_run_with_the_wheel(elsewhere: Path, tmp_path: Path) -> None:
    for file in EXAMPLE.glob("*.py"):
        (tmp_path / file.name).write_text(file.read_text())
    command = [str(elsewhere), "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert "3 passed" in done.stdout
    program = tmp_path / "__main__.py"
    program.write_text(program.read_text().replace("activeDeadlineSeconds", "activeDeadlineSecond"))
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "values.task.job.activeDeadlineSecond: unknown key 'activeDeadlineSecond'; did you mean 'activeDeadlineSeconds'?" in done.stdout
    where = [str(elsewhere), "-c", "import scalr_agents; print(scalr_agents.__file__)"]
    assert subprocess.run(where, cwd=tmp_path, capture_output=True, text=True, check=True).stdout.startswith(str(elsewhere.parents[1]))
