"""`scalr-agents` and `python -m scalr_agents`: the command line."""

import gc
import os


def run() -> None:
    """Run the command line as the short-lived process that it is.

    Garbage collection and the search for pydantic plugins would take a tenth of its time, for no benefit.
    """
    gc.disable()
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    from scalr_agents.cli import main

    main(prog_name="scalr-agents")


if __name__ == "__main__":
    run()
