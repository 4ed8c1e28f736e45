"""Tests what the program registers, without a cluster, plugins or the Pulumi CLI.

pip install pytest
pytest
"""

import asyncio
import runpy
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from pulumi import runtime
from scalr_agents import ArgsError

PROGRAM = Path(__file__).with_name("__main__.py")
PROJECT = "scalr-agents-importing"
CONFIG = {"context": "kind-kind", "url": "https://acme.scalr.io", "token": "of-no-pool"}
FOUR_HOURS = 14400


class Recorder(runtime.Mocks):
    """Records what is registered, by name. The inputs of a resource are its outputs too."""

    def __init__(self) -> None:
        self.inputs: dict[str, Mapping[str, Any]] = {}

    def new_resource(self, args: runtime.MockResourceArgs) -> tuple[str, dict[str, Any]]:
        self.inputs[args.name] = args.inputs
        return f"{args.name}-id", args.inputs

    def call(self, _: runtime.MockCallArgs) -> dict[str, Any]:
        return {}


def deployed(**settings: str) -> Recorder:
    """Run the program with the configuration above and these changes, and wait until everything is registered."""
    recorder = Recorder()
    asyncio.set_event_loop(asyncio.new_event_loop())  # which set_mocks needs; since Python 3.14 there is none by itself
    runtime.set_mocks(recorder, project=PROJECT, stack="dev")
    runtime.set_all_config({f"{PROJECT}:{key}": value for key, value in {**CONFIG, **settings}.items()})

    @runtime.test
    def program() -> None:
        runpy.run_path(str(PROGRAM))

    program()
    return recorder


def test_the_agent_is_deployed_as_meant() -> None:
    inputs = deployed().inputs
    deployment, template = inputs["payments-controller-deployment"], inputs["payments-controller-task-template"]
    assert deployment["metadata"]["namespace"] == "scalr-payments"
    assert {"name": "SCALR_URL", "value": CONFIG["url"]} in deployment["spec"]["template"]["spec"]["containers"][0]["env"]
    assert template["spec"]["jobTemplate"]["spec"]["activeDeadlineSeconds"] == FOUR_HOURS


def test_the_token_is_in_a_secret_and_nowhere_else() -> None:
    holders = [name for name, inputs in deployed().inputs.items() if CONFIG["token"] in str(inputs)]
    assert holders == ["payments-controller-token-secret"]


def test_a_mistake_is_found_before_the_agent_is_registered() -> None:
    with pytest.raises(ArgsError, match="url: not a URL with scheme and host"):
        deployed(url="acme")
