"""One test for every row of docs/helm-differences.md: where the chart is broken or unsafe, we are not."""

from typing import Any

import pytest
from scalr_agents import charts
from scalr_agents import charts as values
from scalr_agents.charts.shared.inputs import Inputs
from scalr_agents.model.findings import Finding, ValuesError, errors
from scalr_agents.model.merge import merge
from scalr_agents.stack import pod_security

from tests.charts.agent_job.changes import CURRENT, LEGACY, MINIMUM, objects

BUNDLE = "-----BEGIN CERTIFICATE-----\nMAMCAQE=\n-----END CERTIFICATE-----\n"
KEY = "-----BEGIN PRIVATE KEY-----\nMAMCAQE=\n-----END PRIVATE KEY-----\n"
on_both_lines = pytest.mark.parametrize("version", [LEGACY, CURRENT])


def _objects(given: dict[str, Any], version: str = LEGACY) -> dict[str, dict[str, Any]]:
    return objects(merge(MINIMUM, given), version=version)


def _pods(made: dict[str, dict[str, Any]]) -> tuple[dict[str, Any], dict[str, Any]]:
    controller = made["deployment"]["spec"]["template"]
    task = made["task-template"]["spec"]["jobTemplate"]["spec"]["template"]
    return controller, task


def _environment(container: dict[str, Any]) -> dict[str, Any]:
    return {variable["name"]: variable.get("value") for variable in container["env"]}


def _findings(given: dict[str, Any], version: str = LEGACY) -> list[Finding]:
    return values.check("agent-job", merge(MINIMUM, given), release="runs", namespace="scalr", agent_version=version)


def _finding(given: dict[str, Any], path: str, version: str = LEGACY) -> Finding:
    return next(finding for finding in _findings(given, version) if finding.path == path)


@on_both_lines
def test_component_settings_beat_global(version: str) -> None:
    given = {
        "global": {"podAnnotations": {"a": "global", "b": "global"}, "podSecurityContext": {"runAsUser": 2000}},
        "agent": {"podAnnotations": {"a": "agent"}, "podSecurityContext": {"runAsUser": 0, "runAsNonRoot": False}},
        "task": {"podAnnotations": {"a": "task"}, "podSecurityContext": {"fsGroup": 0}},
    }
    controller, task = _pods(_objects(given, version))
    assert {key: controller["metadata"]["annotations"][key] for key in "ab"} == {"a": "agent", "b": "global"}
    assert {key: task["metadata"]["annotations"][key] for key in "ab"} == {"a": "task", "b": "global"}
    assert controller["spec"]["securityContext"]["runAsUser"] == 0
    assert controller["spec"]["securityContext"]["runAsNonRoot"] is False
    assert (task["spec"]["securityContext"]["runAsUser"], task["spec"]["securityContext"]["fsGroup"]) == (2000, 0)


def test_component_labels_and_annotations_beat_global() -> None:
    own = {"labels": {"a": "own"}, "annotations": {"a": "own"}}
    given = {
        "global": {"labels": {"a": "global", "b": "global"}, "annotations": {"a": "global", "b": "global"}},
        "agent": own,
        "serviceAccount": own,
        "task": {"jobLabels": own["labels"], "jobAnnotations": own["annotations"]},
    }
    made = _objects(given, CURRENT)
    for manifest in (made["deployment"], made["service-account"], made["task-template"]["spec"]["jobTemplate"]):
        for kind in ("labels", "annotations"):
            assert {key: manifest["metadata"][kind][key] for key in "ab"} == {"a": "own", "b": "global"}
    assert {key: made["role"]["metadata"]["labels"][key] for key in "ab"} == {"a": "global", "b": "global"}


def test_tokens_of_mirrors_are_a_secret() -> None:
    made = _objects({"agent": {"providerNetworkMirrors": [{"url": "https://mirror.example/", "token": "m1rr0r"}]}}, CURRENT)
    assert [role for role, manifest in made.items() if "m1rr0r" in str(manifest)] == ["env-secret"]


@pytest.mark.parametrize("given", ["clientCert", "clientKey"])
def test_half_a_client_certificate_is_refused(given: str) -> None:
    content = {"clientCert": BUNDLE, "clientKey": KEY}
    path = f"global.tls.{given}"
    assert _finding({"global": {"tls": {given: content[given]}}}, path, CURRENT).severity == "error"
    assert errors(_findings({"global": {"tls": content}}, CURRENT)) == []


def test_the_selectors_labels_cannot_be_taken_from_pods() -> None:
    own = {"podLabels": {"app.kubernetes.io/name": "mine"}}
    made = _objects({"global": {**own, "labels": own["podLabels"]}, "agent": own, "task": own}, CURRENT)
    for pod in _pods(made):
        assert pod["metadata"]["labels"]["app.kubernetes.io/name"] == "scalr-agent"
    assert made["deployment"]["spec"]["selector"]["matchLabels"].items() <= _pods(made)[0]["metadata"]["labels"].items()


def test_pod_labels_of_the_deployment() -> None:
    given = {"global": {"podLabels": {"a": "global", "b": "global"}}, "agent": {"podLabels": {"a": "agent"}}}
    controller, _ = _pods(_objects(given))
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
    made = _objects({"persistence": {"data": {"enabled": True, "persistentVolumeClaim": claim}}}, version)
    assert made["data-claim"]["spec"]["accessModes"] == ["ReadWriteMany"]
    _, task = _pods(made)
    mounted = [
        mount["subPath"] for container in task["spec"]["containers"] for mount in container["volumeMounts"] if mount["name"] == "data-dir"
    ]
    assert mounted == ["runs/run/config", "runs/run/data", "runs/run/providers", "runs/run/tmp", "runs"]


@pytest.mark.parametrize(("given", "made"), [("-", {"storageClassName": ""}), ("", {}), ("fast", {"storageClassName": "fast"})])
def test_storage_class_dash(given: str, made: dict[str, str]) -> None:
    claim = _objects({"persistence": {"cache": {"enabled": True, "persistentVolumeClaim": {"storageClassName": given}}}})["cache-claim"]
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
        controller_pod, task_pod = _pods(_objects(given, version))
        controller = _environment(controller_pod["spec"]["containers"][0])
        worker = _environment(task_pod["spec"]["containers"][1])
        assert controller["SCALR_AGENT_WORKER_DRAIN_TIMEOUT"] == drain
        assert controller["SCALR_AGENT_WORKER_GRACE_SHUTDOWN_TIMEOUT"] == controller_grace
        assert worker["SCALR_AGENT_WORKER_GRACE_SHUTDOWN_TIMEOUT"] == worker_grace


def test_no_restart_policy_on_the_job() -> None:
    job = _objects({})["task-template"]["spec"]["jobTemplate"]["spec"]
    assert sorted(job) == ["activeDeadlineSeconds", "backoffLimit", "template", "ttlSecondsAfterFinished"]
    assert job["template"]["spec"]["restartPolicy"] == "Never"


@on_both_lines
def test_two_releases_never_collide(version: str) -> None:
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
    made = _objects({"nameOverride": "agent-job", "agent": {"tokenExistingSecret": {"key": "custom"}}}, version)
    assert made["token-secret"]["stringData"] == {"token": "s3cr3t-token"}
    for pod in _pods(made):
        references = [
            v["valueFrom"]["secretKeyRef"] for c in pod["spec"]["containers"] for v in c.get("env", []) if v["name"] == "SCALR_AGENT_TOKEN"
        ]
        assert references == [{"name": "runs-agent-job", "key": "token", "optional": False}]


@on_both_lines
def test_token_secret_has_no_annotations(version: str) -> None:
    made = _objects({"serviceAccount": {"annotations": {"eks.amazonaws.com/role-arn": "arn:aws:iam::111122223333:role/runs"}}}, version)
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
    _, task = _pods(_objects({"agent": agent, "task": {"worker": {"image": worker}}}))
    assert (task["spec"]["containers"][1]["image"], task["spec"]["containers"][1]["imagePullPolicy"]) == (image, policy)


@on_both_lines
def test_every_pod_passes_restricted(version: str) -> None:
    for pod in _pods(_objects({"global": {"tls": {"caBundle": BUNDLE}}, "persistence": {"cache": {"enabled": True}}}, version)):
        assert pod_security.violations(pod["spec"], "restricted") == []


def test_hardening_merges_with_what_the_user_sets() -> None:
    given = {"agent": {"controller": {"securityContext": {"capabilities": {"add": ["NET_BIND_SERVICE"]}, "readOnlyRootFilesystem": True}}}}
    controller, _ = _pods(_objects(given))
    assert controller["spec"]["containers"][0]["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "capabilities": {"drop": ["ALL"], "add": ["NET_BIND_SERVICE"]},
        "readOnlyRootFilesystem": True,
    }


def test_hardening_gives_way_to_a_privileged_container() -> None:
    controller, _ = _pods(_objects({"agent": {"controller": {"securityContext": {"privileged": True}}}}))
    assert controller["spec"]["containers"][0]["securityContext"] == {"capabilities": {"drop": ["ALL"]}, "privileged": True}


@on_both_lines
def test_budget_fields(version: str) -> None:
    both = {"agent": {"replicaCount": 3, "podDisruptionBudget": {"maxUnavailable": 1}}}
    assert _finding(both, "agent.podDisruptionBudget.maxUnavailable", version).severity == "error"
    for unused in ({"replicaCount": 1}, {"replicaCount": None}, {"podDisruptionBudget": {"enabled": False}}):
        given = merge(both, {"agent": unused})
        assert _finding(given, "agent.podDisruptionBudget.maxUnavailable", version).severity == "warning"
        assert "budget" not in _objects(given, version)
    zero = {"nameOverride": "agent-job", "agent": {"replicaCount": 3, "podDisruptionBudget": {"minAvailable": None, "maxUnavailable": 0}}}
    assert _objects(zero, version)["budget"]["spec"] == {
        "maxUnavailable": 0,
        "selector": {
            "matchLabels": {
                "app.kubernetes.io/name": "agent-job",
                "app.kubernetes.io/instance": "runs",
                "app.kubernetes.io/component": "agent",
            }
        },
    }


@on_both_lines
def test_network_policy_egress(version: str) -> None:
    policy = _objects({}, version)["egress"]["spec"]
    assert policy["policyTypes"] == ["Egress"]
    assert policy["podSelector"]["matchLabels"]["app.kubernetes.io/component"] == "task"
    assert policy["egress"] == [
        {
            "to": [{"namespaceSelector": {}}, {"ipBlock": {"cidr": "169.254.169.254/32"}}, {"ipBlock": {"cidr": "169.254.20.10/32"}}],
            "ports": [{"protocol": "UDP", "port": 53}, {"protocol": "TCP", "port": 53}],
        },
        {
            "to": [
                {
                    "ipBlock": {
                        "cidr": "0.0.0.0/0",
                        "except": ["169.254.169.254/32", "169.254.169.252/32", "168.63.129.16/32", "100.100.100.200/32"],
                    }
                },
                {"ipBlock": {"cidr": "::/0", "except": ["fd00:ec2::254/128", "fd20:ce::254/128"]}},
            ],
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
def test_runs_that_mount_file_systems_themselves(version: str) -> None:
    closed, opened = (_objects(given, version)["egress"]["spec"]["egress"] for given in ({}, {"task": {"allowNfs": True}}))
    assert opened == [closed[0], {"to": closed[1]["to"]}]
    no_policy = {"task": {"allowNfs": False, "allowMetadataService": True}}
    assert (_finding(no_policy, "task.allowNfs", version).severity, "egress" in _objects(no_policy, version)) == ("warning", False)
    assert _findings({"task": {"allowMetadataService": True}}, version) == []


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
def test_identities_out_of_the_metadata_service_warn(given: dict[str, Any], path: str) -> None:
    finding = _finding(given, path)
    assert (finding.severity, "task.allowMetadataService: true" in finding.message) == ("warning", True)
    assert path not in [finding.path for finding in _findings(merge(given, {"task": {"allowMetadataService": True}}))]


@on_both_lines
def test_no_cluster_rules_leave_what_is_cluster_wide_to_others(version: str) -> None:
    everything = {(manifest["kind"], manifest["metadata"]["name"]) for manifest in _objects({}, version).values()}
    rest = {(manifest["kind"], manifest["metadata"]["name"]) for manifest in _objects({"rbac": {"clusterRules": []}}, version).values()}
    assert {kind for kind, _ in everything - rest} == {"ClusterRole", "ClusterRoleBinding"}
    assert rest < everything


@on_both_lines
def test_default_account_is_refused(version: str) -> None:
    assert _finding({"serviceAccount": {"create": False}}, "serviceAccount.name", version).severity == "error"
    assert errors(_findings({"serviceAccount": {"create": False}, "rbac": {"create": False}}, version)) == []


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
        return _pods(_objects(given, CURRENT))[0]["metadata"]["annotations"]["checksum/secrets"]

    assert digest({}) == digest({"agent": {"debug": "1"}})
    assert digest({}) != digest(change)


def test_the_ca_bundle_rolls_pods_whose_token_is_elsewhere() -> None:
    existing = {"agent": {"token": None, "tokenExistingSecret": {"name": "pool"}}}
    assert "annotations" not in _pods(_objects(existing))[0]["metadata"]
    assert list(_pods(_objects(merge(existing, {"global": {"tls": {"caBundle": BUNDLE}}})))[0]["metadata"]["annotations"]) == [
        "checksum/secrets"
    ]


def test_variables_that_could_be_guessed_have_no_digest() -> None:
    existing = {"agent": {"token": None, "tokenExistingSecret": {"name": "pool"}}}
    certificate = merge(existing, {"global": {"tls": {"clientCert": BUNDLE, "clientKey": KEY}}})
    for given, expected in ((existing, False), (certificate, True), ({}, True)):
        made = objects(merge(MINIMUM, given), Inputs(secret_env={"PIN": "4711"}), version=CURRENT)
        assert ("checksum/secrets" in _pods(made)[0]["metadata"].get("annotations", {})) is expected


@pytest.mark.parametrize(
    ("budget", "at_least"),
    [({}, 2147483647), ({"maxUnavailable": 0}, 2147483647), ({"minAvailable": None}, 2147483647), ({"minAvailable": 3}, 3)],
)
def test_task_budget(budget: dict[str, Any], at_least: int) -> None:
    for version in (LEGACY, CURRENT):
        spec = _objects({"task": {"podDisruptionBudget": budget}}, version)["task-budget"]["spec"]
        assert {key: value for key, value in spec.items() if key != "selector"} == {"minAvailable": at_least}
        assert spec["selector"]["matchLabels"]["app.kubernetes.io/component"] == "task"


@pytest.mark.parametrize("budget", [{"maxUnavailable": 1}, {"maxUnavailable": "50%"}, {"minAvailable": "50%"}])
def test_task_budgets_that_need_a_scale_are_refused(budget: dict[str, Any]) -> None:
    with pytest.raises(ValuesError, match=rf"error: task\.podDisruptionBudget\.{next(iter(budget))}: .* scale"):
        charts.render("agent-job", merge(MINIMUM, {"task": {"podDisruptionBudget": budget}}), release="runs", namespace="scalr")


def test_read_write_once_cache_warns() -> None:
    path = "persistence.cache.persistentVolumeClaim.accessMode"
    claim = {"enabled": True, "persistentVolumeClaim": {"accessMode": "ReadWriteOnce"}}
    assert _finding({"persistence": {"cache": claim}}, path).severity == "warning"
    assert path not in [finding.path for finding in _findings({"persistence": {"cache": {"enabled": True}}})]


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
    assert ("agent.providerCache.sizeLimit" in [finding.path for finding in _findings(given)]) is warned
