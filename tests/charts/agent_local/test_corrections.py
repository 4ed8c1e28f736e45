"""Corrections of the chart of agent-local: one test for every row of docs/helm-differences.md."""

from typing import Any

import pytest
from scalr_agents import charts
from scalr_agents.charts.shared import contract
from scalr_agents.model.findings import errors
from scalr_agents.model.maps import merge
from scalr_agents.stack import pod_security

from tests.helpers.agent_local import CERTIFICATE, EVERYWHERE, KEY, MINIMUM, NAMES_AND_IDENTITY, VERSIONS, objects
from tests.helpers.pods import container, environment, pod

LINES = pytest.mark.parametrize("line", ["legacy", "current"])
SELECTOR = {"app.kubernetes.io/name": "agent-local", "app.kubernetes.io/instance": "vcs"}
CACHE: dict[str, dict[str, Any]] = {"legacy": {"persistence": {"enabled": True}}, "current": {"persistence": {"cache": {"enabled": True}}}}


def _warnings(given: dict[str, Any], line: str) -> dict[str, str]:
    found = charts.check("agent-local", merge(MINIMUM, given), release="vcs", namespace="scalr", agent_version=VERSIONS[line])
    assert not errors(found)
    return {finding.path: finding.message for finding in found}


@LINES
def test_the_policy_exists_when_the_metadata_service_is_closed_and_selects_the_pods(line: str) -> None:
    assert "egress" not in objects(MINIMUM, line=line)
    made = objects(merge(MINIMUM, {"allowMetadataService": False}), line=line)
    assert made["egress"]["spec"]["podSelector"] == {"matchLabels": SELECTOR}
    assert pod(made)["metadata"]["labels"] == SELECTOR == made["deployment"]["spec"]["selector"]["matchLabels"]
    assert made["egress"]["spec"]["egress"] == [*NAMES_AND_IDENTITY, {"to": EVERYWHERE}]


@LINES
def test_autoscalers_see_the_annotations_on_the_pods(line: str) -> None:
    made = objects(MINIMUM, line=line)
    assert pod(made)["metadata"]["annotations"].items() >= contract.UNEVICTABLE_ANNOTATIONS.items()
    assert "annotations" not in made["deployment"]["metadata"]


@LINES
@pytest.mark.parametrize("mounted", [True, False])
def test_the_account_honours_automount_token(line: str, *, mounted: bool) -> None:
    made = objects(merge(MINIMUM, {"serviceAccount": {"create": True, "automountToken": mounted}}), line=line)
    assert made["service-account"]["automountServiceAccountToken"] is mounted
    assert pod(made)["spec"]["automountServiceAccountToken"] is mounted


@LINES
@pytest.mark.parametrize(("given", "made"), [("-", {"storageClassName": ""}), ("", {}), ("fast", {"storageClassName": "fast"})])
def test_storage_class_dash_of_agent_local(line: str, given: str, made: dict[str, str]) -> None:
    persistence = {
        "legacy": {"enabled": True, "persistentVolumeClaim": {"storageClassName": given}},
        "current": {"cache": {"enabled": True, "persistentVolumeClaim": {"storageClassName": given}}},
    }
    claim = objects(merge(MINIMUM, {"persistence": persistence[line]}), line=line)["cache-claim"]
    assert claim["spec"] == {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "20Gi"}}, **made}


@LINES
def test_agent_local_passes_restricted(line: str) -> None:
    made = objects(merge(MINIMUM, CACHE[line]), line=line)
    assert pod_security.violations(pod(made)["spec"], "restricted") == []
    assert container(made)["securityContext"]["allowPrivilegeEscalation"] is False
    assert pod(made)["spec"]["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    assert "readOnlyRootFilesystem" not in container(made)["securityContext"]


@pytest.mark.parametrize("given", [{"privileged": True}, {"capabilities": {"add": ["CAP_SYS_ADMIN"]}}])
def test_hardening_of_agent_local_can_be_overridden(given: dict[str, Any]) -> None:
    assert "allowPrivilegeEscalation" not in container(objects(merge(MINIMUM, {"securityContext": given})))["securityContext"]


def test_capabilities_of_agent_local_can_be_unset() -> None:
    assert "capabilities" not in container(objects(merge(MINIMUM, {"securityContext": {"capabilities": None}})))["securityContext"]


@pytest.mark.parametrize(
    "change",
    [
        {"agent": {"token": "another"}},
        {"agent": {"tls": {"caBundle": CERTIFICATE}}},
        {"agent": {"tls": {"clientCert": CERTIFICATE, "clientKey": KEY}}},
        {"agent": {"providerNetworkMirrors": [{"url": "https://mirror.acme.example/", "token": "x"}]}},
    ],
    ids=["token", "ca-bundle", "client-cert", "mirrors"],
)
def test_agents_roll_when_a_secret_changes(change: dict[str, Any]) -> None:
    def digest(given: dict[str, Any]) -> Any:
        return pod(objects(merge(MINIMUM, given)))["metadata"]["annotations"]["checksum/secrets"]

    assert digest({}) == digest({"replicaCount": 2})
    assert digest({}) != digest(change)


def test_no_digest_without_our_own_secret() -> None:
    given = {"agent": {"token": None, "tokenExistingSecret": {"name": "pool"}}}
    assert pod(objects(merge(MINIMUM, given)))["metadata"]["annotations"] == contract.UNEVICTABLE_ANNOTATIONS


@LINES
def test_a_rolling_update_blocked_by_its_claim_warns(line: str) -> None:
    message = _warnings(CACHE[line], line)["strategy.type"]
    assert "strategy.type: Recreate" in message
    assert "persistentVolumeClaim.accessMode: ReadWriteMany" in message
    for fix in (
        {"strategy": {"type": "Recreate"}},
        {"strategy": {"rollingUpdate": {"maxSurge": 0}}},
        merge(CACHE[line], _claim(line, {"accessMode": "ReadWriteMany"})),
        merge(CACHE[line], _claim(line, {"claimName": "shared"})),
    ):
        assert "strategy.type" not in _warnings(merge(CACHE[line], fix), line)


def _claim(line: str, claim: dict[str, str]) -> dict[str, Any]:
    settings = {"persistentVolumeClaim": claim}
    return {"persistence": settings if line == "legacy" else {"cache": settings}}


@LINES
def test_sub_path_counts_for_claims_only(line: str) -> None:
    def cache(given: dict[str, Any]) -> Any:
        mounts = container(objects(merge(MINIMUM, given), line=line))["volumeMounts"]
        return next(mount.get("subPath") for mount in mounts if mount["name"] == "cache-dir")

    sub_path = _claim(line, {"subPath": "vcs"})
    assert cache(merge(CACHE[line], sub_path)) == "vcs"
    assert cache(sub_path) is None


@LINES
def test_variables_are_not_duplicated(line: str) -> None:
    given = {"extraEnv": {"SCALR_AGENT_CACHE_DIR": "/elsewhere", "A": "b"}}
    made = objects(merge(MINIMUM, given), line=line)
    names = [variable["name"] for variable in container(made)["env"]]
    assert len(names) == len(set(names))
    assert environment(made)["SCALR_AGENT_CACHE_DIR"] == "/var/lib/scalr-agent/cache"


def test_data_and_cache_are_two_volumes() -> None:
    given = {"agent": {"dataDir": "/d", "cacheDir": "/c"}, "persistence": {"emptyDir": {"sizeLimit": "30Gi"}}}
    spec = pod(objects(merge(MINIMUM, given), line="legacy"))["spec"]
    assert spec["containers"][0]["volumeMounts"] == [{"name": "data-dir", "mountPath": "/d"}, {"name": "cache-dir", "mountPath": "/c"}]
    own = {"emptyDir": {"sizeLimit": "30Gi"}}
    assert spec["volumes"] == [{"name": "data-dir", **own}, {"name": "cache-dir", **own}]

    claimed = objects(merge(MINIMUM, merge(given, {"persistence": {"enabled": True}})), line="legacy")
    claim = {"persistentVolumeClaim": {"claimName": "vcs-agent-local-cache"}}
    assert pod(claimed)["spec"]["volumes"] == [{"name": "data-dir", **own}, {"name": "cache-dir", **claim}]
    assert "annotations" not in claimed["cache-claim"]["metadata"]
