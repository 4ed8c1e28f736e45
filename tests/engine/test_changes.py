"""The effect of changes of the stack file on a running stack."""

import re
from typing import Any

from tests.engine.stacks import Branch, Deployed, up

DEPLOYMENT, TEMPLATE, BUDGET = "runs-controller-deployment", "runs-controller-task-template", "runs-controller-budget"
DIGEST = 'spec.template.metadata.annotations["checksum/secrets"]'


def test_a_change_updates_only_affected_objects(local: Deployed, branch: Branch) -> None:
    stack = branch(local)
    changes: list[tuple[dict[str, Any], dict[str, str], dict[str, set[str]]]] = [
        (
            {"agents.runs.values.agent.replicaCount": 2, "agents.runs.values.task.job.ttlSecondsAfterFinished": 600},
            {BUDGET: "create", DEPLOYMENT: "update", TEMPLATE: "update"},
            {DEPLOYMENT: {"spec.replicas"}, TEMPLATE: {"spec.jobTemplate.spec.ttlSecondsAfterFinished"}},
        ),
        (
            {"kubernetes.context": "renamed", "kubernetes.upsertExisting": True, "kubernetes.qps": 50},
            {"cluster": "update", "cluster-shared": "update"},
            {
                "cluster": {"context", "kubeClientSettings", "upsertExistingObjects", "enablePatchForce"},
                "cluster-shared": {"context", "kubeClientSettings"},
            },
        ),
        ({"kubernetes.awaitRollout": False}, {DEPLOYMENT: "update"}, {DEPLOYMENT: {"metadata.annotations"}}),
        ({"kubernetes.rolloutTimeoutSeconds": 60}, {}, {}),
    ]
    for words, steps, differences in changes:
        stack.edit(words)
        changed = up(stack)
        assert changed.steps == {name: (step,) for name, step in steps.items()}
        assert changed.differences == differences
        called = {call.name for call in changed.calls if call.operation in {"create", "update", "delete"}}
        assert called == steps.keys() - {"cluster", "cluster-shared"}


def test_another_cluster_gets_new_objects(local: Deployed, branch: Branch) -> None:
    stack = branch(local)
    stack.edit({"kubernetes.clusterIdentifier": "other"})
    planned = stack.preview()
    assert planned.all("replace") == local.first.steps.keys() - {
        "agent-crds",
        "runs",
        "runs-controller",
        "runs-network-policy",
        "runs-rbac",
        "scalr-agents-local",
    }


def test_a_new_token_updates_its_secret_and_rolls_the_controllers(local: Deployed, branch: Branch) -> None:
    stack = branch(local)
    stack.set_secrets({"runs.token": "new-token-of-runs"})
    rotated = stack.up()
    assert rotated.steps == {"runs-controller-token-secret": ("update",), DEPLOYMENT: ("update",)}
    assert rotated.differences == {"runs-controller-token-secret": {"stringData.token"}, DEPLOYMENT: {DIGEST}}
    assert rotated.called("update") == ["runs-controller-token-secret", DEPLOYMENT]
    assert stack.cluster.objects["Secret/scalr-agents/runs-agent-job"]["stringData"] == {"token": "new-token-of-runs"}
    assert stack.preview().steps == {}


def test_a_token_moves_to_a_store(local: Deployed, branch: Branch) -> None:
    stack = branch(local)
    store = {"name": "vault", "kind": "ClusterSecretStore"}
    stack.edit({"agents.runs.secretsFrom": {"store": store, "token": {"key": "scalr/runs"}}, "secrets": None})
    assert up(stack).steps == {
        "runs-controller-token-external-secret": ("create",),
        DEPLOYMENT: ("update",),
        "runs-controller-token-secret": ("delete",),
    }
    assert stack.preview().steps == {}


def test_a_closed_network_finds_the_api_server(local: Deployed, branch: Branch) -> None:
    stack = branch(local)
    addresses, ports = ["10.96.0.1"], [{"port": 443}]
    behind: dict[str, Any] = {
        "endpoints": [{"addresses": [f"192.0.2.{number}"]} for number in (10, 11)],
        "ports": [{"name": "https", "port": 6443}],
    }
    for kind, content in {"Service": {"spec": {"clusterIPs": addresses, "ports": ports}}, "EndpointSlice": behind}.items():
        stack.cluster.objects[f"{kind}/default/kubernetes"] = {
            "kind": kind,
            "metadata": {"name": "kubernetes", "namespace": "default"},
            **content,
        }
    stack.edit({"common.network": {"ingress": "deny", "egress": {"only": [{"cidr": "0.0.0.0/0"}]}}})
    up(stack)
    for name in ("runs-agent-job-network-policy", "runs-agent-job-controller-network-policy"):
        rule = stack.cluster.objects[f"NetworkPolicy/scalr-agents/{name}"]["spec"]["egress"][2]
        assert [peer["ipBlock"]["cidr"] for peer in rule["to"]] == ["10.96.0.1/32", "192.0.2.10/32", "192.0.2.11/32"]
        assert [port["port"] for port in rule["ports"]] == [443, 6443]
    assert stack.preview().steps == {}


def test_null_of_a_stack_file_leaves_the_number_of_placeholders_to_an_autoscaler(local: Deployed, branch: Branch) -> None:
    stack = branch(local)
    stack.edit({"agents.runs.values.task.buffer": {"replicas": None}})
    added = stack.up()
    assert added.steps == {"runs-controller-buffer": ("create",), "runs-controller-buffer-priority": ("create",)}
    assert "replicas" not in stack.cluster.objects["Deployment/scalr-agents/runs-agent-job-buffer"]["spec"]
    assert stack.preview().steps == {}


def test_a_removed_agent_deletes_only_its_objects(aws_prod: Deployed, branch: Branch) -> None:
    stack = branch(aws_prod)
    stack.edit({"agents.payments": None, "secrets.payments": None})
    left = stack.up()
    assert not left.failed, left.output
    cache = {"payments-cache", "payments-cache-access-point", "payments-cache-claim", "payments-cache-volume"}
    own = {name for name in aws_prod.first.steps if name.startswith("payments") and not name.startswith("payments-efs")}
    assert left.steps == dict.fromkeys(own, ("delete",))
    assert (len(own), len(own - cache), left.unchanged) == (22, 18, 57)
    assert left.called("create") == left.called("update") == []
    kept = stack.resources()
    assert {"payments-efs-file-system", "namespace-scalr-payments"} < kept.keys()


def test_a_quota_goes_with_its_word(local: Deployed, branch: Branch) -> None:
    stack = branch(local)
    place, namespace = "namespaces.scalr-agents.quota", "namespace-scalr-agents"
    changes: list[tuple[Any, dict[str, str]]] = [
        ({"pods": 9, "memory": "8Gi"}, {"limits": "create", "quota": "create"}),
        ({"pods": 9}, {"limits": "delete", "quota": "update"}),
        (None, {"quota": "delete"}),
    ]
    for quota, steps in changes:
        stack.edit({place: quota})
        changed = stack.up()
        assert not changed.failed, changed.output
        assert changed.steps == {f"{namespace}-{role}": (step,) for role, step in steps.items()}
    assert stack.cluster.objects.keys() == local.stack.cluster.objects.keys()


def test_a_recreated_stack_reuses_kept_objects(local: Deployed, branch: Branch) -> None:
    stack = branch(local)
    gone = stack.destroy()
    assert (gone.failed, stack.resources()) == (False, {})
    back = stack.up()
    assert not back.failed, back.output
    assert back.steps == local.first.steps


def test_upsert_takes_over_existing_objects(local: Deployed, fresh: Any) -> None:
    """Without `upsertExisting`, existing objects are not taken over."""
    stack = fresh("local")
    stack.set_secrets({"runs.token": "token-of-runs"})
    stack.cluster.objects.update(local.stack.cluster.objects)
    refused = stack.up()
    assert refused.failed
    first = {"ClusterRole", "ClusterRoleBinding", "NetworkPolicy", "Role", "RoleBinding", "ServiceAccount"}
    found = set(re.findall(r"(\w+)/\S* already exists", refused.output))
    assert found  # the first refusal ends the others, if they have not begun
    assert found <= first
    assert "did not become ready" not in refused.output
    stack.edit({"kubernetes.upsertExisting": True})
    taken = stack.up()
    assert not taken.failed, taken.output
    assert taken.called("delete") == []
    assert stack.cluster.objects.keys() == local.stack.cluster.objects.keys()
    assert stack.preview().steps == {}
