"""A stack of its own for a test: project directory, backend, cluster and clouds, and what an operation on it did."""

import copy
import json
import os
import shutil
import subprocess
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, Self

import pytest
import yaml
from pulumi import automation
from scalr_agents.resources.deploy import deploy

from tests import tools
from tests.cluster.client import wait
from tests.engine.clouds import Aws, Gcp
from tests.engine.cluster import Cluster
from tests.engine.operations import Operation
from tests.engine.provider import Call, Provider, serving

REPOSITORY = Path(__file__).parents[2]
PROJECT = "scalr-agents"
_QUIET_SECONDS = 0.5


@contextmanager
def pulumi_command() -> Iterator[automation.PulumiCommand]:
    """The Pulumi CLI, in an environment without settings of the user's stacks."""
    with pytest.MonkeyPatch.context() as environment:
        for variable in [name for name in os.environ if name.startswith("PULUMI_")]:
            environment.delenv(variable)
        if tools.built("pulumi"):
            yield automation.PulumiCommand(str(tools.binary("pulumi").parents[1]))
        elif shutil.which("pulumi"):
            yield automation.PulumiCommand()
        elif os.environ.get("CI") == "true":
            pytest.fail("no Pulumi CLI: `make control-plane` builds it")
        else:
            pytest.skip("no Pulumi CLI: `make control-plane` builds it, or put one on PATH")


@dataclass
class Outcome:
    """What an operation did."""

    failed: bool = False
    output: str = ""
    """Everything that was printed, on stdout and stderr."""
    events: list[automation.EngineEvent] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    """What the providers were asked to do, in the order in which it was done."""

    @property
    def steps(self) -> dict[str, tuple[str, ...]]:
        """What was planned or done for each resource that did not stay as it is."""
        found = defaultdict[str, list[str]](list)
        for event in self._planned():
            if event.op not in {"same", "refresh", "read"}:
                found[_name(event.urn)].append(event.op.value)
        return {name: tuple(steps) for name, steps in found.items()}

    @property
    def unchanged(self) -> int:
        """The number of unchanged resources, including stack, components and providers."""
        return sum(event.op == "same" for event in self._planned())

    @property
    def differences(self) -> dict[str, set[str]]:
        """The paths that differ, for each resource that has any."""
        return {_name(event.urn): set(event.detailed_diff) for event in self._planned() if event.detailed_diff}

    def all(self, step: str) -> set[str]:
        """Names of all resources with a step, for instance `update`."""
        return {name for name, steps in self.steps.items() if step in steps}

    def called(self, operation: str) -> list[str]:
        """The resources that a provider was asked to create, update or delete, in that order."""
        return [call.name for call in self.calls if call.operation == operation]

    def call(self, operation: str, name: str) -> Call:
        """The one call with that effect on a resource."""
        found = [call for call in self.calls if (call.operation, call.name) == (operation, name)]
        assert len(found) == 1, f"{len(found)} times {operation} {name}; {self.called(operation)}"
        return found[0]

    @property
    def everything(self) -> str:
        """All output of the engine about the operation, as text."""
        return self.output + json.dumps(self.events, default=vars)

    def _planned(self) -> Iterator[automation.StepEventMetadata]:
        for event in self.events:
            if event.resource_pre_event:
                yield event.resource_pre_event.metadata


@dataclass
class Deployment:
    """A stack in a directory of its own."""

    name: str
    directory: Path
    command: automation.PulumiCommand
    cluster: Cluster = field(default_factory=Cluster)
    aws: Aws = field(default_factory=Aws)
    gcp: Gcp = field(default_factory=Gcp)
    program: Callable[[], None] | None = None
    """A program instead of ours, which deploys the stack file: a function of a module, which another process can import."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """Environment of the real Kubernetes provider. If it is empty, a stand-in is used, as always for the clouds."""
    variables: Mapping[str, str] = field(default_factory=dict)
    """Further variables of the CLI's environment, which is that of the providers too."""
    project_name: str = PROJECT
    others: Sequence[Provider] = ()
    """Providers of a program that is not ours."""

    @classmethod
    def new(cls, name: str, directory: Path, command: automation.PulumiCommand, variables: Mapping[str, str] | None = None) -> Self:
        """The project of a user who has cloned the repository; nothing is deployed, no secret is set."""
        made = cls(name, directory, command, variables=variables or {})
        made.project.mkdir(parents=True)
        shutil.copy(REPOSITORY / "Pulumi.yaml", made.project)
        shutil.copytree(REPOSITORY / "stacks", made.project / "stacks")
        made.create()
        return made

    def create(self) -> None:
        """`pulumi stack init`, in an existing project."""
        self._backend.mkdir()
        with self._stack(automation.Stack.create):
            pass

    def branch(self, directory: Path) -> "Deployment":
        """The same stack in the same state, in a directory, a cluster and clouds of its own."""
        shutil.copytree(self.directory, directory)
        cluster = Cluster(copy.deepcopy(self.cluster.objects).items())
        aws, gcp = Aws(copy.deepcopy(self.aws.objects)), Gcp(copy.deepcopy(self.gcp.objects))
        return Deployment(self.name, directory, self.command, cluster, aws, gcp)

    @property
    def project(self) -> Path:
        return self.directory / "project"

    @property
    def file(self) -> Path:
        return self.project / "stacks" / f"Pulumi.{self.name}.yaml"

    @property
    def _backend(self) -> Path:
        return self.directory / "backend"

    @property
    def _providers(self) -> list[Provider]:
        """The stand-ins for real providers."""
        return [self.aws, self.gcp, *([] if self.environment else [self.cluster]), *self.others]

    def edit(self, words: Mapping[str, Any]) -> None:
        """Set words of the stack file by their paths, as `agents.runs.values`; None removes one."""
        content = yaml.safe_load(self.file.read_text(encoding="utf-8"))
        for path, value in words.items():
            first, *others = path.split(".")
            *parents, last = [f"{PROJECT}:{first}", *others]
            place = content["config"]
            for parent in parents:
                place = place.setdefault(parent, {})
            place.pop(last, None) if value is None else place.update({last: value})
        self.file.write_text(yaml.safe_dump(content), encoding="utf-8")

    def set_secrets(self, secrets: Mapping[str, str]) -> None:
        """`pulumi config set --secret --path`, of words under `secrets`."""
        self.set_config({f"{PROJECT}:secrets.{path}": value for path, value in secrets.items()}, secret=True)

    def set_config(self, settings: Mapping[str, str], *, secret: bool = False) -> None:
        """`pulumi config set --path`, with `--secret` for secrets."""
        with self._stack() as stack:
            stack.set_all_config({key: automation.ConfigValue(value, secret) for key, value in settings.items()}, path=True)

    def up(self) -> Outcome:
        return self._run("up")

    def killed_up(self, name: str) -> bool:
        """`pulumi up`, killed when a resource has been made, the engine has not heard of it, and all else that it does is done."""
        made, ended = threading.Event(), threading.Event()

        def when_made(made_now: str) -> None:
            if made_now == name:
                made.set()
                ended.wait()  # an answer might still reach the engine

        for provider in self._providers:
            provider.when_made = when_made
        try:
            with self.killable_up() as operation:
                wait(lambda: made.is_set() or operation.has_ended(), f"{name} is made")
                assert made.is_set(), operation.result().lines
                wait(lambda: self._quiet() and self.pending() == [name], "nothing else to do")
                return operation.kill()
        finally:
            ended.set()
            for provider in self._providers:
                provider.when_made = lambda made: None

    @contextmanager
    def killable_up(self) -> Iterator[Operation]:
        """`pulumi up` that can be killed."""
        with self._serving() as workspace, Operation(self.name, workspace, "up") as operation:
            yield operation

    def cli(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run the CLI, which runs the project's own program in Python with the real language host."""
        command = [self.command.command, *arguments, "--stack", self.name, "--non-interactive", "--color", "never"]
        with self._serving() as workspace:
            environment = {**os.environ, "PULUMI_HOME": workspace["pulumi_home"], **workspace["env_vars"]}
            return subprocess.run(command, cwd=self.project, env=environment, capture_output=True, text=True, check=False)

    def preview(self) -> Outcome:
        return self._run("preview")

    def refresh(self) -> Outcome:
        return self._run("refresh")

    def destroy(self) -> Outcome:
        return self._run("destroy")

    def cancel(self) -> None:
        """`pulumi cancel`."""
        with self._stack() as stack:
            stack.cancel()

    def clear_pending(self) -> Outcome:
        """`pulumi refresh --clear-pending-creates`."""
        return self._run("refresh", clear_pending_creates=True)

    def state(self) -> str:
        """The state as the backend stores it, where secrets are encrypted."""
        return self._checkpoint.read_text(encoding="utf-8")

    @property
    def _checkpoint(self) -> Path:
        return self._backend / ".pulumi" / "stacks" / self.project_name / f"{self.name}.json"

    def _quiet(self) -> bool:
        """Whether the state has not been written for a while; a kill while it is being written would leave half of it."""
        return time.time() - self._checkpoint.stat().st_mtime > _QUIET_SECONDS

    def resources(self) -> dict[str, dict[str, Any]]:
        """The resources in the state, by name."""
        return {_name(resource["urn"]): resource for resource in json.loads(self.state())["checkpoint"]["latest"].get("resources", [])}

    def pending(self) -> list[str]:
        """The resources that are being made, or whose creation was interrupted, as far as the state knows."""
        try:
            operations = json.loads(self.state())["checkpoint"]["latest"].get("pending_operations", [])
        except ValueError:  # it is being written
            return []
        return sorted(_name(operation["resource"]["urn"]) for operation in operations)

    def _run(self, operation: str, **options: Any) -> Outcome:
        with self._serving() as workspace, Operation(self.name, workspace, operation, **options) as running:
            done = running.result()
        calls = sorted((call for provider in self._providers for call in provider.calls), key=lambda call: call.began)
        return Outcome(done.failed, "\n".join(done.lines), done.events, calls)

    @contextmanager
    def _stack(
        self, select: Callable[[str, automation.Workspace], automation.Stack] = automation.Stack.select
    ) -> Iterator[automation.Stack]:
        with self._serving() as workspace:
            yield select(self.name, automation.LocalWorkspace(**workspace))

    @contextmanager
    def _serving(self) -> Iterator[dict[str, Any]]:
        """The settings of a workspace, while providers answer."""
        self.cluster.variables = self.variables
        for provider in self._providers:
            provider.calls.clear()
        with serving(*self._providers) as ports:
            yield {
                "work_dir": str(self.project),
                "program": self.program or partial(deploy, self.project),
                "pulumi_command": self.command,
                "pulumi_home": str(self.directory / "home"),
                "env_vars": {
                    "PULUMI_BACKEND_URL": self._backend.as_uri(),
                    "PULUMI_CONFIG_PASSPHRASE": "correct horse",
                    "PULUMI_DEBUG_PROVIDERS": ports,
                    **self.environment,
                    **self.variables,
                    "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION": "true",
                    "PULUMI_SKIP_UPDATE_CHECK": "true",
                },
            }


class Deployed(NamedTuple):
    """A stack, and what its first `pulumi up` did."""

    stack: Deployment
    first: Outcome


Branch = Callable[[Deployed], Deployment]
"""Creates a stack in the state of a shared one after its first `pulumi up`."""


def _name(urn: str) -> str:
    return urn.rpartition("::")[2]


def up(stack: Deployment) -> Outcome:
    """Bring a stack up, which must not fail."""
    outcome = stack.up()
    assert not outcome.failed, outcome.output
    return outcome
