"""Why pods are not created: in the events that the advice on a rollout names, because Pulumi's provider does not see them."""

from typing import Any

import pytest

from tests.cluster import agents
from tests.cluster.client import Client, wait
from tests.cluster.conftest import NewNamespace


@pytest.mark.parametrize(
    ("words", "event", "message"),
    [
        ({"nodes": {"selector": {"pool": "nowhere"}}}, "FailedScheduling", "didn't match Pod's node affinity/selector"),
        ({"values": {"serviceAccount": {"create": False, "name": "nobody"}}}, "FailedCreate", 'serviceaccount "nobody" not found'),
        ({"values": {"agent": {"resources": {"requests": {"cpu": "4"}, "limits": {"cpu": "4"}}}}}, "FailedCreate", "exceeded quota: few"),
        ({"values": {"agent": {"podSecurityContext": {"runAsUser": 0, "runAsNonRoot": False}}}}, "FailedCreate", "violates PodSecurity"),
    ],
    ids=["no node", "no account", "quota", "admission"],
)
def test_the_suggested_events_contain_the_refusal(
    words: dict[str, Any], event: str, message: str, cluster: Client, new_namespace: NewNamespace
) -> None:
    namespace = new_namespace("restricted")
    quota = {"hard": {"requests.cpu": "3"}}
    cluster.create({"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "few", "namespace": namespace}, "spec": quota})
    agent = {"kind": "agent-job", "namespace": namespace, **words}
    agents.apply(cluster, agents.load({"common": {"url": agents.URL}, "agents": {"runs": agent}}).objects())

    def told() -> bool:
        events = [each for each in cluster.list("Event", namespace) if (each["type"], each["reason"]) == ("Warning", event)]
        return any(message in each["message"] for each in events)

    wait(told, f"the event {event}: {message}")
