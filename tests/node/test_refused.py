"""Errors of `pulumi up` for agents that cannot start, with the real engine, the real Kubernetes provider, and failing containers."""

from typing import Any

import pytest
from scalr_agents.model.maps import merge

from tests.cluster import real_provider
from tests.engine.stacks import Outcome, pulumi_command
from tests.helpers.provider_errors import ADVICE
from tests.node.node import NodeCluster
from tests.node.world import SCALR, World

NAMESPACE = "refused"
_NO_REQUESTS = {"agent": {"minReadySeconds": 15, "resources": {"requests": {"cpu": "10m", "memory": "16Mi"}}}}
WRONG: dict[str, dict[str, Any]] = {
    "token": {},
    "image": {"agent": {"image": {"tag": "0.57.99"}}},
    "secret": {"agent": {"tokenExistingSecret": {"name": "scalr-token"}}},
    "account": {"serviceAccount": {"create": False, "name": "nobody"}},
}
"""What is wrong with each of the agents, which all have a token that Scalr does not know."""


@pytest.fixture(scope="module")
def refused(node: NodeCluster, world: World, tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    """All of them in one stack, so that they are waited for at the same time."""
    with pulumi_command() as command:
        stack = real_provider.stack("local", tmp_path_factory.mktemp("refused"), command, node.kubeconfig)
        agents = {
            name: {"kind": "agent-job", "namespace": NAMESPACE, "values": merge(_NO_REQUESTS, values)} for name, values in WRONG.items()
        }
        stack.edit(
            {
                "kubernetes.rolloutTimeoutSeconds": 20,
                "namespaces": {NAMESPACE: {"create": True}},
                "common": {"url": f"https://{SCALR}"},
                "agents": agents,
            }
        )
        stack.set_secrets({f"{name}.token": "a-token-that-nobody-knows" for name in WRONG if name != "secret"})
        return stack.up()


@pytest.mark.parametrize(
    ("name", "expected"),
    [("token", "exit"), ("image", "image"), ("secret", "secret"), ("account", "no pod")],
)
def test_up_fails_and_prints_the_reason(name: str, expected: str, refused: Outcome) -> None:
    assert refused.failed
    sentence, _ = ADVICE[expected]
    assert f"The controllers of {name!r} did not become ready. {sentence}" in refused.output


def test_a_wrong_token_is_reported_and_not_printed(refused: Outcome) -> None:
    assert "the token of the agent pool is valid" in refused.output
    assert "a-token-that-nobody-knows" not in refused.everything
