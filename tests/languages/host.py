"""What stands for the language hosts of Pulumi, which are in no registry of modules. The engine attaches to it by its port.

What the real ones do is from their sources in the repository pulumi/pulumi: `Run` in `sdk/nodejs/cmd/pulumi-language-nodejs/main.go` and
`sdk/go/pulumi-language-go/main.go`; `InstallDependencies` and `RunPlugin` in `sdk/python/cmd/pulumi-language-python/main.go`. Of the
one for Node.js the pipes for synchronous calls are missing, which the programs here do not make.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from google.protobuf import empty_pb2, json_format
from google.protobuf.message import Message
from pulumi.runtime.proto import language_pb2, language_pb2_grpc, plugin_pb2

from tests import tools
from tests.engine.provider import listening, refuse

_LOGGED = 32
"""With this, programs in either language exit that have told the engine what is wrong."""


class Host:
    """Runs programs of a language."""

    def __init__(self) -> None:
        self.engine = ""

    def handshake(self, request: Any, context: Any) -> Message:
        self.engine = request.engine_address
        return language_pb2.LanguageHandshakeResponse()

    def get_plugin_info(self, request: Any, context: Any) -> Message:
        return plugin_pb2.PluginInfo(version="0.0.0")

    def about(self, request: Any, context: Any) -> Message:
        return language_pb2.AboutResponse()

    def cancel(self, request: Any, context: Any) -> Message:
        return empty_pb2.Empty()

    def get_required_packages(self, request: Any, context: Any) -> Message:
        return language_pb2.GetRequiredPackagesResponse()

    def run(self, request: Any, context: Any) -> Message:
        done = self.program(request)
        if done.returncode == _LOGGED:
            return language_pb2.RunResponse(bail=True)
        failed = f"the program exited with {done.returncode}\n{done.stdout}{done.stderr}"
        return language_pb2.RunResponse(error=failed if done.returncode else "")

    def program(self, request: Any) -> subprocess.CompletedProcess[str]:
        """Run the program of a project."""
        raise NotImplementedError


class Node(Host):
    """Runs a TypeScript program with the `@pulumi/pulumi` that its directory, or one above, has installed."""

    def program(self, request: Any) -> subprocess.CompletedProcess[str]:
        directory = Path(request.info.program_directory)
        modules = (above / "node_modules" for above in (directory, *directory.parents))
        flags = {
            "monitor": request.monitor_address,
            "engine": self.engine,
            "organization": request.organization,
            "project": request.project,
            "root-directory": request.info.root_directory,
            "stack": request.stack,
            "pwd": request.info.program_directory,
            "parallel": str(request.parallel),
        }
        dry = ["--dry-run"] if request.dryRun else []
        runner = next(found for each in modules if (found := each / "@pulumi" / "pulumi" / "cmd" / "run").exists())
        arguments = [argument for flag, value in flags.items() if value for argument in (f"--{flag}", value)]
        variables = {
            "PULUMI_CONFIG": json.dumps({key.replace(":", ":config:", 1): value for key, value in request.config.items()}),
            "PULUMI_CONFIG_SECRET_KEYS": json.dumps(list(request.configSecretKeys)),
            "PULUMI_NODEJS_TYPESCRIPT": "true",
        }
        return _ran(["node", runner, *arguments, *dry, request.info.entry_point], variables)


class Go(Host):
    """Compiles a Go program and runs it. Go's cache knows what it has compiled in another directory, because paths are trimmed."""

    def program(self, request: Any) -> subprocess.CompletedProcess[str]:
        variables = {
            "PULUMI_ORGANIZATION": request.organization,
            "PULUMI_PROJECT": request.project,
            "PULUMI_ROOT_DIRECTORY": request.info.root_directory,
            "PULUMI_STACK": request.stack,
            "PULUMI_CONFIG": json.dumps(dict(request.config)),
            "PULUMI_CONFIG_SECRET_KEYS": json.dumps(list(request.configSecretKeys)),
            "PULUMI_DRY_RUN": json.dumps(request.dryRun),
            "PULUMI_PARALLEL": str(request.parallel),
            "PULUMI_MONITOR": request.monitor_address,
            "PULUMI_ENGINE": self.engine,
        }
        with TemporaryDirectory() as directory:
            program = Path(directory) / "program"
            built = _ran(
                ["go", "build", "-trimpath", "-o", program, "."], {"CGO_ENABLED": "0", "GOWORK": "off"}, request.info.program_directory
            )
            return built if built.returncode else _ran([program], variables, request.pwd)


class Python(Host):
    """Runs components in Python, with the packages of the tests in place of an environment of their own."""

    def run_plugin(self, request: Any, context: Any) -> Iterator[Message]:
        variables = dict(variable.split("=", 1) for variable in request.env)
        command = [*self.python(request.info), request.info.program_directory, *request.args]
        with subprocess.Popen(command, cwd=request.pwd, env=environment(variables), stdout=subprocess.PIPE) as running:
            context.add_callback(running.kill)
            assert running.stdout
            for line in running.stdout:
                yield language_pb2.RunPluginResponse(stdout=line)
        yield language_pb2.RunPluginResponse(exitcode=running.returncode)

    def python(self, plugin: Any) -> list[str | Path]:
        """The command that starts Python for a plugin."""
        return [sys.executable]


class Plugins(Python):
    """Installs what plugins in Python require, with the package of the real host, and runs them with nothing else."""

    def install_dependencies(self, request: Any, context: Any) -> Iterator[Message]:
        done = self.installed(request.info)
        yield language_pb2.InstallDependenciesResponse(stdout=done.stdout.encode(), stderr=done.stderr.encode())
        if done.returncode:
            refuse(context, done.stderr)

    def installed(self, plugin: Any) -> subprocess.CompletedProcess[str]:
        """Install what a plugin requires."""
        return _ran(self._command("install", plugin), {})

    def python(self, plugin: Any) -> list[str | Path]:
        return self._command("run", plugin)

    def _command(self, what: str, plugin: Any) -> list[str | Path]:
        return [tools.binary("plugin-python"), what, plugin.program_directory, json_format.MessageToJson(plugin.options)]


@contextmanager
def serving(**hosts: type[Host]) -> Iterator[str]:
    """Serve hosts by the names of their runtimes; what the engine wants to know of them in `PULUMI_DEBUG_LANGUAGES`."""
    with listening(language_pb2_grpc, "LanguageRuntime", {name: host() for name, host in hosts.items()}) as ports:
        yield ports


def environment(variables: Mapping[str, str]) -> dict[str, str]:
    """The environment of the tests with these variables, without what it says to Pulumi."""
    return {name: value for name, value in os.environ.items() if not name.startswith("PULUMI_")} | dict(variables)


def _ran(command: list[str | Path], variables: Mapping[str, str], directory: str | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=directory, env=environment(variables), capture_output=True, text=True, check=False)
