"""Rows of docs/helm-differences.md about what runs may reach, and as whom."""

from typing import Any

import pytest
from scalr_agents.model.findings import errors
from scalr_agents.model.maps import merge

from tests.charts.agent_job.corrected import finding_at, findings_of, objects_of, on_both_lines
from tests.helpers.agent_local import EVERYWHERE, NAMES_AND_IDENTITY


@on_both_lines
def test_network_policy_egress(version: str) -> None:
    policy = objects_of({}, version)["egress"]["spec"]
    assert policy["policyTypes"] == ["Egress"]
    assert policy["podSelector"]["matchLabels"]["app.kubernetes.io/component"] == "task"
    assert policy["egress"] == [
        *NAMES_AND_IDENTITY,
        {
            "to": EVERYWHERE,
            "ports": [
                *({"protocol": "TCP", "port": port} for port in (22, 80, 443, 6443)),
                *(
                    {"protocol": protocol, "port": first, "endPort": last}
                    for protocol in ("TCP", "UDP")
                    for first, last in ((1, 110), (112, 2048), (2050, 65535))
                ),
            ],
        },
    ]


@on_both_lines
def test_allow_nfs_opens_the_ports(version: str) -> None:
    closed, opened = (objects_of(given, version)["egress"]["spec"]["egress"] for given in ({}, {"task": {"allowNfs": True}}))
    assert opened == [*closed[:2], {"to": closed[2]["to"]}]
    no_policy = {"task": {"allowNfs": False, "allowMetadataService": True}}
    assert (finding_at(no_policy, "task.allowNfs", version).severity, "egress" in objects_of(no_policy, version)) == ("warning", False)
    assert findings_of({"task": {"allowMetadataService": True}}, version) == []


@pytest.mark.parametrize(
    ("given", "path"),
    [
        (
            {"serviceAccount": {"annotations": {"iam.gke.io/gcp-service-account": "a@b"}}},
            r"serviceAccount.annotations.iam\.gke\.io/gcp-service-account",
        ),
        ({"task": {"podAnnotations": {"iam.amazonaws.com/role": "runs"}}}, r"task.podAnnotations.iam\.amazonaws\.com/role"),
    ],
)
def test_identities_of_a_blocked_metadata_service_warn(given: dict[str, Any], path: str) -> None:
    finding = finding_at(given, path)
    assert (finding.severity, "task.allowMetadataService: true" in finding.message) == ("warning", True)
    assert path not in [finding.path for finding in findings_of(merge(given, {"task": {"allowMetadataService": True}}))]


@on_both_lines
def test_empty_cluster_rules_create_no_cluster_role(version: str) -> None:
    everything = {(manifest["kind"], manifest["metadata"]["name"]) for manifest in objects_of({}, version).values()}
    rest = {(manifest["kind"], manifest["metadata"]["name"]) for manifest in objects_of({"rbac": {"clusterRules": []}}, version).values()}
    assert {kind for kind, _ in everything - rest} == {"ClusterRole", "ClusterRoleBinding"}
    assert rest < everything


@on_both_lines
def test_default_account_is_refused(version: str) -> None:
    assert finding_at({"serviceAccount": {"create": False}}, "serviceAccount.name", version).severity == "error"
    assert errors(findings_of({"serviceAccount": {"create": False}, "rbac": {"create": False}}, version)) == []
