"""The schedule of placeholders, on both lines."""

from typing import Any

import pytest
from scalr_agents import charts
from scalr_agents.charts.agent_job.checks import schedule
from scalr_agents.charts.shared.inputs import Inputs
from scalr_agents.charts.shared.network.settings import Network
from scalr_agents.model.merge import merge
from scalr_agents.stack import pod_security

from tests.charts.agent_job.nodes import BUFFER, HARDENED, MIRROR, NAMES, PLACEMENT, labels_of, made_of, metadata, pod_of
from tests.helpers.agent_job import CURRENT, LEGACY, MINIMUM, nested
from tests.helpers.validated import validate

DIGEST = f"2@sha256:{64 * '0'}"
SCHEDULE = "task.buffer.schedule"
WORK: dict[str, Any] = {"days": ["mon-fri"], "from": "07:30", "to": "18:00", "timezone": "Europe/Berlin", "replicas": 5}


def _scheduled(*windows: dict[str, Any]) -> dict[str, Any]:
    return nested(SCHEDULE, list(windows))


def _cron_jobs(*windows: dict[str, Any], base: dict[str, Any] = BUFFER) -> dict[str, tuple[str, str, str]]:
    """When each CronJob runs, in which time zone, and the patch that it makes."""
    return {
        role.removeprefix("buffer-schedule-"): (
            manifest["spec"]["schedule"],
            manifest["spec"]["timeZone"],
            pod_of(manifest)["spec"]["containers"][0]["command"][-1].removeprefix("--patch="),
        )
        for role, manifest in made_of(_scheduled(*windows), base=base).items()
        if manifest["kind"] == "CronJob"
    }


def _replicas(number: int) -> str:
    return f'{{"spec":{{"replicas":{number}}}}}'


@pytest.mark.parametrize("version", [LEGACY, CURRENT])
def test_the_objects_of_a_schedule(version: str) -> None:
    made, full = made_of(_scheduled(WORK), version), f"runs-{NAMES[version]}"
    name, group = f"{full}-buffer-schedule", "rbac.authorization.k8s.io"
    common = metadata(version, name, "buffer-schedule")
    assert "replicas" not in made["buffer"]["spec"]
    assert made["buffer-schedule-account"] == {
        "apiVersion": "v1",
        "kind": "ServiceAccount",
        "metadata": common,
        "automountServiceAccountToken": False,
    }
    assert made["buffer-schedule-role"] == {
        "apiVersion": f"{group}/v1",
        "kind": "Role",
        "metadata": common,
        "rules": [
            {"apiGroups": ["apps"], "resources": ["deployments/scale"], "resourceNames": [f"{full}-buffer"], "verbs": ["get", "patch"]}
        ],
    }
    assert made["buffer-schedule-role-binding"]["roleRef"] == {"apiGroup": group, "kind": "Role", "name": name}
    assert made["buffer-schedule-role-binding"]["subjects"] == [{"kind": "ServiceAccount", "name": name, "namespace": "scalr"}]
    assert made["buffer-schedule-0-from"] == {
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "metadata": metadata(version, f"{full}-buffer-0-from", "buffer-schedule"),
        "spec": {
            "schedule": "30 7 * * 1,2,3,4,5",
            "timeZone": "Europe/Berlin",
            "concurrencyPolicy": "Replace",
            "startingDeadlineSeconds": 600,
            "successfulJobsHistoryLimit": 1,
            "failedJobsHistoryLimit": 1,
            "jobTemplate": {
                "metadata": {"labels": common["labels"]},
                "spec": {
                    "backoffLimit": 3,
                    "activeDeadlineSeconds": 300,
                    "template": {
                        "metadata": {"labels": labels_of(version, "buffer-schedule")},
                        "spec": {
                            "serviceAccountName": name,
                            "automountServiceAccountToken": True,
                            "restartPolicy": "OnFailure",
                            "securityContext": {"seccompProfile": {"type": "RuntimeDefault"}},
                            "containers": [
                                {
                                    "name": "kubectl",
                                    "image": "registry.k8s.io/kubectl:v1.36.4",
                                    "imagePullPolicy": "IfNotPresent",
                                    "command": [
                                        *("kubectl", "patch", "deployment", f"{full}-buffer", "--subresource=scale", "--type=merge"),
                                        f"--patch={_replicas(5)}",
                                    ],
                                    "securityContext": {
                                        **HARDENED,
                                        "runAsUser": 65534,
                                        "runAsGroup": 65534,
                                        "runAsNonRoot": True,
                                        "readOnlyRootFilesystem": True,
                                    },
                                    "resources": {
                                        "requests": {"cpu": "10m", "memory": "32Mi"},
                                        "limits": {"cpu": "500m", "memory": "128Mi"},
                                    },
                                }
                            ],
                        },
                    },
                },
            },
        },
    }
    assert pod_security.violations(pod_of(made["buffer-schedule-0-to"])["spec"], "restricted") == []


@pytest.mark.parametrize(
    ("windows", "expected"),
    [
        (
            [WORK],
            {
                "0-from": ("30 7 * * 1,2,3,4,5", "Europe/Berlin", _replicas(5)),
                "0-to": ("0 18 * * 1,2,3,4,5", "Europe/Berlin", _replicas(2)),
            },
        ),
        (
            [{"from": "22:00", "to": "00:00", "replicas": 0}],
            {"0-from": ("0 22 * * *", "UTC", _replicas(0)), "0-to": ("0 0 * * *", "UTC", _replicas(2))},
        ),
        (
            [{"days": ["fri-mon", "sat"], "from": "23:00", "to": "05:00", "replicas": 4.0}],
            {"0-from": ("0 23 * * 0,1,5,6", "UTC", _replicas(4)), "0-to": ("0 5 * * 0,1,2,6", "UTC", _replicas(2))},
        ),
        (  # the second begins where the first ends, except on Friday
            [WORK, WORK | {"days": ["mon-thu"], "from": "18:00", "to": "22:00", "replicas": 1}],
            {
                "0-from": ("30 7 * * 1,2,3,4,5", "Europe/Berlin", _replicas(5)),
                "0-to": ("0 18 * * 5", "Europe/Berlin", _replicas(2)),
                "1-from": ("0 18 * * 1,2,3,4", "Europe/Berlin", _replicas(1)),
                "1-to": ("0 22 * * 1,2,3,4", "Europe/Berlin", _replicas(2)),
            },
        ),
        (  # round the clock
            [{"from": "00:00", "to": "12:00", "replicas": 1}, {"from": "12:00", "to": "00:00", "replicas": 3}],
            {"0-from": ("0 0 * * *", "UTC", _replicas(1)), "1-from": ("0 12 * * *", "UTC", _replicas(3))},
        ),
    ],
)
def test_when_the_number_changes(windows: list[dict[str, Any]], expected: dict[str, tuple[str, str, str]]) -> None:
    assert _cron_jobs(*windows) == expected


def test_outside_of_its_windows_a_schedule_alone_keeps_nothing() -> None:
    assert _cron_jobs(WORK, base={})["0-to"][2] == _replicas(0)
    assert {"buffer", "buffer-priority"} <= made_of(_scheduled(WORK), base={}).keys()


def test_names_of_cron_jobs_fit() -> None:
    def named(full: str) -> list[str]:
        made = made_of(merge(_scheduled(WORK), {"fullnameOverride": full}))
        return [manifest["metadata"]["name"] for manifest in made.values() if manifest["kind"] == "CronJob"]

    assert named("a" * 38) == [f"{'a' * 38}-buffer-0-from", f"{'a' * 38}-buffer-0-to"]
    first, second = named("a" * 60), named("a" * 59 + "b")
    assert all(len(name) <= 52 and name.endswith(("-buffer-0-from", "-buffer-0-to")) for name in (*first, *second))
    assert len({*first, *second}) == 4


@pytest.mark.parametrize(
    ("given", "image"),
    [
        ({}, "registry.k8s.io/kubectl:v1.36.4"),
        ({"global": {"imageRegistry": "mirror.acme"}}, "mirror.acme/kubectl:v1.36.4"),
        ({"global": MIRROR}, "mirror.acme:5000/acme/mirrored/kubectl:v1.36.4"),
        (
            nested("task.buffer.kubectlImage", {"repository": "acme/tools", "tag": "2@sha256:" + 64 * "0"}),
            f"acme/tools:2@sha256:{64 * '0'}",
        ),
    ],
)
def test_the_image_of_kubectl(given: dict[str, Any], image: str) -> None:
    made = made_of(merge(_scheduled(WORK), given), inputs=Inputs(agent_image="a:1", runner_image="r:2"))
    assert [pod_of(made[f"buffer-schedule-0-{edge}"])["spec"]["containers"][0]["image"] for edge in ("from", "to")] == [image, image]


def test_pods_run_on_the_nodes_of_controllers() -> None:
    common = {"podAnnotations": {"team": "web"}, "podLabels": {"team": "web"}, "imagePullSecrets": [{"name": "regcred"}]}
    made = made_of(merge(_scheduled(WORK), {"global": common, "agent": PLACEMENT, "task": {"nodeSelector": {"pool": "none"}}}))
    pod = pod_of(made["buffer-schedule-0-from"])
    assert {key: pod["spec"].get(key) for key in PLACEMENT} == PLACEMENT
    assert pod["spec"]["imagePullSecrets"] == [{"name": "regcred"}]
    assert pod["metadata"] == {"annotations": {"team": "web"}, "labels": {"team": "web", **labels_of(CURRENT, "buffer-schedule")}}


def test_their_disk_is_accounted_for() -> None:
    [container] = pod_of(made_of(_scheduled(WORK), inputs=Inputs(disk=True))["buffer-schedule-0-from"])["spec"]["containers"]
    assert [container["resources"][kind]["ephemeral-storage"] for kind in ("requests", "limits")] == ["50Mi", "50Mi"]


@pytest.mark.parametrize("enforced_by", ["kubernetes", "cilium", "gke"])
def test_a_closed_network_lets_them_reach_the_api_server_only(enforced_by: str) -> None:
    network = Network.model_validate({"egress": {"enforcedBy": enforced_by, "only": [{"cidr": "10.0.0.0/8", "ports": [443]}]}})
    proxy = {"global": {"proxy": {"enabled": True, "httpsProxy": "http://10.0.0.5:3128", "httpProxy": "http://10.0.0.5:3128"}}}
    made = made_of(merge(_scheduled(WORK), proxy), inputs=Inputs(network=network, api_server=["10.1.2.3/32"]))
    assert [role for role in made if "schedule-egress" in role] == ["buffer-schedule-egress"]
    policy = made["buffer-schedule-egress"]
    assert policy["metadata"]["name"] == "runs-scalr-agent-buffer-schedule-network-policy"
    selector = policy["spec"].get("podSelector") or policy["spec"]["endpointSelector"]
    assert selector["matchLabels"].items() <= pod_of(made["buffer-schedule-0-from"])["metadata"]["labels"].items()
    beyond_dns = [rule for rule in policy["spec"]["egress"] if "53" not in str(rule)]
    if enforced_by == "cilium":
        assert beyond_dns == [{"toEntities": ["kube-apiserver"]}]
    else:
        ports = [{"protocol": "TCP", "port": 443}, {"protocol": "TCP", "port": 6443}]
        assert beyond_dns == [{"to": [{"ipBlock": {"cidr": "10.1.2.3/32"}}], "ports": ports}]


def test_without_rbac_the_account_gets_no_role() -> None:
    made = made_of(merge(_scheduled(WORK), {"rbac": {"create": False}}))
    assert [role for role in made if role.startswith("buffer-schedule-")] == [
        "buffer-schedule-account",
        "buffer-schedule-0-from",
        "buffer-schedule-0-to",
    ]


NIGHT = {"days": ["sun"], "from": "22:00", "to": "02:00", "timezone": "Europe/Berlin", "replicas": 1}


@pytest.mark.parametrize(
    ("windows", "severity", "path", "message"),
    [
        ([WORK | {"days": ["monday"]}], "error", f"{SCHEDULE}[0].days[0]", "not a day or a range of days; write mon, tue, "),
        ([WORK | {"days": []}], "error", f"{SCHEDULE}[0].days", ""),
        ([WORK | {"from": "7:30"}], "error", f"{SCHEDULE}[0].from", "not a time of the day; write HH:MM"),
        ([WORK | {"to": "24:00"}], "error", f"{SCHEDULE}[0].to", "not a time of the day; write HH:MM"),
        ([WORK | {"to": 1080}], "error", f"{SCHEDULE}[0].to", "a number; quote the time"),
        (
            [WORK | {"to": "07:30"}],
            "error",
            f"{SCHEDULE}[0].to",
            "equals from; for the whole day, set another number",
        ),
        ([WORK | {"replicas": -1}], "error", f"{SCHEDULE}[0].replicas", ""),
        ([{"from": "07:30", "to": "18:00"}], "error", f"{SCHEDULE}[0].replicas", ""),
        ([WORK | {"timezone": "Europe/Berln"}], "error", f"{SCHEDULE}[0].timezone", "not a time zone of the IANA database"),
        ([WORK | {"timezone": "Local"}], "error", f"{SCHEDULE}[0].timezone", "not a time zone of the IANA database"),
        ([WORK | {"days": ["sat"]}, WORK | {"days": ["sun"], "timezone": "UTC"}], "error", f"{SCHEDULE}[1].timezone", "another one than"),
        ([WORK, WORK | {"days": ["fri-sun"]}], "error", f"{SCHEDULE}[1]", f"overlaps {SCHEDULE}[0] on fri at 07:30"),
        ([WORK, WORK | {"from": "17:59", "to": "18:30"}], "error", f"{SCHEDULE}[1]", f"overlaps {SCHEDULE}[0] on mon at 17:59"),
        ([NIGHT, NIGHT | {"days": ["mon"], "from": "01:00"}], "error", f"{SCHEDULE}[1]", f"overlaps {SCHEDULE}[0] on mon at 01:00"),
        (
            [NIGHT | {"from": "02:30", "to": "04:00"}],
            "warning",
            f"{SCHEDULE}[0].from",
            "does not exist on the day when clocks go forward",
        ),
        ([NIGHT | {"days": ["sat"], "to": "02:30"}], "warning", f"{SCHEDULE}[0].to", "(in 2027 2027-03-28)"),
    ],
)
def test_mistakes(windows: list[dict[str, Any]], severity: str, path: str, message: str) -> None:
    [found] = _findings(_scheduled(*windows))
    assert (found.severity, found.path) == (severity, path)
    assert message in found.message


@pytest.mark.parametrize(
    ("given", "path"),
    [
        (nested("task.buffer.kubectlImage.tag", "v1.35.9"), "task.buffer.kubectlImage"),
        (merge(_scheduled(WORK), nested("rbac.create", False)), SCHEDULE),
        (merge(_scheduled(WORK), {"task": {"worker": {"resources": None}, "runner": {"resources": None}}}), "task.buffer.replicas"),
    ],
)
def test_warnings(given: dict[str, Any], path: str) -> None:
    assert [(finding.severity, finding.path) for finding in _findings(given)] == [("warning", path)]


@pytest.mark.parametrize(
    "given",
    [
        _scheduled(WORK, WORK | {"days": ["sat", "sun"]}),
        _scheduled(NIGHT, NIGHT | {"days": ["mon"], "from": "02:00", "to": "08:00"}),
        _scheduled(NIGHT | {"days": ["mon-fri"], "to": "02:30"}),
        merge(_scheduled(WORK), nested("task.buffer.priorityClassName", "low")),
        nested(SCHEDULE, None),
    ],
)
def test_nothing_is_found_about(given: dict[str, Any]) -> None:
    assert _findings(given) == []


@pytest.mark.parametrize("key", ["repository", "tag"])
def test_the_image_is_complete(key: str) -> None:
    [found] = _findings(merge(_scheduled(WORK), nested(f"task.buffer.kubectlImage.{key}", "")))
    assert (found.severity, found.path) == ("error", f"task.buffer.kubectlImage.{key}")


def test_a_system_without_time_zones_leaves_them_to_the_cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schedule, "available_timezones", set)
    assert _findings(_scheduled(WORK | {"timezone": "Europe/Berln"})) == []


def _findings(given: dict[str, Any]) -> Any:
    return validate("agent-job", merge(MINIMUM, given), release="runs", namespace="scalr", agent_version=CURRENT).findings


def test_names_are_known_before() -> None:
    names = charts.names("agent-job", "runs", "scalr", agent_version=CURRENT)
    assert (names.buffer_schedule, names.buffer_schedule_policy) == (
        "runs-scalr-agent-buffer-schedule",
        "runs-scalr-agent-buffer-schedule-network-policy",
    )
