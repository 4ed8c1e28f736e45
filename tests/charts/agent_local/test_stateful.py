"""agent-local as a StatefulSet: its claims and its checks."""

from functools import reduce
from typing import Any

import pytest
from scalr_agents.model.maps import merge

from tests.helpers.agent_job import nested
from tests.helpers.agent_local import MINIMUM, VERSIONS, objects
from tests.helpers.schemas import assert_valid
from tests.helpers.validated import validate

STATEFUL: dict[str, Any] = {"workload": {"kind": "StatefulSet"}}
CACHE: dict[str, Any] = {"persistence": {"cache": {"enabled": True}}}
BOTH: dict[str, Any] = {"persistence": {"data": {"enabled": True}, "cache": {"enabled": True}}}
ONE_POD = {"accessMode": "ReadWriteOncePod"}
OWN_CLAIMS = "or workload.kind: StatefulSet, which gives each agent a claim of its own"


def merged(*given: dict[str, Any]) -> dict[str, Any]:
    return reduce(merge, given)


def made(given: dict[str, Any]) -> dict[str, dict[str, Any]]:
    found = objects(merged(MINIMUM, STATEFUL, given))
    assert_valid(found["stateful-set"])
    return found


def test_a_stateful_set_has_the_name_and_the_pods_of_the_deployment() -> None:
    deployment, stateful_set = objects(MINIMUM)["deployment"], made({})["stateful-set"]
    assert stateful_set["metadata"] == deployment["metadata"]
    same = ("replicas", "selector", "template")
    assert {key: stateful_set["spec"][key] for key in same} == {key: deployment["spec"][key] for key in same}
    assert {key: value for key, value in stateful_set["spec"].items() if key not in same} == {
        "podManagementPolicy": "Parallel",
        "persistentVolumeClaimRetentionPolicy": {"whenDeleted": "Retain", "whenScaled": "Retain"},
    }


def test_claims_become_templates() -> None:
    data = {"annotations": {"backup": "daily"}, "storageClassName": "fast", "storage": "9Gi", "subPath": "work", **ONE_POD}
    cache = {"storageClassName": "-"}
    given = {"data": {"enabled": True, "persistentVolumeClaim": data}, "cache": {"enabled": True, "persistentVolumeClaim": cache}}
    found = made({"persistence": given})
    assert [role for role in found if role.endswith("-claim")] == []
    assert list(found)[-1] == "stateful-set"
    spec = found["stateful-set"]["spec"]
    assert spec["volumeClaimTemplates"] == [
        {
            "apiVersion": "v1",
            "kind": "PersistentVolumeClaim",
            "metadata": {"name": "data-dir", "annotations": {"backup": "daily"}},
            "spec": {
                "accessModes": ["ReadWriteOncePod"],
                "resources": {"requests": {"storage": "9Gi"}},
                "storageClassName": "fast",
            },
        },
        {
            "apiVersion": "v1",
            "kind": "PersistentVolumeClaim",
            "metadata": {"name": "cache-dir"},
            "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "20Gi"}}, "storageClassName": ""},
        },
    ]
    assert "volumes" not in spec["template"]["spec"]
    mounts = spec["template"]["spec"]["containers"][0]["volumeMounts"]
    assert mounts[0] == {"name": "data-dir", "mountPath": "/var/lib/scalr-agent/data", "subPath": "work"}


def test_an_upgrade_changes_no_template_of_a_claim() -> None:
    """Kubernetes refuses a change of one, so that Pulumi would replace the StatefulSet."""
    kept = [
        validate("agent-local", merged(MINIMUM, STATEFUL, BOTH), release="vcs", namespace="scalr", agent_version=version).by_role()
        for version in ("1.3.0", "1.4.0")
    ]
    first, second = (found["stateful-set"]["spec"] for found in kept)
    assert first["volumeClaimTemplates"] == second["volumeClaimTemplates"]
    assert first["template"] != second["template"]


@pytest.mark.parametrize(
    "cache", [{"cache": {"enabled": True, "persistentVolumeClaim": {"claimName": "shared"}}}, {"cache": {"emptyDir": {"medium": "Memory"}}}]
)
def test_other_volumes_are_those_of_a_deployment(cache: dict[str, Any]) -> None:
    values = {"persistence": {"data": {"enabled": True}, **cache}}
    spec = made(values)["stateful-set"]["spec"]
    assert [template["metadata"]["name"] for template in spec["volumeClaimTemplates"]] == ["data-dir"]
    [_, in_deployment] = objects(merged(MINIMUM, values))["deployment"]["spec"]["template"]["spec"]["volumes"]
    assert spec["template"]["spec"]["volumes"] == [in_deployment]


def test_the_deprecated_claim_becomes_a_template() -> None:
    found = made({"persistence": {"enabled": True, "persistentVolumeClaim": {"storage": "7Gi"}}})
    [template] = found["stateful-set"]["spec"]["volumeClaimTemplates"]
    assert (template["metadata"]["name"], template["spec"]["resources"]["requests"]) == ("cache-dir", {"storage": "7Gi"})
    assert "cache-claim" not in found


def _findings(given: dict[str, Any], line: str = "current", release: str = "vcs") -> dict[str, tuple[str, str]]:
    checked = validate("agent-local", merged(MINIMUM, given), release=release, namespace="scalr", agent_version=VERSIONS[line])
    return {finding.path: (finding.severity, finding.message) for finding in checked.findings}


@pytest.mark.parametrize(
    "given",
    [
        STATEFUL,
        merged(STATEFUL, BOTH, {"replicaCount": 3}),
        merged(STATEFUL, CACHE, {"replicaCount": None}),
        merged(STATEFUL, {"replicaCount": 3}, nested("persistence.cache", {"enabled": True, "persistentVolumeClaim": ONE_POD})),
        merged(STATEFUL, {"workload": {"statefulSet": {"persistentVolumeClaimRetentionPolicy": {"whenDeleted": "Delete"}}}}, CACHE),
        merged(STATEFUL, {"fullnameOverride": 52 * "a"}),
        merged(CACHE, {"strategy": {"type": "Recreate"}}),
        merged(CACHE, {"strategy": {"rollingUpdate": {"maxUnavailable": 1}}}),
        merged(CACHE, {"strategy": {"rollingUpdate": {"maxUnavailable": "100%"}}}),
    ],
)
def test_nothing_is_found(given: dict[str, Any]) -> None:
    assert _findings(given) == {}


FOUND = [
    (merged(STATEFUL, {"strategy": {"type": "Recreate"}}), "strategy", "warning", "has no effect: a StatefulSet replaces one agent after"),
    (
        {"workload": {"statefulSet": {"persistentVolumeClaimRetentionPolicy": {"whenScaled": "Delete"}}}},
        "workload.statefulSet",
        "warning",
        "has no effect: workload.kind is not StatefulSet",
    ),
    (
        merged(
            STATEFUL, {"replicaCount": 2}, nested("persistence.data", {"enabled": True, "persistentVolumeClaim": {"claimName": "mine"}})
        ),
        "persistence.data.enabled",
        "warning",
        "2 agents share one claim",
    ),
    (merged(STATEFUL, {"fullnameOverride": 53 * "a"}), "fullnameOverride", "error", "the StatefulSet would be called 'aaa"),
    (merged(STATEFUL, {"fullnameOverride": "a.b"}), "fullnameOverride", "error", "the StatefulSet would be called 'a.b'"),
    ({"workload": {"kind": "DaemonSet"}}, "workload.kind", "error", "given 'DaemonSet'; allowed: 'Deployment' or 'StatefulSet'"),
    (
        {"persistence": {"cache": {"mode": "shared"}}},
        "persistence.cache.mode",
        "error",
        "unknown key 'mode': the chart has it from 0.7.0; remove it. Set enabled: true",
    ),
    ({"persistence": {"data": {"mode": "x"}}}, "persistence.data.mode", "error", "unknown key 'mode': the chart has it from 0.7.0"),
]


@pytest.mark.parametrize(("given", "path", "severity", "start"), FOUND, ids=[path for _, path, _, _ in FOUND])
def test_finding(given: dict[str, Any], path: str, severity: str, start: str) -> None:
    found = _findings(given)[path]
    assert (found[0], found[1][: len(start)]) == (severity, start)


def test_the_advice_on_an_existing_claim_of_data_is_to_remove_it() -> None:
    data = {"enabled": True, "persistentVolumeClaim": {"claimName": "mine"}}
    _, message = _findings(merged(STATEFUL, {"replicaCount": 2, "persistence": {"data": data}}))["persistence.data.enabled"]
    assert message.endswith("use 1 replica or the emptyDir, or remove claimName, so that each agent gets a claim of its own")


ACCESS_MODE = "persistence.cache.persistentVolumeClaim.accessMode"


@pytest.mark.parametrize(
    ("given", "path", "severity", "message"),
    [
        ({"replicaCount": 3}, ACCESS_MODE, "error", "ReadWriteOncePod, but 3 agents mount the claim: only one of them can start"),
        ({"replicaCount": None}, ACCESS_MODE, "warning", "ReadWriteOncePod, but any number of agents mount the claim"),
        (
            {},
            "strategy.type",
            "error",
            "RollingUpdate starts the new pod while the old one still uses the claim, which is ReadWriteOncePod:",
        ),
        ({"strategy": {"rollingUpdate": {"maxSurge": None}}}, "strategy.type", "error", "RollingUpdate starts the new pod"),
        ({"strategy": {"rollingUpdate": {"maxUnavailable": "99%"}}}, "strategy.type", "error", "RollingUpdate starts the new pod"),
        ({"strategy": {"rollingUpdate": {"maxUnavailable": 1}}}, "", "", ""),
        ({"strategy": {"rollingUpdate": {"maxSurge": 0}}}, "", "", ""),
        ({"strategy": {"type": "Recreate"}}, "", "", ""),
    ],
)
def test_a_claim_of_one_pod(given: dict[str, Any], path: str, severity: str, message: str) -> None:
    found = _findings(merged(given, nested("persistence.cache", {"enabled": True, "persistentVolumeClaim": ONE_POD})))
    assert [(at, *rest) for at, rest in found.items()] == ([(path, severity, found[path][1])] if path else [])
    assert not path or (found[path][1].startswith(message) and found[path][1].endswith(OWN_CLAIMS))


def test_the_legacy_line_gets_no_advice_that_it_does_not_support() -> None:
    given = {"replicaCount": 3, "persistence": {"enabled": True, "persistentVolumeClaim": ONE_POD}}
    severity, message = _findings(given, "legacy")["persistence.persistentVolumeClaim.accessMode"]
    assert (severity, message.endswith("use ReadWriteMany")) == ("error", True)
    assert _findings(STATEFUL, "legacy")["workload"] == (
        "error",
        "unknown key 'workload': agents 0.57 to 0.60 do not support it; agents 0.61.3 or newer do (see the agent version)",
    )


def test_agents_before_the_sections_of_volumes_have_a_claim_each_too() -> None:
    values = merged(MINIMUM, STATEFUL, {"replicaCount": 3, "persistence": {"enabled": True}})
    checked = validate("agent-local", values, release="vcs", namespace="scalr", agent_version="0.61.3")
    assert checked.findings == []
    [template] = checked.by_role()["stateful-set"]["spec"]["volumeClaimTemplates"]
    assert template["metadata"] == {"name": "cache-dir"}
