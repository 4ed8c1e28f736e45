"""The deployable program: deploys the agents of the selected stack's configuration."""

import signal
from pathlib import Path

from scalr_agents.resources.deploy import deploy

# When a resource fails, Pulumi interrupts the program, which waits for it. Python would print a traceback among the errors.
signal.signal(signal.SIGINT, signal.SIG_DFL)
deploy(Path(__file__).parent)
