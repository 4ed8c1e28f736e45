"""Mistakes of programs in arguments: wrong types or places, and their messages."""

from collections.abc import Callable
from typing import Any, cast

import pulumi
import pytest
import scalr_agents
from scalr_agents.model.parse import UNKNOWN

from tests.helpers.programs import ARGS, agent_job
from tests.helpers.recording import run

CLAIM = "given a resource (StorageClassClaim); pass one of its outputs, for instance claim_name"
OUTPUT = object()
"""As opaque as an output. A real one would belong to the event loop of the test run."""
OPTIONS = "args: expected a dict, given ResourceOptions; pass options as the third argument, or as opts=..."


def error_of(program: Callable[[], object]) -> str:
    """The text with which a program ends. It is caught in the program, which registers resources that the mocks wait for otherwise."""
    caught = []

    def catching() -> None:
        try:
            program()
        except pulumi.RunError as error:  # printed without a traceback
            caught.append(str(error))

    assert run(catching).error is None
    (text,) = caught
    return text


def make(args: dict[str, Any]) -> None:
    agent_job(**args)()


def claim() -> pulumi.Resource:
    args: Any = {"namespace": "scalr", "release": "runs", "storage_class_name": "nfs"}
    return scalr_agents.StorageClassClaim("cache", args)


class Secret(pulumi.CustomResource):
    """A resource whose class is not ours."""

    def __init__(self) -> None:
        super().__init__("kubernetes:core/v1:Secret", "token", {})


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (
            lambda: {"claim_name": claim()},
            f"claim_name: {CLAIM}",
        ),
        (lambda: {"token": Secret()}, "token: given a resource (Secret); pass one of its outputs"),
        (lambda: {"secret_env": {"A": Secret()}}, "secret_env.A: given a resource (Secret); pass one of its outputs"),
        (lambda: {"namespace": Secret()}, "namespace: given a resource (Secret); pass one of its outputs"),
        (
            lambda: {"values": {"persistence": {"cache": {"persistentVolumeClaim": {"claimName": claim()}}}}},
            f"values.persistence.cache.persistentVolumeClaim.claimName: {CLAIM}",
        ),
        (
            lambda: {"values": {"agent": {"tolerations": [{"key": Secret()}]}}},
            "values.agent.tolerations[0].key: given a resource (Secret); pass one of its outputs",
        ),
    ],
)
def test_a_resource_instead_of_its_output_is_an_error(args: Callable[[], dict[str, Any]], message: str) -> None:
    lines = error_of(lambda: make(args())).splitlines()
    assert lines == ["AgentJob 'runs' cannot be deployed:", f"  error: {message}"]


def test_a_resource_instead_of_an_output_in_a_cache_is_an_error() -> None:
    def program() -> None:
        args: Any = {"eks_cluster": "prod"}
        found: Any = {"file_system_id": scalr_agents.EfsCache("cache", args), "namespace": "scalr", "release": "runs"}
        scalr_agents.EfsClaim("claim", found)

    message = "file_system_id: given a resource (EfsCache); pass one of its outputs, for instance file_system_id"
    assert error_of(program) == f"EfsClaim 'claim' cannot be deployed:\n  error: {message}"


def of_agent(*args: Any) -> Callable[[], object]:
    return lambda: cast(Any, scalr_agents.AgentJob)(*args)


@pytest.mark.parametrize(
    ("program", "message"),
    [
        (of_agent("p", None), "AgentJob 'p' cannot be deployed:\n  error: args: expected a dict, given None"),
        (
            of_agent("p", pulumi.ResourceOptions(), ARGS),
            f"AgentJob 'p' cannot be deployed:\n  error: {OPTIONS}",
        ),
        (
            lambda: scalr_agents.AgentCrds("c", cast(Any, pulumi.ResourceOptions())),
            f"AgentCrds 'c' cannot be deployed:\n  error: {OPTIONS}",
        ),
        (of_agent(5, ARGS), "AgentJob cannot be deployed:\n  error: name: expected a string, given a number"),
        (lambda: scalr_agents.load_values(cast(Any, None)), "load_values: expected a path, given null"),
    ],
)
def test_misplaced_arguments_are_errors(program: Callable[[], object], message: str) -> None:
    assert error_of(program) == message


def test_an_invalid_release_names_the_component() -> None:
    invalid = "'Runs' is not a valid release name: use at most 53 lower case letters, digits, '-' and '.'"
    assert f"error: release: {invalid} (the component's name, because release is not set)" in error_of(agent_job("Runs"))
    assert error_of(agent_job(release="Runs")).endswith(f"error: release: {invalid}")


@pytest.mark.parametrize("function", ["names", "render"])
def test_value_functions_fail_without_a_traceback(function: str) -> None:
    called: Any = getattr(scalr_agents, function)
    text = error_of(lambda: called("agent-job", values={"agent": {"imge": {}}}, release="runs", namespace="scalr"))
    assert text.startswith(f"{function}: invalid values:\n")
    assert "  error: agent.imge: unknown key 'imge'; did you mean 'image'?" in text
    with pytest.raises(scalr_agents.ValuesError):
        called("agent-job", release="Runs", namespace="scalr", values={})


@pytest.mark.parametrize(
    ("function", "args", "message"),
    [
        ("names", {"namespace": OUTPUT}, f"namespace: {UNKNOWN}"),
        ("names", {"release": None}, "release: expected a string, given null"),
        ("names", {"naming": "charts"}, "naming: given 'charts'; allowed: 'scoped' or 'chart'"),
        ("names", {"agent_version": 1.4}, "agent_version: expected a string, given a number"),
        ("render", {"values": OUTPUT}, f"values: {UNKNOWN}"),
        ("render", {"values": None}, "values: expected a map, given null"),  # an empty file of a library for YAML
    ],
)
def test_value_functions_check_argument_types(function: str, args: dict[str, Any], message: str) -> None:
    def program() -> None:
        given = {"values": {}, "release": "runs", "namespace": "scalr", **args}
        called: Any = getattr(scalr_agents, function)
        called("agent-job", **{word: pulumi.Output.from_input("x") if value is OUTPUT else value for word, value in given.items()})

    assert error_of(program) == f"{function}: invalid values:\n  error: {message}"
