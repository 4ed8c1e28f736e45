"""The order of deletions, and the resources that stay."""

from collections.abc import Callable

from tests.engine.order import LONGEST_RUN, MARGIN, assert_order
from tests.engine.stacks import Branch, Deployed, Deployment

NODES = {"payments": "sg-0bbbbbbbbbbbbbbb1", "platform": "sg-0bbbbbbbbbbbbbbb2"}
"""The security group of a team's nodes, in the sample stack."""
FILE_SYSTEM = ["file-system", "policy", "backup-policy"]


def test_pods_are_deleted_before_their_dependencies(local: Deployed, branch: Branch) -> None:
    stack = branch(local)
    gone = stack.destroy()
    assert not gone.failed, gone.output
    assert_order(
        gone,
        ["runs-controller-deployment"],
        ["runs-controller-task-template", "runs-controller-token-secret", "runs-controller-task-budget"],
        [
            "runs-network-policy-egress",
            "runs-rbac-cluster-role",
            "runs-rbac-cluster-role-binding",
            "runs-rbac-role",
            "runs-rbac-role-binding",
            "runs-rbac-service-account",
        ],
    )
    assert len(gone.called("delete")) == 10
    assert gone.call("delete", "runs-controller-deployment").timeout == 300
    assert stack.cluster.objects.keys() == {"Namespace//scalr-agents", "CustomResourceDefinition//atasks.scalr.io"}
    assert stack.resources() == {}


def test_a_kept_cache_survives_destroy(aws_prod: Deployed, branch: Branch) -> None:
    stack = branch(aws_prod)
    gone = stack.destroy()
    assert not gone.failed, gone.output
    for team in ("payments", "platform"):
        targets = [f"{team}-efs-mount-target-eu-west-1{zone}" for zone in "abc"]
        assert_order(
            gone,
            [f"{team}-controller-deployment"],
            [f"{team}-cache-claim"],
            [f"{team}-cache-volume"],
            [f"{team}-cache-access-point"],
            [*targets, f"{team}-efs-from-{NODES[team]}"],
            [f"{team}-efs-security-group"],
        )
        agent = [name for name in gone.called("delete") if name.startswith((f"{team}-rbac", f"{team}-network-policy"))]
        assert len(agent) == 8
        agent += [f"{team}-controller-token-secret", f"{team}-controller-task-budget"]
        assert_order(gone, [f"{team}-controller-deployment"], [f"{team}-cache-claim"], agent)
        assert gone.call("delete", f"{team}-cache-claim").timeout == LONGEST_RUN + MARGIN
    kept = {f"{team}-efs-{part}" for team in ("payments", "platform") for part in FILE_SYSTEM}
    assert kept & set(gone.called("delete")) == set()
    assert kept < gone.all("delete")  # they leave the stack
    assert stack.cluster.objects.keys() == {
        "CustomResourceDefinition//atasks.scalr.io",
        "Namespace//scalr-payments",
        "Namespace//scalr-platform",
        "Namespace//scalr-vcs",
    }
    assert stack.resources() == {}


def test_a_deleted_cache_is_removed_with_its_stack(fresh: Callable[[str], Deployment]) -> None:
    stack = fresh("aws-dev")
    stack.edit({"caches.runs.efs.eksCluster": "prod"})
    stack.set_secrets({"runs.token": "token-of-runs"})
    assert not stack.up().failed
    gone = stack.destroy()
    assert not gone.failed, gone.output
    targets = [f"runs-efs-mount-target-eu-west-1{zone}" for zone in "abc"]
    assert_order(gone, ["runs-controller-deployment"], ["runs-cache-claim"], ["runs-cache-volume"], targets, ["runs-efs-file-system"])
    assert_order(gone, ["runs-efs-policy", "runs-efs-backup-policy"], ["runs-efs-file-system"])
    assert stack.cluster.objects.keys() == {"CustomResourceDefinition//atasks.scalr.io", "Namespace//scalr-dev"}


def test_a_claim_in_use_keeps_the_other_objects(fresh: Callable[[str], Deployment]) -> None:
    """The cluster keeps a claim while a run is on it, and so everything that the run needs."""
    stack = fresh("local")
    stack.edit({"agents.runs.values.persistence.cache.enabled": True, "agents.runs.values.task.buffer.replicas": 2})
    stack.set_secrets({"runs.token": "token-of-runs"})
    first = stack.up()
    assert not first.failed, first.output
    assert stack.preview().unchanged == len(stack.resources())
    gone = stack.destroy()
    assert not gone.failed, gone.output
    assert_order(
        gone,
        ["runs-controller-deployment"],
        ["runs-controller-cache-claim"],
        ["runs-controller-token-secret", "runs-controller-task-budget"],
        ["runs-network-policy-egress", "runs-rbac-cluster-role", "runs-rbac-role", "runs-rbac-service-account"],
    )
    assert_order(gone, ["runs-controller-buffer"], ["runs-controller-buffer-priority"])
    assert len(gone.called("delete")) == 13
    assert gone.call("delete", "runs-controller-cache-claim").timeout == LONGEST_RUN + MARGIN
