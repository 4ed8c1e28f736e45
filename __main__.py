"""The deployable program: deploys the agents of the selected stack's configuration."""

import signal
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "components"))  # requirements.txt cannot list the package, which has no hash

from scalr_agents.resources.deploy import deploy

# When a resource fails, Pulumi interrupts the program, which waits for it. Python would print a traceback among the errors.
signal.signal(signal.SIGINT, signal.SIG_DFL)
deploy(Path(__file__).parent)
