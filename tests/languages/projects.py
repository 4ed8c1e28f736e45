"""Examples in other languages as users have them: in a directory beside the components, with a stack, on a cluster of their own."""

import json
import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from google.protobuf.message import Message
from pulumi.runtime.proto import provider_pb2

from tests import tools
from tests.engine.cluster import Cluster
from tests.engine.provider import serving
from tests.helpers import sdk
from tests.languages import host, node
from tests.package import schema

EXAMPLES = schema.FILE.parents[1] / "examples"
TOKEN = "s3cr3t-of-the-pool"
SETTINGS = {"context": "prod", "url": "https://acme.scalr.io"}
_KUBERNETES = Path(__file__).with_name("kubernetes.json")
"""What the schema of the Kubernetes provider says of all that the examples name."""
_HOSTS: Mapping[str, Mapping[str, type[host.Host]]] = {"go": {"go": host.Go}, "typescript": {"nodejs": host.Node}, "yaml": {}}
"""By the languages of the examples and the names of their runtimes. The host of YAML is the real one."""


class SchemaCluster(Cluster):
    """A cluster whose provider has a schema, as the YAML runtime wants it."""

    def get_schema(self, request: Any, context: Any) -> Message:
        described = {**json.loads(_KUBERNETES.read_text(encoding="utf-8")), "version": self.version}
        return provider_pb2.GetSchemaResponse(schema=json.dumps(described))


@dataclass
class Project:
    """A copy of an example with a stack, `dev`."""

    directory: Path
    hosts: Mapping[str, type[host.Host]]
    """That of the program's language, unless the real one is there."""
    cluster: SchemaCluster = field(default_factory=SchemaCluster)
    variables: Mapping[str, str] = field(default_factory=dict)
    """Further variables of the CLI."""

    @classmethod
    def of(cls, language: str, directory: Path) -> "Project":
        """The example of a language, with the stack that its README sets up."""
        made = cls(copied(language, directory), _HOSTS[language])
        made.create()
        return made

    def create(self) -> None:
        """Make the stack and set its configuration."""
        self._backend.mkdir()
        self.pulumi("stack", "init", "dev")
        self.pulumi("config", "set", "--secret", "token", TOKEN)
        for key, value in SETTINGS.items():
            self.pulumi("config", "set", key, value)

    def up(self, *options: str) -> subprocess.CompletedProcess[str]:
        """`pulumi up`, without a preview of its own. What the engine has said of it is among its output."""
        return self._logged("up", *options)

    def destroy(self) -> subprocess.CompletedProcess[str]:
        return self._logged("destroy")

    def outputs(self) -> dict[str, Any]:
        outputs: dict[str, Any] = json.loads(self.pulumi("stack", "output", "--json").stdout)
        return outputs

    def state(self) -> str:
        """All that the backend has stored, where secrets are encrypted."""
        return "".join(file.read_text(encoding="utf-8") for file in self._backend.rglob("*.json"))

    @property
    def home(self) -> Path:
        """Where the CLI installs plugins."""
        return self.directory.parents[1] / "home"

    @property
    def _backend(self) -> Path:
        return self.directory.parents[1] / "backend"

    def _logged(self, operation: str, *options: str) -> subprocess.CompletedProcess[str]:
        events = self.directory.parents[1] / "events"
        events.unlink(missing_ok=True)
        arguments = ("--yes", "--skip-preview", "--event-log", str(events), *options)
        done = self.pulumi(operation, *arguments, check=False)
        done.stdout += events.read_text(encoding="utf-8") if events.exists() else ""
        return done

    def pulumi(self, *arguments: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        """Run the CLI while the providers and hosts answer."""
        command: list[str | Path] = [tools.binary("pulumi"), *arguments, "--non-interactive", "--color", "never"]
        with self._environment() as environment:
            done = subprocess.run(command, cwd=self.directory, env=environment, capture_output=True, text=True, check=False)
        assert not check or done.returncode == 0, done.stdout + done.stderr
        return done

    @contextmanager
    def _environment(self) -> Iterator[dict[str, str]]:
        answering: dict[str, type[host.Host]] = {"python": host.Python, **self.hosts}
        with serving(self.cluster) as providers, host.serving(**answering) as hosts:
            yield host.environment(
                {
                    "PATH": os.pathsep.join([str(tools.binary("pulumi-language-yaml").parent), os.environ["PATH"]]),
                    "PULUMI_HOME": str(self.home),
                    "PULUMI_BACKEND_URL": self._backend.as_uri(),
                    "PULUMI_CONFIG_PASSPHRASE": "correct horse",
                    "PULUMI_DEBUG_COMMANDS": "true",  # for --event-log
                    "PULUMI_DEBUG_PROVIDERS": providers,
                    "PULUMI_DEBUG_LANGUAGES": hosts,
                    "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION": "true",
                    "PULUMI_SKIP_UPDATE_CHECK": "true",
                    **self.variables,
                }
            )


def copied(language: str, directory: Path, package: Path = schema.FILE) -> Path:
    """A copy of the example of a language, with what `pulumi install` adds to it. `package` is the schema of the components."""
    project = directory / "examples" / language
    shutil.copytree(EXAMPLES / language, project, ignore=shutil.ignore_patterns("node_modules", "sdks"))
    (directory / "components").symlink_to(schema.FILE.parent)
    sdks = project / "sdks" / "scalr-agents"
    if language in sdk.LANGUAGES:
        sdk.generate(package, language, sdks)
    if language == "typescript":
        _install_with_npm(project, sdks)
    return project


def _install_with_npm(project: Path, package: Path) -> None:
    """What npm does with the SDK, which is a directory here: compile it and link it. All other packages are found above the program."""
    (project.parents[1] / "node_modules").symlink_to(node.modules())
    environment = {**os.environ, "PATH": f"{node.modules() / '.bin'}{os.pathsep}{os.environ['PATH']}"}
    about = json.loads((package / "package.json").read_text(encoding="utf-8"))
    subprocess.run(about["scripts"]["postinstall"].split(), cwd=package, env=environment, check=True)
    link = project / "node_modules" / about["name"]
    link.parent.mkdir(parents=True)
    link.symlink_to(package)
