"""Stacks that are deployed once and shared. A test that changes one takes a branch of it."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pulumi import automation

from tests.engine.stacks import Branch, Deployed, Deployment, pulumi_command


@pytest.fixture(scope="session")
def command() -> Iterator[automation.PulumiCommand]:
    with pulumi_command() as found:
        yield found


@pytest.fixture
def fresh(command: automation.PulumiCommand, tmp_path: Path) -> Callable[[str], Deployment]:
    """Creates a stack that is not deployed yet."""
    return lambda name: Deployment.new(name, tmp_path / name, command)


@pytest.fixture
def branch(tmp_path: Path) -> Branch:
    """Creates a stack in the state of a shared one after its first `pulumi up`."""
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
