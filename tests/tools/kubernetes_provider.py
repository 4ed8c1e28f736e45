"""Installs Pulumi's Kubernetes provider, for the tests that run it: `make kubernetes-plugin`. It cannot be built from a Go module."""

import subprocess
import sys
from importlib.metadata import version

from tests import tools


def main() -> None:
    """Try to install the pinned version. Without access to Pulumi's hosts, say what is skipped."""
    command = [str(tools.binary("pulumi")), "plugin", "install", "resource", "kubernetes", version("pulumi-kubernetes")]
    if subprocess.run(command, capture_output=True, check=False).returncode:
        print("the Kubernetes provider cannot be downloaded: tests/cluster/test_provider*.py are skipped", file=sys.stderr)


if __name__ == "__main__":
    main()
