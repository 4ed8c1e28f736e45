"""Both clouds, each once for all tests of a process, and stacks in them."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path

import pytest
from pulumi import automation

from tests.clouds import programs, samples, stacks
from tests.clouds.aws.server import AwsCloud
from tests.clouds.gcp.server import GoogleCloud
from tests.clouds.stacks import CloudStack
from tests.engine.stacks import pulumi_command
from tests.tools import NotBuiltError

New = Callable[[str], CloudStack]
"""Creates a stack of a sample or an example that is not deployed yet."""


@pytest.fixture(scope="session")
def command() -> Iterator[automation.PulumiCommand]:
    with pulumi_command() as found:
        yield found


@pytest.fixture(scope="session")
def amazon() -> Iterator[AwsCloud]:
    if reason := stacks.missing_plugin():
        pytest.skip(reason)
    with AwsCloud() as cloud:
        yield cloud


@pytest.fixture(scope="session")
def alphabet() -> Iterator[GoogleCloud]:
    try:
        documents = stacks.documents()
    except NotBuiltError as problem:
        pytest.fail(str(problem), pytrace=False)
    with GoogleCloud(documents) as cloud:
        yield cloud


@pytest.fixture
def aws(amazon: AwsCloud) -> AwsCloud:
    """AWS, without resources of other tests."""
    amazon.reset()
    return amazon


@pytest.fixture
def google(alphabet: GoogleCloud) -> GoogleCloud:
    """Google Cloud, without resources of other tests."""
    alphabet.reset()
    return alphabet


@pytest.fixture
def on_aws(aws: AwsCloud, command: automation.PulumiCommand, tmp_path: Path) -> New:
    def new(name: str) -> CloudStack:
        return _new(name, tmp_path, command, {**aws.variables, **stacks.aws_variables()})

    return new


@pytest.fixture
def on_google(google: GoogleCloud, command: automation.PulumiCommand, tmp_path: Path) -> New:
    def new(name: str) -> CloudStack:
        return _new(name, tmp_path, command, {**google.variables, **stacks.google_variables()})

    return new


def _new(name: str, directory: Path, command: automation.PulumiCommand, variables: Mapping[str, str]) -> CloudStack:
    if name in samples.EXAMPLES:
        made = CloudStack.of_example(name, directory / name, command, variables)
        made.program = partial(programs.example, name)
    else:
        made = CloudStack.new(name, directory / name, command, variables)
        made.program = partial(programs.deployed, made.project)
    return made
