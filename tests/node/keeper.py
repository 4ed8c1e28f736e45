"""Makes a test's machine, and removes it completely when its standard input ends, however the tests end: `keeper.py CGROUP`.

A script in a process of its own: tests may be killed, and could not clean up. All processes, mounts and network interfaces of
the machine end with its first process, since they are in namespaces that it holds. Control groups are not in namespaces.
"""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

_INHERITED = ("cpuset.cpus", "cpuset.mems")
"""Settings that a new group of cgroup v1 needs before it can have processes."""
_NAMESPACES = ("--mount", "--pid", "--net", "--ipc", "--uts")
_LAST_SECONDS = 10


def main(cgroup: str) -> None:
    groups = [hierarchy / cgroup for hierarchy in _hierarchies()]
    init = [sys.executable, "-I", "-S", str(Path(__file__).with_name("init.py"))]
    for group in groups:
        _make(group)
    with subprocess.Popen(
        ["unshare", *_NAMESPACES, "--propagation", "private", "--fork", "--kill-child", "--", *init], stdin=subprocess.DEVNULL
    ) as machine:
        os.close(sys.stdout.fileno())  # the machine's alone, so that it ends with it
        sys.stdin.read()
        machine.kill()
    for group in groups:
        _remove(group)


def _hierarchies() -> Iterator[Path]:
    """Where groups are made: once in cgroup v2, for each controller in v1, and both on machines that have both."""
    for line in Path("/proc/self/mountinfo").read_text(encoding="utf-8").splitlines():
        fields, _, (kind, *_) = (part.split() for part in line.partition(" - "))
        if kind in ("cgroup", "cgroup2"):
            yield Path(fields[4])


def _make(group: Path) -> None:
    group.mkdir()
    for name in _INHERITED:
        if (group / name).exists() and not (group / name).read_text(encoding="ascii").strip():
            (group / name).write_text((group.parent / name).read_text(encoding="ascii"), encoding="ascii")
    for child in (group.parent, group):  # what cgroup v2 hands down
        if (child / "cgroup.subtree_control").exists():
            controllers = " ".join(f"+{name}" for name in (child / "cgroup.controllers").read_text(encoding="ascii").split())
            (child / "cgroup.subtree_control").write_text(controllers, encoding="ascii")


def _remove(group: Path) -> None:
    """Remove a group and all in it, the innermost first. A killed process still exists for a moment."""
    deadline = time.monotonic() + _LAST_SECONDS
    for directory, _, _ in os.walk(group, topdown=False):
        while True:
            try:
                Path(directory).rmdir()
                break
            except OSError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.05)


if __name__ == "__main__":
    main(*sys.argv[1:])
