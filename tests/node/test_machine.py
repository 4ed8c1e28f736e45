"""A test's machine is isolated and is removed however the tests end."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cluster.client import wait
from tests.node.agents import at_once
from tests.node.init import SYSCTLS
from tests.node.machine import Machine, Network, left_behind

_STARTER = """
import sys
from pathlib import Path
from tests.node import network
from tests.node.machine import Machine
from tests.node.node import NodeCluster
from tests.node.world import World

directory = Path(sys.argv[1])
with Machine(directory) as machine:
    network.connect(machine)
    world = World(machine, directory)
    with NodeCluster(directory / "cluster", machine, world):
        print(machine.cgroup, machine.namespace, flush=True)
        sys.stdin.read()
"""
_REPOSITORY = Path(__file__).parents[2]


def test_a_node_with_pods_is_removed_after_the_tests(machine: Machine, tmp_path: Path) -> None:
    """Killed, and interrupted at the terminal."""

    def end(number: signal.Signals) -> None:
        directory = tmp_path / number.name
        directory.mkdir()
        with subprocess.Popen(
            [sys.executable, "-c", _STARTER, str(directory)], cwd=_REPOSITORY, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as tests:
            assert tests.stdout is not None
            cgroup, namespace = tests.stdout.readline().split()
            assert len(left_behind(cgroup, namespace)) > 10
            tests.send_signal(number)
        wait(lambda: not left_behind(cgroup, namespace), "the end of the machine")

    at_once(end, [signal.SIGKILL, signal.SIGINT])


@pytest.mark.parametrize("network", ["world", "node"])
def test_packets_cannot_leave_the_machine(network: Network, machine: Machine) -> None:
    """All interfaces are the machine's own, and the outermost network has no other routes."""
    names = {line.split()[1].rstrip(":").partition("@")[0] for line in machine.run("ip", "-o", "link", network=network).splitlines()}
    assert {name for name in names if not name.startswith("veth")} == {"lo", "world" if network == "world" else "eth0"}
    if network == "world":
        assert "default" not in machine.run("ip", "route") + machine.run("ip", "-6", "route")


@pytest.mark.parametrize("name", SYSCTLS)
def test_the_kernel_is_not_changed(name: str, machine: Machine) -> None:
    """Files that a kubelet writes for the whole kernel are the machine's own."""
    mounts = [line.split()[4] for line in machine.run("cat", "/proc/self/mountinfo").splitlines()]
    assert f"/proc/sys/{name}" in mounts
