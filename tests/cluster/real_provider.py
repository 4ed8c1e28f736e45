"""The real Kubernetes provider of Pulumi, and stacks that it brings to a cluster of the tests."""

import os
import shutil
from importlib.metadata import version
from pathlib import Path

import pytest
from pulumi import automation

from tests.engine.stacks import Deployment

_PLUGIN = "pulumi-resource-kubernetes"


def find() -> Path:
    """The directory that it is in. A test is skipped where it is not installed, except on GitHub, where it can be downloaded."""
    installed = Path.home() / ".pulumi" / "plugins" / f"resource-kubernetes-v{version('pulumi-kubernetes')}"
    found = shutil.which(_PLUGIN, path=f"{os.environ['PATH']}{os.pathsep}{installed}")
    if found is None:
        missing = pytest.fail if os.environ.get("GITHUB_ACTIONS") else pytest.skip
        missing(f"no Kubernetes provider: `pulumi plugin install resource kubernetes {version('pulumi-kubernetes')}`")
    return Path(found).parent


def stack(name: str, directory: Path, command: automation.PulumiCommand, kubeconfig: Path) -> Deployment:
    """A sample stack, which will be deployed to a cluster of the tests."""
    made = Deployment.new(name, directory / name, command)
    made.environment = {"PATH": f"{find()}{os.pathsep}{os.environ['PATH']}", "KUBECONFIG": str(kubeconfig)}
    made.edit({"kubernetes.context": "tests", "kubernetes.rolloutTimeoutSeconds": 60})
    return made
