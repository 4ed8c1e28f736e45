"""The first process of a test's machine: it makes the file system, and takes in processes whose parents have ended.

A script, run by `keeper.py` in new namespaces of processes, mounts and network. It first prints the id that the process has outside, and
`ready` when others can start.
"""

import os
import signal
import subprocess
import sys
from pathlib import Path

_OWN = ("/run", "/var/lib", "/var/log", "/mnt")
"""Directories that the machine has of its own, in memory."""
_SIZE = "64g"
"""Their size, independent of the memory: a kubelet reports it as the disk of its node, of which pods request more than they write."""
_SYSCTLS = {
    "vm/overcommit_memory": "1",
    "vm/panic_on_oom": "0",
    "kernel/panic": "10",
    "kernel/panic_on_oops": "1",
    "kernel/keys/root_maxkeys": "1000000",
    "kernel/keys/root_maxbytes": "25000000",
}
"""Settings that a kubelet makes for the whole kernel. Here it reads them as already made, from files that stand for the kernel's."""


def main() -> None:
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})
    _say(str(Path("/proc/self").readlink()))  # of the /proc from outside
    _run("mount", "-t", "proc", "proc", "/proc")
    for directory in _OWN:
        _run("mount", "-t", "tmpfs", "-o", f"mode=755,size={_SIZE}", "tmpfs", directory)
    for name, value in _SYSCTLS.items():
        pretended = Path("/run/sysctl", name)
        pretended.parent.mkdir(parents=True, exist_ok=True)
        pretended.write_text(f"{value}\n", encoding="ascii")
        _run("mount", "--bind", str(pretended), f"/proc/sys/{name}")
    _run("ip", "link", "set", "lo", "up")
    _say("ready")
    while True:
        _reap()
        signal.sigwait({signal.SIGCHLD})


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def _run(*command: str) -> None:
    subprocess.run(command, check=True)


def _reap() -> None:
    try:
        while os.waitpid(-1, os.WNOHANG) != (0, 0):
            pass
    except ChildProcessError:
        pass


if __name__ == "__main__":
    main()
