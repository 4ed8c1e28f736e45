"""The first `pulumi up` of the sample stacks creates what they describe, and the next one changes nothing."""

from collections import Counter
from collections.abc import Callable
from importlib.metadata import version
from itertools import pairwise
from pathlib import Path

import pytest

from tests.engine.stacks import REPOSITORY, Deployed, Deployment

AGENT_JOB = {
    "kubernetes:apps/v1:Deployment": 1,
    "kubernetes:core/v1:Secret": 1,
    "kubernetes:core/v1:ServiceAccount": 1,
    "kubernetes:networking.k8s.io/v1:NetworkPolicy": 1,
    "kubernetes:policy/v1:PodDisruptionBudget": 1,
    "kubernetes:rbac.authorization.k8s.io/v1:ClusterRole": 1,
    "kubernetes:rbac.authorization.k8s.io/v1:ClusterRoleBinding": 1,
    "kubernetes:rbac.authorization.k8s.io/v1:Role": 1,
    "kubernetes:rbac.authorization.k8s.io/v1:RoleBinding": 1,
    "kubernetes:scalr.io/v1:AgentTask": 1,
    "scalr-agents:index:AgentController": 1,
    "scalr-agents:index:AgentJob": 1,
    "scalr-agents:index:AgentNetworkPolicy": 1,
    "scalr-agents:index:AgentRbac": 1,
}
STACK = {
    "kubernetes:apiextensions.k8s.io/v1:CustomResourceDefinitionPatch": 1,
    "pulumi:providers:kubernetes": 2,
    "pulumi:pulumi:Stack": 1,
    "scalr-agents:index:AgentCrds": 1,
}
NAMESPACE = {"kubernetes:core/v1:Namespace": 1}
EFS = {
    "aws:ec2/securityGroup:SecurityGroup": 1,
    "aws:efs/accessPoint:AccessPoint": 1,
    "aws:efs/backupPolicy:BackupPolicy": 1,
    "aws:efs/fileSystem:FileSystem": 1,
    "aws:efs/fileSystemPolicy:FileSystemPolicy": 1,
    "aws:efs/mountTarget:MountTarget": 3,
    "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule": 1,
    "kubernetes:core/v1:PersistentVolume": 1,
    "kubernetes:core/v1:PersistentVolumeClaim": 1,
    "pulumi:index:Stash": 1,
    "scalr-agents:index:EfsCache": 1,
    "scalr-agents:index:EfsClaim": 1,
}
FILESTORE = {
    "gcp:filestore/instance:Instance": 1,
    "kubernetes:core/v1:PersistentVolume": 1,
    "kubernetes:core/v1:PersistentVolumeClaim": 1,
    "scalr-agents:index:FilestoreCache": 1,
    "scalr-agents:index:FilestoreClaim": 1,
}
CA_BUNDLE = {"kubernetes:core/v1:Secret": 1}
BUDGET = {"kubernetes:policy/v1:PodDisruptionBudget": 1}
AGENT_LOCAL = {"kubernetes:apps/v1:Deployment": 1, "kubernetes:core/v1:Secret": 1, "scalr-agents:index:AgentLocal": 1}
LOCAL = [STACK, NAMESPACE, AGENT_JOB]
OF_AWS = {"pulumi:providers:aws": 1, "pulumi:providers:pulumi": 1}
CLOSED = {"kubernetes:networking.k8s.io/v1:NetworkPolicy": 2}
"""What a closed network adds: for agent-job a policy of the controllers, for agent-local one of egress, for both one of ingress."""
AWS_PROD = [STACK, *[NAMESPACE] * 3, *[AGENT_JOB, EFS, CA_BUNDLE, CLOSED] * 2, BUDGET, AGENT_LOCAL, CA_BUNDLE, CLOSED, OF_AWS]
NAMES = {"kubernetes:networking.gke.io/v1alpha1:FQDNNetworkPolicy": 2}
ALERTS = {"kubernetes:monitoring.coreos.com/v1:PrometheusRule": 1}
DASHBOARD = {"kubernetes:core/v1:ConfigMap": 1}
GCP_PROD = [STACK, *[NAMESPACE, AGENT_JOB, FILESTORE, CLOSED, NAMES, ALERTS] * 2, DASHBOARD, {"pulumi:providers:gcp": 1}]

every_stack = pytest.mark.parametrize(
    ("stack", "parts", "total"), [("local", LOCAL, 20), ("aws_prod", AWS_PROD, 79), ("gcp_prod", GCP_PROD, 57)], ids=["local", "aws", "gcp"]
)


@every_stack
def test_the_first_up_creates_all_resources(stack: str, parts: list[dict[str, int]], total: int, request: pytest.FixtureRequest) -> None:
    deployed: Deployed = request.getfixturevalue(stack)
    expected: Counter[str] = sum(map(Counter, parts), Counter())
    assert Counter(resource["type"] for resource in deployed.stack.resources().values()) == expected
    assert expected.total() == total
    assert set(deployed.first.steps.values()) == {("create",)}


@every_stack
def test_the_second_up_changes_nothing(stack: str, parts: list[dict[str, int]], total: int, request: pytest.FixtureRequest) -> None:
    deployed: Deployed = request.getfixturevalue(stack)
    again = deployed.stack.preview()
    assert (again.failed, again.steps, again.unchanged) == (False, {}, total)


def test_objects_are_created_after_their_dependencies(local: Deployed) -> None:
    first = local.first
    deployment = first.call("create", "runs-controller-deployment")
    earlier = [call for call in first.calls if call.operation == "create" and call.name != deployment.name]
    assert len(earlier) == 11
    assert all(call.ended <= deployment.began for call in earlier)
    shared = [first.call("create", name) for name in ("agent-crds-atasks", "namespace-scalr-agents")]
    others = [call for call in earlier if call not in shared]
    assert min(call.began for call in others) >= max(call.ended for call in shared)


def test_pods_are_created_after_their_cache(aws_prod: Deployed) -> None:
    def began(name: str) -> float:
        return aws_prod.first.call("create", name).began

    def ended(name: str) -> float:
        return aws_prod.first.call("create", name).ended

    chain = ["payments-efs-file-system", "payments-cache-access-point", "payments-cache-volume", "payments-cache-claim"]
    chain += ["payments-controller-deployment"]
    assert all(ended(earlier) <= began(later) for earlier, later in pairwise(chain))
    ways = [name for name in aws_prod.first.called("create") if name.startswith(("payments-efs-mount-target", "payments-efs-from"))]
    assert len(ways) == 4
    assert max(map(ended, ways)) <= began("payments-cache-volume")


def test_providers_get_the_settings_of_the_stack(local: Deployed) -> None:
    own = {"context": "kind-kind", "clusterIdentifier": "kind", "enableSecretMutable": "true"}
    own |= {"kubeClientSettings": '{"qps": 400, "burst": 800}', "version": version("pulumi-kubernetes")}
    configured = [call.inputs for call in local.first.calls if call.operation == "configure"]
    assert sorted(configured, key=len) == [own, own | {"upsertExistingObjects": "true", "enablePatchForce": "true"}]


def test_rollouts_have_the_timeout_of_the_stack_file(aws_prod: Deployed) -> None:
    times = {call.name: call.timeout for call in aws_prod.first.calls if call.operation == "create" and call.timeout}
    assert times == dict.fromkeys(["payments-controller-deployment", "platform-controller-deployment", "vcs-deployment"], 300)


def test_urns_are_unchanged(local: Deployed, aws_prod: Deployed, tmp_path: Path) -> None:
    """Another URN is another resource: existing deployments would delete the old one and create a new one."""
    listed, now = Path(__file__).parent / "urns.txt", tmp_path / "urns.txt"
    resources = [resource for deployed in (local, aws_prod) for resource in deployed.stack.resources().values()]
    urns = sorted(resource["urn"] for resource in resources if "::default_" not in resource["urn"])  # default providers have versions
    now.write_text("".join(f"{urn}\n" for urn in urns), encoding="utf-8")
    hint = f"URNs have changed. What was renamed needs an alias. If the rest is meant: cp {now} {listed}"
    assert urns == listed.read_text(encoding="utf-8").splitlines(), hint


def test_an_invalid_stack_file_creates_nothing(fresh: Callable[[str], Deployment]) -> None:
    stack = fresh("local")
    stack.edit({"agents.runs.values.agent.replicaCoun": 2})
    refused = stack.up()
    assert refused.failed
    assert refused.called("create") == []
    assert stack.cluster.objects == {}
    assert refused.steps == {"scalr-agents-local": ("create",)}
    [(line, column)] = [
        (number, text.index("replicaCoun") + 1)
        for number, text in enumerate(stack.file.read_text(encoding="utf-8").splitlines(), 1)
        if "replicaCoun" in text
    ]
    key = "scalr-agents:agents.runs.values.agent.replicaCoun"
    assert f"{stack.file.name}:{line}:{column}: error: {key}: unknown key 'replicaCoun'; did you mean 'replicaCount'?" in refused.output
    missing = "missing; run: pulumi config set --secret --path 'scalr-agents:secrets.runs.token'"
    assert f"error: scalr-agents:secrets.runs.token: {missing}" in refused.output
    assert "Traceback" not in refused.everything


@pytest.mark.parametrize("name", sorted(path.name.split(".")[1] for path in (REPOSITORY / "stacks").glob("Pulumi.*.yaml")))
def test_setting_a_secret_changes_nothing_else_in_the_file(name: str, fresh: Callable[[str], Deployment]) -> None:
    """The CLI rewrites the file. In a file with its layout, only the secret changes."""
    stack = fresh(name)
    given = (REPOSITORY / "stacks" / f"Pulumi.{name}.yaml").read_text(encoding="utf-8")
    stack.set_secrets({"runs.token": "token-of-runs"})
    salt, secrets, rest = "encryptionsalt: ", "  scalr-agents:secrets:", stack.file.read_text(encoding="utf-8")
    lines = [line for line in rest.splitlines() if not line.startswith(salt)]
    begin = lines.index(secrets)
    assert [*lines[:begin], *lines[begin + 4 :]] == given.splitlines()
