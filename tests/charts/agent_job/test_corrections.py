"""Corrections of the chart of agent-job: one test for every row of docs/helm-differences.md."""

from typing import Any

import pytest
from scalr_agents import charts
from scalr_agents.charts.shared.inputs import Inputs
from scalr_agents.model.findings import ValuesError, errors
from scalr_agents.model.maps import merge
from scalr_agents.stack import pod_security

from tests.charts.agent_job.corrected import environment_of, finding_at, findings_of, objects_of, on_both_lines, pods_of
from tests.helpers.agent_job import CURRENT, LEGACY, MINIMUM, objects

BUNDLE = "-----BEGIN CERTIFICATE-----\nMAMCAQE=\n-----END CERTIFICATE-----\n"
KEY = "-----BEGIN PRIVATE KEY-----\nMAMCAQE=\n-----END PRIVATE KEY-----\n"


@on_both_lines
def test_component_settings_override_global_ones(version: str) -> None:
    given = {
        "global": {"podAnnotations": {"a": "global", "b": "global"}, "podSecurityContext": {"runAsUser": 2000}},
        "agent": {"podAnnotations": {"a": "agent"}, "podSecurityContext": {"runAsUser": 0, "runAsNonRoot": False}},
        "task": {"podAnnotations": {"a": "task"}, "podSecurityContext": {"fsGroup": 0}},
    }
    controller, task = pods_of(objects_of(given, version))
    assert {key: controller["metadata"]["annotations"][key] for key in "ab"} == {"a": "agent", "b": "global"}
    assert {key: task["metadata"]["annotations"][key] for key in "ab"} == {"a": "task", "b": "global"}
    assert controller["spec"]["securityContext"]["runAsUser"] == 0
    assert controller["spec"]["securityContext"]["runAsNonRoot"] is False
    assert (task["spec"]["securityContext"]["runAsUser"], task["spec"]["securityContext"]["fsGroup"]) == (2000, 0)


def test_component_labels_and_annotations_override_global_ones() -> None:
    own = {"labels": {"a": "own"}, "annotations": {"a": "own"}}
    given = {
        "global": {"labels": {"a": "global", "b": "global"}, "annotations": {"a": "global", "b": "global"}},
        "agent": own,
        "serviceAccount": own,
        "task": {"jobLabels": own["labels"], "jobAnnotations": own["annotations"]},
    }
    made = objects_of(given, CURRENT)
    for manifest in (made["deployment"], made["service-account"], made["task-template"]["spec"]["jobTemplate"]):
        for kind in ("labels", "annotations"):
            assert {key: manifest["metadata"][kind][key] for key in "ab"} == {"a": "own", "b": "global"}
    assert {key: made["role"]["metadata"]["labels"][key] for key in "ab"} == {"a": "global", "b": "global"}


def test_tokens_of_mirrors_are_a_secret() -> None:
    made = objects_of({"agent": {"providerNetworkMirrors": [{"url": "https://mirror.example/", "token": "m1rr0r"}]}}, CURRENT)
    assert [role for role, manifest in made.items() if "m1rr0r" in str(manifest)] == ["env-secret"]


@pytest.mark.parametrize("given", ["clientCert", "clientKey"])
def test_incomplete_client_certificates_are_refused(given: str) -> None:
    content = {"clientCert": BUNDLE, "clientKey": KEY}
    path = f"global.tls.{given}"
    assert finding_at({"global": {"tls": {given: content[given]}}}, path, CURRENT).severity == "error"
    assert errors(findings_of({"global": {"tls": content}}, CURRENT)) == []


@pytest.mark.parametrize("version", ["0.61.3", "0.65.0", "1.0.5", "1.1.0"])
def test_labels_of_all_objects(version: str) -> None:
    made = objects_of({"global": {"labels": {"team": "a"}}}, version)
    for metadata in [*(manifest["metadata"] for manifest in made.values()), *(pod["metadata"] for pod in pods_of(made))]:
        assert metadata["labels"]["team"] == "a"


def test_selector_labels_cannot_be_overridden() -> None:
    labels = {f"app.kubernetes.io/{key}": "mine" for key in ("name", "instance", "component")}
    own = {"podLabels": labels}
    made = objects_of({"global": {**own, "labels": labels}, "agent": {**own, "labels": labels}, "task": own}, CURRENT)
    for component, pod in zip(("agent", "task"), pods_of(made), strict=True):
        assert pod["metadata"]["labels"] == {
            "app.kubernetes.io/name": "scalr-agent",
            "app.kubernetes.io/instance": "runs",
            "app.kubernetes.io/component": component,
        }
    assert made["deployment"]["spec"]["selector"]["matchLabels"] == pods_of(made)[0]["metadata"]["labels"]


def test_pod_labels_of_the_deployment() -> None:
    given = {"global": {"podLabels": {"a": "global", "b": "global"}}, "agent": {"podLabels": {"a": "agent"}}}
    controller, _ = pods_of(objects_of(given))
    assert controller["metadata"]["labels"] == {
        "a": "agent",
        "b": "global",
        "app.kubernetes.io/name": "agent-job",
        "app.kubernetes.io/instance": "runs",
        "app.kubernetes.io/component": "agent",
    }


@on_both_lines
def test_data_claim_access_mode_and_sub_path(version: str) -> None:
    claim = {"accessMode": "ReadWriteMany", "subPath": "runs"}
    made = objects_of({"persistence": {"data": {"enabled": True, "persistentVolumeClaim": claim}}}, version)
    assert made["data-claim"]["spec"]["accessModes"] == ["ReadWriteMany"]
    _, task = pods_of(made)
    mounted = [
        mount["subPath"] for container in task["spec"]["containers"] for mount in container["volumeMounts"] if mount["name"] == "data-dir"
    ]
    assert mounted == ["runs/run/config", "runs/run/data", "runs/run/providers", "runs/run/tmp", "runs"]


@pytest.mark.parametrize(("given", "made"), [("-", {"storageClassName": ""}), ("", {}), ("fast", {"storageClassName": "fast"})])
def test_storage_class_dash(given: str, made: dict[str, str]) -> None:
    claim = objects_of({"persistence": {"cache": {"enabled": True, "persistentVolumeClaim": {"storageClassName": given}}}})["cache-claim"]
    assert claim["spec"] == {"accessModes": ["ReadWriteMany"], "resources": {"requests": {"storage": "90Gi"}}, **made}


@pytest.mark.parametrize(
    ("agent", "task", "drain", "controller_grace", "worker_grace"),
    [(180, 360, "180", "180", "360"), (90, 600, "90", "90", "600"), (400, 5, "180", "400", "5"), (None, None, "30", "30", "30")],
)
def test_grace_timeouts_follow_grace_periods(
    agent: int | None, task: int | None, drain: str, controller_grace: str, worker_grace: str
) -> None:
    given = {"agent": {"terminationGracePeriodSeconds": agent}, "task": {"terminationGracePeriodSeconds": task}}
    for version in (LEGACY, CURRENT):
        controller_pod, task_pod = pods_of(objects_of(given, version))
        controller = environment_of(controller_pod["spec"]["containers"][0])
        worker = environment_of(task_pod["spec"]["containers"][1])
        assert controller["SCALR_AGENT_WORKER_DRAIN_TIMEOUT"] == drain
        assert controller["SCALR_AGENT_WORKER_GRACE_SHUTDOWN_TIMEOUT"] == controller_grace
        assert worker["SCALR_AGENT_WORKER_GRACE_SHUTDOWN_TIMEOUT"] == worker_grace


def test_no_restart_policy_on_the_job() -> None:
    job = objects_of({})["task-template"]["spec"]["jobTemplate"]["spec"]
    assert sorted(job) == ["activeDeadlineSeconds", "backoffLimit", "template", "ttlSecondsAfterFinished"]
    assert job["template"]["spec"]["restartPolicy"] == "Never"


@on_both_lines
def test_two_releases_do_not_collide(version: str) -> None:
    def identities(release: str, namespace: str) -> set[tuple[str, str, str]]:
        given = MINIMUM | {"persistence": {"cache": {"enabled": True}}}
        made = charts.render("agent-job", given, release=release, namespace=namespace, agent_version=version)
        return {
            (manifest["kind"], manifest["metadata"].get("namespace", ""), manifest["metadata"]["name"])
            for manifest in made
            if manifest["kind"] != "CustomResourceDefinition"
        }

    first, same_namespace, same_release = identities("runs", "scalr"), identities("more", "scalr"), identities("runs", "other")
    assert len(first) == 11
    assert not first & same_namespace
    assert not first & same_release
    assert not identities("b-c", "a") & identities("c", "a-b")


@on_both_lines
def test_own_secret_has_key_token(version: str) -> None:
    made = objects_of({"nameOverride": "agent-job", "agent": {"tokenExistingSecret": {"key": "custom"}}}, version)
    assert made["token-secret"]["stringData"] == {"token": "s3cr3t-token"}
    for pod in pods_of(made):
        references = [
            v["valueFrom"]["secretKeyRef"] for c in pod["spec"]["containers"] for v in c.get("env", []) if v["name"] == "SCALR_AGENT_TOKEN"
        ]
        assert references == [{"name": "runs-agent-job", "key": "token", "optional": False}]


@on_both_lines
def test_token_secret_has_no_annotations(version: str) -> None:
    made = objects_of({"serviceAccount": {"annotations": {"eks.amazonaws.com/role-arn": "arn:aws:iam::111122223333:role/runs"}}}, version)
    assert "annotations" not in made["token-secret"]["metadata"]
    assert made["service-account"]["metadata"]["annotations"] == {"eks.amazonaws.com/role-arn": "arn:aws:iam::111122223333:role/runs"}


@pytest.mark.parametrize(
    ("worker", "image", "policy"),
    [
        ({}, "acme/agent:0.57.1", "Always"),
        ({"repository": "acme/worker"}, "acme/worker:0.57.1", "Always"),
        ({"tag": "0.57.2"}, "acme/agent:0.57.2", "Always"),
        ({"pullPolicy": "Never"}, "acme/agent:0.57.1", "Never"),
    ],
)
def test_worker_image_falls_back_field_by_field(worker: dict[str, str], image: str, policy: str) -> None:
    agent = {"image": {"repository": "acme/agent", "tag": "0.57.1", "pullPolicy": "Always"}}
    _, task = pods_of(objects_of({"agent": agent, "task": {"worker": {"image": worker}}}))
    assert (task["spec"]["containers"][1]["image"], task["spec"]["containers"][1]["imagePullPolicy"]) == (image, policy)


@on_both_lines
def test_every_pod_passes_restricted(version: str) -> None:
    for pod in pods_of(objects_of({"global": {"tls": {"caBundle": BUNDLE}}, "persistence": {"cache": {"enabled": True}}}, version)):
        assert pod_security.violations(pod["spec"], "restricted") == []


def test_hardening_merges_with_what_the_user_sets() -> None:
    given = {"agent": {"controller": {"securityContext": {"capabilities": {"add": ["NET_BIND_SERVICE"]}, "readOnlyRootFilesystem": True}}}}
    controller, _ = pods_of(objects_of(given))
    assert controller["spec"]["containers"][0]["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "capabilities": {"drop": ["ALL"], "add": ["NET_BIND_SERVICE"]},
        "readOnlyRootFilesystem": True,
    }


def test_privileged_containers_are_not_hardened() -> None:
    controller, _ = pods_of(objects_of({"agent": {"controller": {"securityContext": {"privileged": True}}}}))
    assert controller["spec"]["containers"][0]["securityContext"] == {"capabilities": {"drop": ["ALL"]}, "privileged": True}


@on_both_lines
def test_budget_fields(version: str) -> None:
    both = {"agent": {"replicaCount": 3, "podDisruptionBudget": {"maxUnavailable": 1}}}
    assert finding_at(both, "agent.podDisruptionBudget.maxUnavailable", version).severity == "error"
    for unused in ({"replicaCount": 1}, {"replicaCount": None}, {"podDisruptionBudget": {"enabled": False}}):
        given = merge(both, {"agent": unused})
        assert finding_at(given, "agent.podDisruptionBudget.maxUnavailable", version).severity == "warning"
        assert "budget" not in objects_of(given, version)
    zero = {"nameOverride": "agent-job", "agent": {"replicaCount": 3, "podDisruptionBudget": {"minAvailable": None, "maxUnavailable": 0}}}
    assert objects_of(zero, version)["budget"]["spec"] == {
        "maxUnavailable": 0,
        "selector": {
            "matchLabels": {
                "app.kubernetes.io/name": "agent-job",
                "app.kubernetes.io/instance": "runs",
                "app.kubernetes.io/component": "agent",
            }
        },
    }


@pytest.mark.parametrize(
    "change",
    [
        {"agent": {"token": "another"}},
        {"global": {"tls": {"caBundle": BUNDLE}}},
        {"global": {"tls": {"clientCert": BUNDLE, "clientKey": KEY}}},
    ],
    ids=["token", "ca-bundle", "client-cert"],
)
def test_pods_roll_when_a_secret_changes(change: dict[str, Any]) -> None:
    def digest(given: dict[str, Any]) -> Any:
        return pods_of(objects_of(given, CURRENT))[0]["metadata"]["annotations"]["checksum/secrets"]

    assert digest({}) == digest({"agent": {"debug": "1"}})
    assert digest({}) != digest(change)


def test_the_ca_bundle_rolls_pods_with_an_existing_token() -> None:
    existing = {"agent": {"token": None, "tokenExistingSecret": {"name": "pool"}}}
    assert "annotations" not in pods_of(objects_of(existing))[0]["metadata"]
    assert list(pods_of(objects_of(merge(existing, {"global": {"tls": {"caBundle": BUNDLE}}})))[0]["metadata"]["annotations"]) == [
        "checksum/secrets"
    ]


def test_guessable_variables_have_no_digest() -> None:
    existing = {"agent": {"token": None, "tokenExistingSecret": {"name": "pool"}}}
    certificate = merge(existing, {"global": {"tls": {"clientCert": BUNDLE, "clientKey": KEY}}})
    for given, expected in ((existing, False), (certificate, True), ({}, True)):
        made = objects(merge(MINIMUM, given), Inputs(secret_env={"PIN": "4711"}), version=CURRENT)
        assert ("checksum/secrets" in pods_of(made)[0]["metadata"].get("annotations", {})) is expected


@pytest.mark.parametrize(
    ("budget", "at_least"),
    [({}, 2147483647), ({"maxUnavailable": 0}, 2147483647), ({"minAvailable": None}, 2147483647), ({"minAvailable": 3}, 3)],
)
def test_task_budget(budget: dict[str, Any], at_least: int) -> None:
    for version in (LEGACY, CURRENT):
        spec = objects_of({"task": {"podDisruptionBudget": budget}}, version)["task-budget"]["spec"]
        assert {key: value for key, value in spec.items() if key != "selector"} == {"minAvailable": at_least}
        assert spec["selector"]["matchLabels"]["app.kubernetes.io/component"] == "task"


@pytest.mark.parametrize("budget", [{"maxUnavailable": 1}, {"maxUnavailable": "50%"}, {"minAvailable": "50%"}])
def test_task_budgets_that_need_a_scale_are_refused(budget: dict[str, Any]) -> None:
    with pytest.raises(ValuesError, match=rf"error: task\.podDisruptionBudget\.{next(iter(budget))}: .* scale"):
        charts.render("agent-job", merge(MINIMUM, {"task": {"podDisruptionBudget": budget}}), release="runs", namespace="scalr")


def test_read_write_once_cache_warns() -> None:
    path = "persistence.cache.persistentVolumeClaim.accessMode"
    claim = {"enabled": True, "persistentVolumeClaim": {"accessMode": "ReadWriteOnce"}}
    assert finding_at({"persistence": {"cache": claim}}, path).severity == "warning"
    assert path not in [finding.path for finding in findings_of({"persistence": {"cache": {"enabled": True}}})]


@pytest.mark.parametrize(
    ("given", "warned"),
    [
        ({"agent": {"providerCache": {"enabled": True}}}, True),
        ({"agent": {"providerCache": {"enabled": True, "sizeLimit": "1Gi"}}}, False),
        ({"agent": {"providerCache": {"enabled": True}}, "persistence": {"cache": {"enabled": True}}}, False),
        (
            {
                "agent": {name: {"enabled": True, "sizeLimit": "50Gi"} for name in ("providerCache", "moduleCache")},
                "persistence": {"cache": {"enabled": True}},
            },
            True,
        ),
        (
            {
                "agent": {"providerCache": {"enabled": True}},
                "persistence": {"cache": {"enabled": True, "persistentVolumeClaim": {"claimName": "c"}}},
            },
            False,
        ),
    ],
)
def test_cache_limit_above_volume_warns(given: dict[str, Any], *, warned: bool) -> None:
    assert ("agent.providerCache.sizeLimit" in [finding.path for finding in findings_of(given)]) is warned
