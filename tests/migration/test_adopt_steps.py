"""The steps besides `pulumi up`: the commands, their reasons, and the effect of the longest one."""

import json
from typing import Any

import jq
import pytest
from scalr_agents.migration import adopt
from scalr_agents.model.maps import Values, merge

from tests.cluster.kubectl import FORGETS, forgotten
from tests.helpers.releases import loaded, of_values
from tests.migration.instructions import FORGET, RESTART_POLICY

BUDGET = (
    "kubectl patch poddisruptionbudget runs-scalr-agent-task -n scalr --type=merge "
    """-p '{"spec":{"maxUnavailable":null,"minAvailable":7}}'"""
)


@pytest.mark.parametrize(
    ("chart", "version", "given_values", "before", "after"),
    [
        (
            "agent-job",
            None,
            {},
            [],
            [RESTART_POLICY],
        ),
        (
            "agent-job",
            "1.4.0",
            {"task": {"podDisruptionBudget": {"minAvailable": 7}}},
            [BUDGET],
            [],
        ),
        ("agent-job", "1.4.0", {"task": {"podDisruptionBudget": {"enabled": False}}}, [], []),
        ("agent-local", None, {}, [], ["kubectl delete networkpolicy runs-agent-local-task-network-policy -n scalr --ignore-not-found"]),
        ("agent-local", None, {"allowMetadataService": False}, [], []),
        ("agent-local", "1.4.0", {}, [], []),
        (
            "agent-k8s",
            "1.4.0",
            {"extraEnv": {"A_TOKEN": "x"}},
            ["kubectl delete deployment/runs-agent-k8s-controller daemonset/runs-agent-k8s-worker -n scalr"],
            [],
        ),
    ],
)
def test_steps_of_each_change(chart: str, version: str | None, given_values: Values, before: list[str], after: list[str]) -> None:
    adopted = of_values(given_values, chart, version)
    assert [step.command for step in adopted.before] == before
    assert [step.command for step in adopted.after] == [
        *after,
        forget(adopted),
        "kubectl delete secret -n scalr -l owner=helm,name=runs",
        "pulumi config set --path 'scalr-agents:kubernetes.upsertExisting' false",
    ]


def test_placeholders_have_no_secret_to_move() -> None:
    """The buffer is a Deployment of several containers without variables."""
    buffer = {"task": {"buffer": {"replicas": 2}}}
    secret = {"agent": {"extraEnv": {"A_TOKEN": "x"}}}
    without, adopted = (of_values(given, version="1.4.0") for given in (secret, merge(secret, buffer)))
    assert [step.command for step in adopted.before] == [step.command for step in without.before]
    assert "kubectl patch deployment runs-" in adopted.before[0].command


@pytest.mark.parametrize(("version", "removed"), [("0.58.0", True), ("1.2.1", True), ("1.3.0", False), ("1.4.0", False)])
def test_the_restart_policy_of_jobs_is_removed_where_the_chart_sets_it(version: str, removed: bool) -> None:
    commands = [step.command for step in of_values({}, version=version).after]
    assert any('{"spec":{"jobTemplate":{"spec":{"restartPolicy":null}}}}' in command for command in commands) is removed


@pytest.mark.parametrize(
    ("volumes", "patched"),
    [
        ([{"name": "data-dir", "emptyDir": {}}], []),
        ([{"name": "data-dir", "emptyDir": None, "hostPath": None}, {"name": "other", "configMap": {}}, "none"], []),
        (
            [{"name": "data-dir", "persistentVolumeClaim": {"claimName": "c"}, "emptyDir": None}],
            [{"persistentVolumeClaim": None, "name": "data-dir", "emptyDir": {"sizeLimit": "4Gi"}}],
        ),
        ({"name": "data-dir"}, []),
    ],
)
def test_changed_volume_kinds_are_patched_first(volumes: Any, patched: list[Values]) -> None:
    deployment = {"kind": "Deployment", "metadata": {"name": "runs-agent-local"}, "spec": {"template": {"spec": {"volumes": volumes}}}}
    other = {
        "kind": "Deployment",
        "metadata": {"name": "other"},
        "spec": {"template": {"spec": {"volumes": [{"name": "data-dir", "nfs": {}}]}}},
    }
    given_values = {"agent": {"url": "https://acme.scalr.io", "token": "x"}}
    adopted = adopt.take_over(
        given_values, chart="agent-local", release="runs", namespace="scalr", agent_version="0.60.0", manifest=[other, deployment]
    )
    patch = json.dumps({"spec": {"template": {"spec": {"volumes": patched}}}}, separators=(",", ":"))
    command = f"kubectl patch deployment runs-agent-local -n scalr --type=strategic -p '{patch}'"
    assert [step.command for step in adopted.before] == ([command] if patched else [])


def forget(adopted: adopt.Adoption) -> str:
    """The command that takes Helm's share from each object."""
    (agent,) = loaded(adopted).agents
    kinds = {"AgentTask": "atasks.scalr.io", "AgentTaskTemplate": "agenttasktemplates.scalr.io"}
    names = [f"{kinds.get(item['kind'], item['kind'].lower())}/{item['metadata']['name']}" for item in agent.objects]
    _, options, pipe = FORGET.partition(" -n scalr ")
    return f"kubectl get {' '.join(names)}{options}{pipe}"


ENTRIES = [
    {"manager": "helm"},
    {"manager": "helm-controller"},
    {"manager": "terraform-provider-helm_v2.17.0_x5"},
    {"manager": "pulumi-resource-kubernetes"},
    {"manager": "kubectl-patch"},
    {},
    {"manager": "pulumi-kubernetes-1a2b3c4d"},
    {"manager": "kube-controller-manager"},
    {"manager": "keda", "subresource": "scale"},
]
MARKED: dict[str, Any] = {
    "labels": {"helm.sh/chart": "agent-job-0.5.65", "a": "b"},
    "annotations": {"meta.helm.sh/release-name": "runs", "meta.helm.sh/release-namespace": "scalr", "c": "d"},
}


def test_other_field_managers_are_removed() -> None:
    item = {"kind": "Role", "metadata": {**MARKED, "managedFields": ENTRIES}}
    assert forgotten(item) == {"kind": "Role", "metadata": {"labels": {"a": "b"}, "annotations": {"c": "d"}, "managedFields": ENTRIES[-3:]}}


@pytest.mark.parametrize("metadata", [{"managedFields": ENTRIES}, {**MARKED, "managedFields": ENTRIES}, MARKED, {"name": "bare"}])
def test_the_jq_filter_works(metadata: dict[str, Any]) -> None:
    one = {"kind": "Role", "metadata": metadata}
    for given, expected in ((one, forgotten(one)), ({"items": [one, one]}, {"items": [forgotten(one)] * 2})):
        assert jq.compile(FORGETS).input_value(given).first() == expected


RECREATE = {"strategy": {"type": "Recreate"}}


def rolling(**update: Any) -> Values:
    return {"strategy": {"type": "RollingUpdate", "rollingUpdate": update}}


@pytest.mark.parametrize(
    ("chart", "given_values", "words"),
    [
        ("agent-local", {}, "old pods keep running"),
        ("agent-local", {"replicaCount": 3}, "1 of 3 old pods stop, so run it at once"),
        ("agent-local", {"replicaCount": 4}, "2 of 4 old pods stop, so run it at once"),
        ("agent-local", {"replicaCount": 4, **rolling(maxUnavailable=0)}, "old pods keep running"),
        (
            "agent-local",
            {"replicaCount": 4, **rolling(maxUnavailable="20%", maxSurge="0%")},
            "1 of 4 old pods stop, so run it at once",
        ),
        ("agent-local", {"replicaCount": 2, **rolling(maxUnavailable=5)}, "2 of 2 old pods stop, so run it at once"),
        ("agent-local", {"replicaCount": 4, **RECREATE}, "all old pods stop (Recreate), so run it at once"),
        ("agent-job", {"agent": {"replicaCount": 9}}, "2 of 9 old pods stop, so run it at once"),
        ("agent-job", {"agent": {"replicaCount": None}}, "up to 25% of the old pods stop, so run it at once"),
        ("agent-local", {"replicaCount": None, **rolling(maxUnavailable=3)}, "up to 3 of the old pods stop, so run it at once"),
        ("agent-local", {"replicaCount": None, **rolling(maxUnavailable=0)}, "old pods keep running"),
        ("agent-local", {"replicaCount": None, **rolling(maxUnavailable="0%")}, "old pods keep running"),
    ],
)
def test_steps_name_the_effect_on_old_pods(chart: str, given_values: Values, words: str) -> None:
    variables: Values = {"extraEnv": {"A_TOKEN": "x"}}
    [step] = of_values(merge(given_values, {"agent": variables} if chart == "agent-job" else variables), chart).before
    assert step.why.removeprefix("plain text becomes a reference to a Secret: new pods wait until pulumi up creates it; ") == words
