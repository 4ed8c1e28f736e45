"""The policy pack as the engine runs it, and programs that break what it promises.

The pack runs in its own environment, which `make test-cluster` makes as `pulumi install` does. Where Pulumi's language host for Python is
not on PATH, a script stands for it: `RunPlugin` of the host (`sdk/python/cmd/pulumi-language-python/main.go` of pulumi/pulumi) starts the
pack with the same command, in the pack's folder.
"""

import json
import os
import shutil
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pulumi
import pytest
from scalr_agents.model.merge import merge
from scalr_agents.resources.deploy import deploy

from tests.engine.stacks import REPOSITORY, Deployment, Outcome

PACK = REPOSITORY / "policy"
_PYTHON = PACK / "venv" / "bin" / "python"
_PLUGIN = "pulumi-analyzer-policy-python"


def installed(directory: Path) -> dict[str, str]:
    """The variables with which the engine can start the pack."""
    if not _PYTHON.exists():
        missing = "policy/venv is missing: `make test-cluster` makes it"
        pytest.fail(missing) if os.environ.get("CI") == "true" else pytest.skip(missing)
    if shutil.which("pulumi-language-python"):
        return {}
    directory.mkdir(exist_ok=True)
    script = directory / _PLUGIN
    script.write_text(f'#!/bin/sh\nexec {_PYTHON} -u -m pulumi.policy "$1" "$2"\n', encoding="utf-8")
    script.chmod(0o755)
    return {"PATH": f"{directory}{os.pathsep}{os.environ['PATH']}"}


def judged(stack: Deployment, operation: str, config: Mapping[str, Any] | None = None) -> Outcome:
    """What an operation does with `--policy-pack policy`, and with `--policy-pack-config` if there is any."""
    stack.variables = {**stack.variables, **installed(stack.directory / "plugins")}
    options: dict[str, list[str]] = {"policy_packs": [str(PACK)]}
    if config is not None:
        (stack.directory / "policies.json").write_text(json.dumps(config), encoding="utf-8")
        options["policy_pack_configs"] = [str(stack.directory / "policies.json")]
    return stack.run(operation, **options)


def with_changes(stack: Deployment, changes: Mapping[str, Mapping[str, Any]]) -> None:
    """Let a transformation of the program set inputs of all resources of some types."""
    stack.program = partial(_deploy, stack.project, changes)


def _deploy(project: Path, changes: Mapping[str, Mapping[str, Any]]) -> None:
    def change(given: pulumi.ResourceTransformationArgs) -> pulumi.ResourceTransformationResult | None:
        fields = changes.get(given.type_)
        return pulumi.ResourceTransformationResult(merge(dict(given.props), fields), given.opts) if fields else None

    pulumi.runtime.register_stack_transformation(change)
    deploy(project)
