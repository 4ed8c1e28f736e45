"""One control plane for all tests of a run, and what they did to it."""

import itertools
from collections.abc import Callable, Iterator

import pytest

from tests.cluster import client
from tests.cluster.client import Client, Figures
from tests.cluster.control_plane import ControlPlane
from tests.tools import NotBuiltError

NewNamespace = Callable[..., str]
"""Makes a namespace: `new_namespace()`, or `new_namespace("restricted")` for one that enforces this level of PodSecurity."""

_FIGURES = pytest.StashKey[Figures]()
_numbers = itertools.count(1)


def pytest_configure(config: pytest.Config) -> None:
    config.stash[_FIGURES] = Figures()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    reports = [report for each in terminalreporter.stats.values() for report in each if isinstance(report, pytest.TestReport)]
    here = [report for report in reports if report.nodeid.startswith("tests/cluster/")]
    if not here:
        return
    terminalreporter.section("against a real control plane")
    for what in (client.APPLIED, client.PROBES, client.EVICTIONS, client.REFUSED_EVICTIONS, client.SIDE_BY_SIDE):
        terminalreporter.write_line(f"{what}: {config.stash[_FIGURES][what]}")
    terminalreporter.write_line(f"seconds: {sum(report.duration for report in here):.0f}")


@pytest.fixture(scope="session")
def control_plane(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControlPlane]:
    try:
        running = ControlPlane(tmp_path_factory.mktemp("control-plane"))
    except NotBuiltError as problem:
        pytest.fail(str(problem), pytrace=False)
    with running:
        yield running


@pytest.fixture(scope="session")
def cluster(control_plane: ControlPlane, pytestconfig: pytest.Config) -> Iterator[Client]:
    """The client of an administrator."""
    with control_plane.client(pytestconfig.stash[_FIGURES]) as administrator:
        yield administrator


@pytest.fixture
def new_namespace(cluster: Client) -> Iterator[NewNamespace]:
    """Makes namespaces that go with the test."""
    made = []

    def new(pod_security: str | None = None) -> str:
        name = f"test-{next(_numbers)}"
        labels = {"pod-security.kubernetes.io/enforce": pod_security} if pod_security else {}
        cluster.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": labels}})
        made.append(name)
        return name

    yield new
    for name in made:
        cluster.delete("Namespace", name)


@pytest.fixture
def namespace(new_namespace: NewNamespace) -> str:
    """A fresh namespace, which admits any pod."""
    return new_namespace()
