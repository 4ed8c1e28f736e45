"""Stacks that are deployed once and shared. A test that changes one takes a branch of it."""

import os
import shutil
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from pulumi import automation

from tests import tools
from tests.engine.stacks import Branch, Deployed, Deployment

_SUMMARY = automation.UpdateSummary("update", datetime.now(UTC), "", {}, {}, "succeeded")


@pytest.fixture(scope="session")
def command() -> Iterator[automation.PulumiCommand]:
    """The Pulumi CLI, in an environment that says nothing about stacks of the user."""
    with pytest.MonkeyPatch.context() as environment:
        for variable in [name for name in os.environ if name.startswith("PULUMI_")]:
            environment.delenv(variable)
        # What the Automation API asks after an operation takes longer than that, and tests read the state.
        environment.setattr(automation.Stack, "outputs", lambda stack: {})
        environment.setattr(automation.Stack, "info", lambda stack, show_secrets: _SUMMARY)
        if tools.built("pulumi"):
            yield automation.PulumiCommand(str(tools.binary("pulumi").parents[1]))
        elif shutil.which("pulumi"):
            yield automation.PulumiCommand()
        elif os.environ.get("CI") == "true":
            pytest.fail("no Pulumi CLI: `make control-plane` builds it")
        else:
            pytest.skip("no Pulumi CLI: `make control-plane` builds it, or put one on PATH")


@pytest.fixture
def fresh(command: automation.PulumiCommand, tmp_path: Path) -> Callable[[str], Deployment]:
    """Makes a stack that nobody has deployed yet."""
    return lambda name: Deployment.new(name, tmp_path / name, command)


@pytest.fixture
def branch(tmp_path: Path) -> Branch:
    """Makes a stack that is where a shared one was after its first `pulumi up`."""
    return lambda deployed: deployed.stack.branch(tmp_path / "branch")


@pytest.fixture(scope="session")
def local(command: automation.PulumiCommand, tmp_path_factory: pytest.TempPathFactory) -> Deployed:
    return _deployed("local", ["runs"], command, tmp_path_factory)


@pytest.fixture(scope="session")
def aws_prod(command: automation.PulumiCommand, tmp_path_factory: pytest.TempPathFactory) -> Deployed:
    return _deployed("aws-prod", ["payments", "platform", "vcs"], command, tmp_path_factory)


@pytest.fixture(scope="session")
def gcp_prod(command: automation.PulumiCommand, tmp_path_factory: pytest.TempPathFactory) -> Deployed:
    return _deployed("gcp-prod", ["apps", "data"], command, tmp_path_factory)


def _deployed(name: str, agents: list[str], command: automation.PulumiCommand, tmp_path_factory: pytest.TempPathFactory) -> Deployed:
    stack = Deployment.new(name, tmp_path_factory.mktemp("stacks") / name, command)
    stack.set_secrets({f"{agent}.token": f"token-of-{agent}" for agent in agents})
    first = stack.up()
    assert not first.failed, first.output
    return Deployed(stack, first)
