"""Secrets that are known only during deployment, and then turn out to be nothing."""

import re
from typing import Any

import pulumi
import pytest

from tests.components import record
from tests.programs import ARGS, TOKEN

every_kind = pytest.mark.parametrize("component", ["AgentJob", "AgentLocal", "AgentK8s"])


@every_kind
@pytest.mark.parametrize("nothing", ["", None])
def test_no_pod_is_made_with_a_token_that_turns_out_to_be_empty(component: str, nothing: str | None) -> None:
    with pytest.raises(pulumi.RunError, match=re.escape("agent 'it' cannot be deployed: empty, and taken from an output: token")):
        record(component, lambda: {**ARGS, "token": pulumi.Output.secret(nothing)})


@every_kind
def test_a_variable_may_be_empty_but_not_nothing(component: str) -> None:
    def args() -> dict[str, Any]:
        return {**ARGS, "token": TOKEN, "secret_env": {"EMPTY": pulumi.Output.secret(""), "NOTHING": pulumi.Output.secret(None)}}

    with pytest.raises(pulumi.RunError, match=re.escape("taken from an output: variable NOTHING")):
        record(component, args)
