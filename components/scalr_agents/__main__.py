"""`scalr-agents` and `python -m scalr_agents`: the command line."""

import atexit
import errno
import gc
import os
import sys

_NOT_WRITTEN = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


def run() -> None:
    """Run the command line as the short-lived process that it is.

    Garbage collection, the one at the end of the process too, and the search for pydantic plugins would take a tenth of its time, for no
    benefit.
    """
    gc.disable()
    atexit.register(gc.freeze)
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    from scalr_agents.cli import main

    try:
        main(prog_name="scalr-agents")
    except OSError as problem:
        if not (reason := _of_process(problem)):
            raise
        sys.exit(f"scalr-agents: {reason}")


def _of_process(problem: OSError) -> str:
    """What the system refuses to the process itself, in a sentence. Empty for files, which are explained where they are used."""
    if isinstance(problem, FileNotFoundError) and problem.filename is None:
        return "the current directory no longer exists; change to another one"
    if problem.errno not in _NOT_WRITTEN or problem.filename is not None:
        return ""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # the interpreter would try to write the rest when it ends, and fail again
    return f"cannot write the output: {problem.strerror}"


if __name__ == "__main__":
    run()
