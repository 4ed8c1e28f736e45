"""A machine of the tests: isolated namespaces of processes, mounts and network, which are removed when the tests end."""

import itertools
import json
import os
import select
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Literal

from tests.cluster.processes import READY_SECONDS, Running

Network = Literal["world", "node"]
"""The machine has two networks: that of its node, and the rest of the world."""

_KEEPER = Path(__file__).with_name("keeper.py")
_numbers = itertools.count(1)


_COMMANDS = ("unshare", "nsenter", "mount", "ip", "iptables", "ip6tables", "runc", "curl", "getent", "ldd")
"""The programs for a machine, containers in it, and an image for probes."""


class MachineError(Exception):
    """A command of the machine failed."""


class Machine(Running):
    """Two networks and the processes in them."""

    def __init__(self, directory: Path) -> None:
        self.cgroup = f"scalr-agents-{os.getpid()}-{next(_numbers)}"
        """The group that all containers are in."""
        self._log = directory / "machine.log"
        with self._log.open("w") as log:
            self._keeper = subprocess.Popen(
                [sys.executable, "-I", "-S", str(_KEEPER), self.cgroup],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                start_new_session=True,
            )
        self._init, *ready = self._first_lines()
        if ready != ["ready"]:
            self.stop()
            raise MachineError(self._last_error())
        self.run("ip", "netns", "add", "node")

    @property
    def namespace(self) -> str:
        """The namespace that all of its processes are in."""
        return str(Path(f"/proc/{self._init}/ns/pid").readlink())

    def within(self, network: Network) -> list[str]:
        """A command that runs others in the machine."""
        net = {"world": "--net", "node": f"--net={self.path('/run/netns/node')}"}[network]
        return [str(shutil.which("nsenter")), "--target", self._init, "--mount", "--pid", "--ipc", "--uts", net, "--"]

    def run(self, *command: str, network: Network = "world") -> str:
        """Run a command in the machine to its end; returns its output."""
        done = subprocess.run([*self.within(network), *command], capture_output=True, text=True, check=False)
        if done.returncode:
            raise MachineError(f"{' '.join(command)}: {done.stderr.strip()}")
        return done.stdout

    def run_container(self, bundle: Path, program: Path) -> None:
        """Run a container with only the stub agent, which checks itself. Raises `MachineError` if there can be no containers."""
        root = bundle / "rootfs"
        root.mkdir(parents=True)
        shutil.copy(program, root / "test")
        subprocess.run(["runc", "spec"], cwd=bundle, check=True)
        spec = json.loads((bundle / "config.json").read_text())
        spec["process"] |= {"args": ["/test", "-f", "/test"], "terminal": False}
        spec["linux"]["cgroupsPath"] = f"/{self.cgroup}/first"
        (bundle / "config.json").write_text(json.dumps(spec))
        self.run("runc", "--root", "/run/first", "run", "--bundle", str(bundle), "first", network="node")

    def path(self, inside: str) -> Path:
        """The path of the machine's file from outside."""
        return Path(f"/proc/{self._init}/root{inside}")

    def stop(self) -> None:
        """End all processes and remove the machine."""
        assert self._keeper.stdin is not None
        assert self._keeper.stdout is not None
        self._keeper.stdin.close()
        self._keeper.wait()
        self._keeper.stdout.close()

    def _first_lines(self) -> list[str]:
        """The output of the keeper, until the machine is ready, has ended, or takes too long."""
        assert self._keeper.stdout is not None
        said, deadline = b"", time.monotonic() + READY_SECONDS
        while not said.endswith(b"ready\n") and select.select([self._keeper.stdout], [], [], max(0, deadline - time.monotonic()))[0]:
            if not (more := os.read(self._keeper.stdout.fileno(), 1024)):
                break
            said += more
        return said.decode().splitlines() or [""]

    def _last_error(self) -> str:
        return (self._log.read_text().splitlines() or ["no namespaces can be made"])[-1]


def left_behind(cgroup: str, namespace: str) -> list[Path]:
    """Traces of a machine on the host: processes in its namespace, and control groups."""
    processes = [process.parents[1] for process in Path("/proc").glob("[0-9]*/ns/pid") if _target(process) == namespace]
    root = Path("/sys/fs/cgroup")
    groups = [hierarchy / cgroup for hierarchy in (root, *root.iterdir())]
    return [*processes, *(group for group in groups if group.is_dir())]


def _target(link: Path) -> str:
    try:
        return str(link.readlink())
    except OSError:  # the process has ended
        return ""


def missing() -> str | None:
    """Why no machine can be created here, if that is known in advance."""
    if sys.platform != "linux":
        return "containers need Linux"
    if os.geteuid() != 0:
        return "namespaces of a machine's own need root"
    lacking = [command for command in _COMMANDS if shutil.which(command) is None]
    return f"a node needs {', '.join(lacking)}" if lacking else None
