"""Settings with an unexpected effect, or that a cluster or a cloud would refuse: reported before deployment."""

from typing import Any

import pytest
from pydantic import BaseModel
from scalr_agents.caches.efs import EfsKind
from scalr_agents.caches.filestore.kind import FilestoreKind
from scalr_agents.caches.storage_class import StorageClassKind
from scalr_agents.charts.shared.network.settings import Network
from scalr_agents.charts.shared.secrets_from import SecretsFrom
from scalr_agents.machines.ec2 import Ec2Settings, Ec2Volume
from scalr_agents.machines.gce import GceSettings, GceVolume
from scalr_agents.model.findings import dotted
from scalr_agents.stack.caches import CacheEntry
from scalr_agents.stack.machines import MachineEntry
from scalr_agents.stack.model import AgentSecrets, Common, Kubernetes, Namespace, Nodes, Proxy, StackFile
from scalr_agents.stack.source import Sealed

from tests.helpers.plain import PLAIN, findings, load

SECTIONS: list[type[BaseModel]] = [
    *(StackFile, Kubernetes, Common, Proxy, Network, Namespace, Nodes, SecretsFrom, AgentSecrets),
    *(CacheEntry, EfsKind, FilestoreKind, StorageClassKind, MachineEntry, Ec2Settings, Ec2Volume, GceSettings, GceVolume),
]


@pytest.mark.parametrize("section", SECTIONS, ids=lambda section: section.__name__)
def test_null_means_an_absent_key(section: type[BaseModel]) -> None:
    nothing = {field.alias or name: None for name, field in section.model_fields.items()}
    assert section.model_validate(nothing) == section.model_validate({})
    assert section.model_validate(nothing).model_fields_set == set()


def test_a_namespace_whose_creation_is_null_is_created() -> None:
    loaded = load({"namespaces": {"scalr": {"create": None}}, "kubernetes": {"awaitRollout": None}})
    assert (list(loaded.created_namespaces()), loaded.kubernetes.await_rollout) == (["scalr"], True)


def test_null_stays_in_values_where_it_unsets_a_default() -> None:
    values = {**PLAIN["values"], "agent": {"terminationGracePeriodSeconds": None}}
    [agent] = load({"agents": {"runs": {"values": values, "role": None}}}).agents
    assert "terminationGracePeriodSeconds" not in str([each for each in agent.objects if each["kind"] == "Deployment"])


@pytest.mark.parametrize("level", [None, "restricted", "baseline"])
def test_restricting_kube_system_is_an_error(level: str | None) -> None:
    message = f"would enforce {level or 'restricted'} there, and the cluster's own pods would no longer start; set create: false"
    found = findings({"namespaces": {"kube-system": {"podSecurity": level} if level else {}}})
    assert ("error", "scalr-agents:namespaces.kube-system", message) in found


EVERYWHERE = [("default", "restricted"), ("kube-public", "baseline"), ("kube-node-lease", "restricted"), ("kube-system", "privileged")]


@pytest.mark.parametrize(("name", "level"), EVERYWHERE)
def test_creating_an_existing_namespace_is_a_warning(name: str, level: str) -> None:
    message = f"exists in every cluster, and {level} would be enforced for everything that runs in it; set create: false"
    assert ("warning", f"scalr-agents:namespaces.{name}", message) in findings({"namespaces": {name: {"podSecurity": level}}})
    assert findings({"namespaces": {name: {"create": False, "podSecurity": level}}}) == findings({})


@pytest.mark.parametrize(
    ("toleration", "word", "message"),
    [
        ({}, "key", "missing; set it, or set operator: Exists to tolerate every taint"),
        ({"key": "", "operator": "Equal", "value": "a"}, "key", "missing; set it, or set operator: Exists to tolerate every taint"),
        ({"key": "a b"}, "key", "not the key of a taint, for instance pool or acme.example/pool"),
        ({"key": "pool", "value": "a b"}, "value", "not the value of a taint: use at most 63 letters, digits, '-', '_' and '.'"),
        (
            {"key": "pool", "operator": "Exists", "value": "a"},
            "value",
            "not allowed with operator: Exists, which tolerates every value; remove one of them",
        ),
        (
            {"key": "pool", "effect": "NoSchedule", "tolerationSeconds": 5},
            "tolerationSeconds",
            "requires effect: NoExecute; pods that run are not evicted for other effects",
        ),
    ],
)
def test_invalid_tolerations_are_errors(toleration: dict[str, Any], word: str, message: str) -> None:
    """As `ValidateTolerations` of Kubernetes 1.36 has it."""
    found = findings({"agents": {"runs": {"nodes": {"tolerations": [{"operator": "Exists"}, toleration]}}}})
    assert found == [("error", f"scalr-agents:agents.runs.nodes.tolerations[1].{word}", message)]


@pytest.mark.parametrize(
    "toleration",
    [
        {"operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 0},
        {"key": "acme.example/pool", "value": "", "effect": None},
        {"key": "spot", "operator": "Gt", "value": "-5"},
        {"key": Sealed("scalr-agents:agents.runs.nodes.tolerations[0].key")},
    ],
)
def test_valid_tolerations_are_accepted(toleration: dict[str, Any]) -> None:
    assert findings({"agents": {"runs": {"nodes": {"tolerations": [toleration]}}}}) == []


ROLE = "eks.amazonaws.com/role-arn"
NO_ROLE = "gives no identity; expected the ARN of a role: arn:<partition>:iam::<account>:role/<path and name>"
NO_CLOUD = "gives no identity, because no cloud reads this annotation of a service account; known: eks.amazonaws.com/role-arn, "
NO_CLOUD += "iam.gke.io/gcp-service-account, azure.workload.identity/client-id"


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        (ROLE, "", "empty, so it gives no identity; set it, or remove it"),
        (ROLE, "scalr-payments", NO_ROLE),
        (ROLE, " arn:aws:iam::111122223333:role/x", NO_ROLE),
        (ROLE, "arn:aws:iam::111122223333:user/x", NO_ROLE),
        ("eks.amazonaws.com/rolearn", "arn:aws:iam::111122223333:role/x", f"gives no identity; did you mean {ROLE!r}?"),
        ("azure.workload.identity/client-id", "runs", "gives no identity; expected the client ID of an identity, a UUID"),
        *((key, "x", NO_CLOUD) for key in ("roleArn", "role-arn", "iam.amazonaws.com/role", "acme.io/role")),
        (ROLE, "arn:aws-cn:iam::111122223333:role/team/x", None),
        ("eks.amazonaws.com/audience", "sts.amazonaws.com", None),
        ("iam.gke.io/credential-quota-project", "x", None),
        ("pod-identity.alibabacloud.com/role-name", "x", None),
        ("azure.workload.identity/tenant-id", "11111111-2222-3333-4444-555555555555", None),
    ],
)
def test_an_ineffective_identity_is_a_warning(key: str, value: str, message: str | None) -> None:
    expected = [("warning", dotted(("scalr-agents:agents", "runs", "identity", key)), message)] if message else []
    assert findings({"agents": {"runs": {"identity": {key: value}}}}) == expected


@pytest.mark.parametrize("size", [90, "90", "90m", "1000Ki"])
def test_a_size_without_unit_is_a_warning(size: object) -> None:
    changed = {"caches": {"team": {"storageClass": {"name": "nfs", "storage": size}}}, "agents": {"runs": {"cache": "team"}}}
    message = f"given {size}, which is less than 1 MiB; sizes without a unit are bytes, write 90Gi"
    assert ("warning", "scalr-agents:caches.team.storageClass.storage", message) in findings(changed)


@pytest.mark.parametrize("content", ["apiVersion: v1\nusers: [{user: {token: s3cr3t}}]\n", '{"users": [{"user": {"token": "s3cr3t"}}]}'])
def test_kubeconfig_content_instead_of_a_path_is_an_error(content: str) -> None:
    message = "not a path; save the content in a file outside of the repository, and give its path; given a string"
    assert findings({"kubernetes": {"kubeconfig": content}}) == [("error", "scalr-agents:kubernetes.kubeconfig", message)]
    assert findings({"kubernetes": {"kubeconfig": "~/.kube/prod"}}) == []
