"""Becomes another program that ends with its parent, however the parent ends: `launcher.py PARENT PROGRAM ARGUMENT...`.

A script, not a module of the tests: it starts in a few milliseconds, in an interpreter that has imported nothing of them.
"""

import ctypes
import os
import signal
import sys

_PR_SET_PDEATHSIG = 1


def main(parent: str, *command: str) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != int(parent):  # it ended before the kernel knew
            return
    os.execvp(command[0], command)


if __name__ == "__main__":
    main(*sys.argv[1:])
