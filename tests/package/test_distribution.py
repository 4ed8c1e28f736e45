"""The output of `make dist`: reproducible, complete, and usable outside of the repository."""

import hashlib
import io
import json
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest
import scalr_agents
import yaml

from tests.helpers.pins import DEPLOYED, LAYERS
from tests.package import distribution, plugin

EPOCH = 1_790_000_000
VERSION = scalr_agents.__version__
EXAMPLE = distribution.REPOSITORY / "examples" / "importing"
ADDRESS = "github://api.github.com/acme/scalr-agents"


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("dist")
    distribution.build(directory, EPOCH, ADDRESS)
    return directory


@pytest.fixture(scope="module")
def elsewhere(dist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return distribution.install(dist, tmp_path_factory.mktemp("elsewhere"))


def test_the_same_commit_gives_the_same_bytes(dist: Path, tmp_path: Path) -> None:
    distribution.build(tmp_path, EPOCH, ADDRESS)
    for file in dist.iterdir():
        assert (tmp_path / file.name).read_bytes() == file.read_bytes(), file.name


def test_checksums_are_those_of_all_files(dist: Path) -> None:
    lines = (dist / distribution.CHECKSUMS).read_text().splitlines()
    assert dict(line.split("  ")[::-1] for line in lines) == {
        file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in dist.iterdir() if file.name != distribution.CHECKSUMS
    }
    assert len(lines) == 9


def test_the_archives_have_the_package_and_nothing_else(dist: Path) -> None:
    files = (file for file in (distribution.PACKAGE / "scalr_agents").rglob("*.*") if file.parent.name != "__pycache__")
    package = {str(file.relative_to(distribution.PACKAGE)) for file in files if file.is_file()}
    [wheel], [source] = dist.glob("*.whl"), dist.glob("scalr_agents-*.tar.gz")
    information, root = f"scalr_agents-{VERSION}.dist-info", f"scalr_agents-{VERSION}"
    about = ("METADATA", "RECORD", "WHEEL", "entry_points.txt", "licenses/LICENSE")
    assert set(distribution.members(wheel)) == package | {f"{information}/{name}" for name in about}
    beside = {".gitignore", "LICENSE", "PKG-INFO", "README.md", "pyproject.toml"}
    assert set(distribution.members(source)) == {f"{root}/{name}" for name in package | beside}
    beside = {"LICENSE", "PulumiPlugin.yaml", "__main__.py", "requirements.txt", "schema.json"}
    for name in plugin.names():
        assert set(distribution.members(dist / name)) == package | beside
    listed = [line.strip() for line in distribution.contents(dist)]
    assert {*listed} >= {file.name for file in dist.iterdir()} | package


def test_the_source_distribution_builds_the_same_wheel(dist: Path, tmp_path: Path) -> None:
    [source] = dist.glob("scalr_agents-*.tar.gz")
    with tarfile.open(source) as archive:
        archive.extractall(tmp_path, filter="data")
    [root] = tmp_path.iterdir()
    subprocess.run([sys.executable, "-m", "hatchling", "build", "-t", "wheel"], cwd=root, check=True, capture_output=True)
    [built], [wheel] = (root / "dist").iterdir(), dist.glob("*.whl")
    assert distribution.members(wheel) == distribution.members(built)


def test_a_plugin_has_the_pins_of_a_deployment_and_the_schema_beside_it(dist: Path) -> None:
    [archive] = {(dist / name).read_bytes() for name in plugin.names()}
    with tarfile.open(fileobj=io.BytesIO(archive)) as files:
        contents = {file.name: content.read() for file in files if (content := files.extractfile(file))}
    assert contents["requirements.txt"] == "".join(LAYERS[layer] for layer in DEPLOYED).encode()
    assert {name: contents[name] for name in ("PulumiPlugin.yaml", "__main__.py")} == {
        name: (distribution.PACKAGE / name).read_bytes() for name in ("PulumiPlugin.yaml", "__main__.py")
    }
    assert contents["schema.json"] == (dist / "schema.json").read_bytes() == plugin.schema(ADDRESS).encode()


def test_without_an_address_the_schema_is_that_of_the_package() -> None:
    assert plugin.schema("") == (distribution.PACKAGE / "schema.json").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("address", "known"),
    [
        ("https://downloads.acme.example/plugins", True),
        ("https://git.acme.example:8443/acme/scalr-agents/releases/download/v${VERSION}", True),
        ("github://api.github.com/acme", True),
        (ADDRESS, True),
        ("gitlab://git.acme.example/278964", True),
        ("downloads.acme.example/plugins", False),
        ("http://downloads.acme.example/plugins", False),
        ("git://git.acme.example/acme/scalr-agents", False),
        ("https://user:s3cr3t@downloads.acme.example/plugins", False),
        ("https://downloads.acme.example/plugins?key=s3cr3t", False),
        ("https://downloads.acme.example/${version}", False),
        ("https://downloads.acme.example/\n", False),
        ("github://acme", False),
        ("github://api.github.com/acme/scalr-agents/releases", False),
        ("gitlab://git.acme.example/acme/scalr-agents", False),
    ],
)
def test_only_addresses_that_pulumi_knows_are_accepted(address: str, *, known: bool) -> None:
    package = json.loads((distribution.PACKAGE / "schema.json").read_text(encoding="utf-8"))
    if known:
        assert json.loads(plugin.schema(address)) == package | {"pluginDownloadURL": address}
        return
    with pytest.raises(plugin.AddressError) as refused:
        plugin.schema(address)
    assert "s3cr3t" not in str(refused.value)


def test_make_dist_refuses_an_address_before_it_builds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLUGIN_DOWNLOAD_URL", "http://downloads.acme.example/plugins")
    monkeypatch.setattr(distribution, "build", None)
    with pytest.raises(SystemExit, match=r"^PLUGIN_DOWNLOAD_URL: not an address from which Pulumi downloads plugins\. Give"):
        distribution.main()


def test_the_license_is_that_of_the_repository() -> None:
    assert (distribution.PACKAGE / "LICENSE").read_text() == (distribution.REPOSITORY / "LICENSE").read_text()


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
