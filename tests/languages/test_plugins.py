"""What `make dist` builds for the Pulumi CLI: it installs the components as a plugin, from a file or from the address in the schema."""

import json
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import scalr_agents
import yaml

from tests.languages import host, projects
from tests.languages.projects import Project
from tests.package import distribution, plugin

ADDRESS = "https://plugins.acme.example/releases"
VERSION = scalr_agents.__version__
ARCHIVE = f"pulumi-resource-scalr-agents-v{VERSION}-linux-amd64.tar.gz"


class WithPackagesOfTheTests(host.Plugins):
    """Gives a plugin an environment of its own, with the packages of the tests in place of downloaded ones."""

    def installed(self, plugin: Any) -> subprocess.CompletedProcess[str]:
        distribution.libraries(Path(plugin.program_directory) / "venv")
        return subprocess.CompletedProcess([], 0, "", "")


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("dist")
    distribution.build(directory, 1_790_000_000, ADDRESS)
    return directory


def of_file(dist: Path) -> list[str]:
    return ["plugin", "install", "resource", "scalr-agents", f"v{VERSION}", "--file", str(dist / ARCHIVE)]


@pytest.fixture(scope="module")
def installed(dist: Path, tmp_path_factory: pytest.TempPathFactory) -> Project:
    """The example in YAML, which names the version of the plugin, with the plugin installed from a file, and with it what it requires."""
    directory = tmp_path_factory.mktemp("installed")
    (directory / "uv.lock").touch()  # that Pulumi would follow if the plugin did not name its toolchain
    project = Project(projects.copied("yaml", directory), {"python": host.Plugins})
    program = project.directory / "Pulumi.yaml"
    content = yaml.safe_load(program.read_text(encoding="utf-8"))
    del content["packages"]
    for resource in content["resources"].values():
        if resource["type"].startswith("scalr-agents:"):
            resource["options"]["version"] = VERSION
    program.write_text(yaml.safe_dump(content), encoding="utf-8")
    project.pulumi(*of_file(dist))
    project.create()
    return project


def test_the_plugin_has_an_environment_with_the_pinned_packages(installed: Project) -> None:
    [unpacked] = (installed.home / "plugins").glob("resource-scalr-agents-v*/")
    assert unpacked.name == f"resource-scalr-agents-v{VERSION}"
    python = unpacked / "venv" / "bin" / "python"
    code = "import json, importlib.metadata as m; print(json.dumps({each.name: each.version for each in m.distributions()}))"
    versions = json.loads(subprocess.run([python, "-I", "-c", code], capture_output=True, text=True, check=True).stdout)
    assert versions["pulumi_kubernetes"] == projects.SchemaCluster.version
    assert {"pulumi_aws", "pulumi_gcp", "pydantic"} <= set(versions)
    assert "scalr-agents" not in versions  # it lies beside __main__.py


def test_a_program_that_names_the_version_runs_the_plugin(installed: Project) -> None:
    done = installed.up()
    assert done.returncode == 0, done.stdout + done.stderr
    assert {f"CustomResourceDefinition//{name}.scalr.io" for name in ("atasks", "agenttasktemplates")} <= set(installed.cluster.objects)
    assert "Deployment/scalr-payments/payments-agent-job" in installed.cluster.objects
    done = installed.destroy()
    assert done.returncode == 0, done.stdout + done.stderr


@contextmanager
def serving(directory: Path) -> Iterator[tuple[str, list[str]]]:
    """Serve the files of a directory: the address, and what is asked for."""
    asked: list[str] = []

    class Handler(SimpleHTTPRequestHandler):
        def __init__(self, *args: Any) -> None:
            super().__init__(*args, directory=str(directory))

        def log_message(self, *args: Any) -> None:
            asked.append(self.path)

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}", asked
        finally:
            server.shutdown()


def test_a_missing_plugin_is_downloaded_from_the_address_in_the_schema(dist: Path, tmp_path: Path) -> None:
    hosts = {"go": host.Go, "python": WithPackagesOfTheTests}
    project = Project(projects.copied("go", tmp_path, dist / plugin.SCHEMA), hosts)
    about = project.directory / "Pulumi.yaml"
    about.write_text(about.read_text(encoding="utf-8").partition("packages:")[0], encoding="utf-8")
    project.create()
    with serving(dist) as (address, asked):
        project.variables = {
            "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION": "false",
            "PULUMI_PLUGIN_DOWNLOAD_URL_OVERRIDES": f"^{ADDRESS}$={address}",
        }
        done = project.up()
        assert done.returncode == 0, done.stdout + done.stderr
        assert asked == [f"/{ARCHIVE}"]
        done = project.up("--expect-no-changes")
        assert done.returncode == 0, done.stdout + done.stderr
        assert asked == [f"/{ARCHIVE}"]
    assert "Deployment/scalr-payments/payments-agent-job" in project.cluster.objects
