"""The cross-checks of agent-k8s: what each finds, where, and what it lets pass."""

import base64
from typing import Any

import pytest
from scalr_agents.charts.agent_k8s.objects import TASK_LABELS
from scalr_agents.charts.shared.inputs import Inputs
from scalr_agents.charts.shared.network.settings import Network
from scalr_agents.model.maps import merge

from tests.helpers.agent_job import nested
from tests.helpers.agent_k8s import EFS, MINIMUM, VERSIONS
from tests.helpers.agent_local import CERTIFICATE, ROOT
from tests.helpers.validated import validate

QUIET = merge(MINIMUM, {"agent": {"data_home": "/var/lib/runs"}, "workerNodeSelector": {"pool": "runs"}})
"""Values with only the one finding that no value can avoid: `securityContext`."""
GKE = {"iam.gke.io/gcp-service-account": "runs@acme.iam.gserviceaccount.com"}
COMPONENT = r"app\.kubernetes\.io/component"
WORKER = {
    "app.kubernetes.io/name": "agent-k8s",
    "app.kubernetes.io/instance": "runs",
    "app.kubernetes.io/component": "worker",
}


def _encoded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def _findings(given: dict[str, Any], *, line: str = "current", inputs: Inputs | None = None) -> dict[str, tuple[str, str]]:
    version = VERSIONS[line]
    found = validate("agent-k8s", given, release="runs", namespace="scalr", agent_version=version, inputs=inputs).findings
    assert len({finding.path for finding in found}) == len(found)
    return {finding.path: (finding.severity, finding.message) for finding in found}


ERRORS = [
    (nested("agent.tokn", "x"), "agent.tokn", "unknown key 'tokn'; did you mean 'token'?"),
    (nested("agent.dataHome", "/x"), "agent.dataHome", "unknown key 'dataHome'; did you mean 'data_home'?"),
    (nested("worker_tolerations", []), "worker_tolerations", "unknown key 'worker_tolerations'; did you mean 'workerTolerations'?"),
    (nested("agent.tokenExistingSecret", {"name": "pool"}), "agent.tokenExistingSecret", "expected a string, given a map"),
    (nested("agent.debug", "maybe"), "agent.debug", "allowed: true, false, 1, 0"),
    (nested("agent.disconnect_on_stop", "maybe"), "agent.disconnect_on_stop", "allowed: true, false, 1, 0"),
    (
        nested("agent.automount_service_account_token", "maybe"),
        "agent.automount_service_account_token",
        "allowed: true, false, 1, 0",
    ),
    (nested("agent.log_format", "xml"), "agent.log_format", "given 'xml'; allowed: 'plain', 'dev' or 'json'"),
    (
        nested("agent.worker_on_stop_action", "stop"),
        "agent.worker_on_stop_action",
        "given 'stop'; allowed: 'drain', 'grace-shutdown' or 'force-shutdown'",
    ),
    (nested("agent.container_task_image_mode", "new"), "agent.container_task_image_mode", "given 'new'; allowed: '', 'legacy' or 'golden'"),
    (nested("agent.worker_drain_timeout", -1), "agent.worker_drain_timeout", "input should be greater than or equal to 0"),
    (nested("agent.worker_drain_timeout", "600"), "agent.worker_drain_timeout", "expected a whole number, given '600'"),
    (nested("agent.container_task_cpu_limit", "4"), "agent.container_task_cpu_limit", "expected a number, given '4'"),
    (nested("agent.container_task_cpu_limit", -1), "agent.container_task_cpu_limit", "input should be greater than or equal to 0"),
    (nested("agent.container_task_cpu_limit", 0.5), "agent.container_task_cpu_request", "1 is above the limit of 0.5"),
    (nested("agent.container_task_mem_request", 20000), "agent.container_task_mem_request", "20000 is above the limit of 16384"),
    (nested("agent.container_task_mem_limit", 1.5), "agent.container_task_mem_limit", "expected a whole number"),
    (nested("agent.container_task_image_registry", "https://mirror"), "agent.container_task_image_registry", "not an image registry"),
    (nested("agent.ca_cert", ROOT), "agent.ca_cert", "PEM, but the agent requires base64 here"),
    (nested("agent.container_task_ca_cert", ROOT), "agent.container_task_ca_cert", "PEM, but the agent requires base64 here"),
    (nested("agent.ca_cert", "corp-ca.pem"), "agent.ca_cert", "neither an absolute path nor base64"),
    (nested("agent.ca_cert", _encoded("hello")), "agent.ca_cert", "decoded from base64: not PEM"),
    (nested("agent.ca_cert", _encoded(ROOT * 1200)), "agent.ca_cert", "132800 characters, but Linux allows only 131072"),
    (
        nested("agent.kubernetes_task_labels", {"team": True}),
        "agent.kubernetes_task_labels.team",
        "expected a string, given true; quote it",
    ),
    (nested("agent.kubernetes_task_labels", {"team": "a b"}), "agent.kubernetes_task_labels.team", "not a valid label value"),
    (nested("agent.kubernetes_task_labels", WORKER), f"agent.kubernetes_task_labels.{COMPONENT}", "makes run pods match the workers'"),
    (nested("agent.kubernetes_task_annotations", {"note": object()}), "agent.kubernetes_task_annotations.note", "must be known before"),
    (nested("agent.kubernetes_task_annotations", "note"), "agent.kubernetes_task_annotations", "expected a map, given a string"),
    (nested("workerTolerations", [{"key": object()}]), "workerTolerations[0].key", "must be known before deployment"),
    (nested("workerTolerations", {"key": "runs"}), "workerTolerations", "expected a list, given a map"),
    (nested("controllerTolerations", ["runs"]), "controllerTolerations[0]", "expected a map, given a string"),
    (nested("workerNodeSelector", {"pool": 1}), "workerNodeSelector.pool", "expected a string, given a number; quote it"),
    (nested("agent.data_home", "data"), "agent.data_home", "not an absolute path"),
    (nested("agent.data_home", "/var/lib/"), "agent.data_home", "a system directory"),
    (nested("agent.data_home", "/var/run/secrets"), "agent.data_home", "a system directory"),
    (nested("efsVolumeHandle", "efs-1"), "efsVolumeHandle", "not an EFS volume handle"),
    (nested("efsVolumeHandle", "fs-582a03f3:fsap-01e0"), "efsVolumeHandle", "not an EFS volume handle"),
    (nested("serviceAccount.name", "default"), "serviceAccount.name", "the Role would be bound to the namespace's default account"),
    (nested("securityContext.runAsNonRoot", True), "securityContext.runAsUser", "0 (here or for the pod) while runAsNonRoot is true"),
    (nested("extraEnv", {"SCALR_AGENT_LOG_FORMAT": "xml"}), "extraEnv.SCALR_AGENT_LOG_FORMAT", "allowed: plain, dev, json"),
]

WARNINGS = [
    (
        nested("workerNodeSelector", None),
        "workerNodeSelector",
        "empty: a worker runs on every node of the cluster; select a node pool for runs, or use agent-job, which has no workers",
    ),
    (nested("agent.data_home", "/home/kubernetes/flexvolume/agent-k8s"), "agent.data_home", "the default, which several agents"),
    (nested("securityContext.runAsUser", 1000), "securityContext.runAsUser", "1000, but the directory of a node belongs to root"),
    (nested("terminationGracePeriodSeconds", 3659), "terminationGracePeriodSeconds", "3659 seconds, but with drain runs may take 3660"),
    (nested("terminationGracePeriodSeconds", None), "terminationGracePeriodSeconds", "30 seconds, but with drain runs may take 3660"),
    (nested("agent.worker_drain_timeout", 7200), "terminationGracePeriodSeconds", "3660 seconds, but with drain runs may take 7260"),
    (
        {"agent": {"worker_on_stop_action": "grace-shutdown"}, "terminationGracePeriodSeconds": 59},
        "terminationGracePeriodSeconds",
        "59 seconds, but with grace-shutdown runs may take 60",
    ),
    (
        {"agent": {"container_task_image_mode": "golden", "container_task_image_registry": "mirror.example"}},
        "agent.container_task_image_registry",
        "has no effect in mode golden",
    ),
    (nested("agent.container_task_image", "scalr/runner"), "agent.container_task_image", "latest: the image changes without notice"),
    (nested("agent.ca_cert", _encoded(CERTIFICATE)), "agent.ca_cert", "contains no public root certificate"),
    (nested("efsMountOptions", ["tls"]), "efsMountOptions", "has no effect: efsVolumeHandle is empty"),
    (nested("image.tag", "0.53.0"), "image.tag", "0.53.0 does not belong to this contract line"),
    (nested("serviceAccount.create", False), "serviceAccount.name", "empty while serviceAccount.create is false"),
    (nested("serviceAccount.automountToken", False), "serviceAccount.automountToken", "the agent gets no token for the Kubernetes API"),
    (
        nested("serviceAccount", {"create": False, "name": "brought", "labels": {"a": "b"}}),
        "serviceAccount.labels",
        "has no effect: serviceAccount.create is false",
    ),
    (nested("extraEnv", {"SCALR_AGENT_DATA_DIR": "/x"}), "extraEnv.SCALR_AGENT_DATA_DIR", "overrides the variable of agent.data_home"),
    (nested("extraEnv", {"SCALR_AGENT_TOKEN": "x"}), "extraEnv.SCALR_AGENT_TOKEN", "puts the token into the pod in plain text"),
    (
        nested("extraEnv", {"SCALR_AGENT_KUBERNETES_MODE": "x"}),
        "extraEnv.SCALR_AGENT_KUBERNETES_MODE",
        "overrides a variable that is part of the contract",
    ),
    (
        nested("extraEnv", {"SCALR_AGENT_CONTAINER_TASK_IMAGE": "x"}),
        "extraEnv.SCALR_AGENT_CONTAINER_TASK_IMAGE",
        "overrides the variable of agent.container_task_image",
    ),
    (
        nested("extraEnv", {"HTTPS_PROXY": "http://u:pw@p:1", "NO_PROXY": "10.0.0.0/8"}),
        "extraEnv.HTTPS_PROXY",
        "contains a password in plain text; make it a secret variable",
    ),
    (nested("extraEnv", {"HTTPS_PROXY": "http://p:1"}), "extraEnv.NO_PROXY", "contains neither $(KUBERNETES_SERVICE_HOST) nor"),
    (
        {"restrictMetadataService": True, "serviceAccount": {"annotations": GKE}},
        r"serviceAccount.annotations.iam\.gke\.io/gcp-service-account",
        "takes credentials from the metadata service, which runs cannot reach; set restrictMetadataService: false",
    ),
    (
        {"restrictMetadataService": True, "agent": {"kubernetes_task_labels": WORKER}},
        f"agent.kubernetes_task_labels.{COMPONENT}",
        "has no effect: the NetworkPolicy uses this label, so it cannot be changed",
    ),
]

FINE: list[dict[str, Any]] = [
    {},
    nested("agent", {"token": None, "tokenExistingSecret": "pool", "tokenExistingSecretKey": ""}),
    nested("agent", {"debug": 1, "disconnect_on_stop": "0", "automount_service_account_token": True}),
    nested("agent", {"container_task_cpu_request": None, "container_task_cpu_limit": 0.5, "container_task_mem_request": 1024.0}),
    nested("agent.ca_cert", "/usr/local/share/ca-certificates/corp.crt"),
    nested("agent.ca_cert", "\n".join(_encoded(ROOT)[start : start + 76] for start in range(0, 400, 76))),
    nested("agent.container_task_image_registry", "mirror.example:5000/scalr/"),
    nested("agent.worker_on_stop_action", "force-shutdown") | {"terminationGracePeriodSeconds": 10},
    {"terminationGracePeriodSeconds": 3660.0},
    {
        "efsVolumeHandle": "fs-582a03f3:/runs:fsap-01e0",
        "efsMountOptions": ["tls"],
        "agent": {"data_home": "/home/kubernetes/flexvolume/agent-k8s"},
    },
    {"serviceAccount": {"create": False, "name": "brought"}},
    {"extraEnv": {"HTTPS_PROXY": "http://p:1", "NO_PROXY": "10.0.0.0/8", "TF_LOG": "debug"}},
    {"restrictMetadataService": True, "serviceAccount": {"annotations": {"eks.amazonaws.com/role-arn": "arn"}}},
    {"workerTolerations": {}, "controllerTolerations": None, "workerNodeSelector": {"pool": "runs"}},
]


@pytest.mark.parametrize(("given", "path", "words"), ERRORS, ids=[path for _, path, _ in ERRORS])
def test_error(given: dict[str, Any], path: str, words: str) -> None:
    severity, message = _findings(merge(QUIET, given))[path]
    assert (severity, message[: len(words)]) == ("error", words)


@pytest.mark.parametrize(("given", "path", "words"), WARNINGS, ids=[path for _, path, _ in WARNINGS])
def test_warning(given: dict[str, Any], path: str, words: str) -> None:
    found = _findings(merge(QUIET, given))
    assert found.keys() <= {path, "securityContext"}
    assert (found[path][0], found[path][1][: len(words)]) == ("warning", words)


@pytest.mark.parametrize("given", FINE)
def test_valid_values_have_no_findings(given: dict[str, Any]) -> None:
    assert _findings(merge(QUIET, given)).keys() == {"securityContext"}


@pytest.mark.parametrize(
    ("given", "path", "held"),
    [
        (
            {},
            "securityContext",
            "run as root, write to a directory of their node and may read and change every Secret of their namespace:",
        ),
        ({"efsVolumeHandle": EFS}, "securityContext", "run as root and may read and change every Secret of their namespace:"),
        (
            {"efsVolumeHandle": EFS, "securityContext": {"runAsUser": 1000}},
            "serviceAccount",
            "may read and change every Secret of their namespace:",
        ),
    ],
)
def test_privileges_are_one_finding(given: dict[str, Any], path: str, held: str) -> None:
    severity, message = _findings(merge(QUIET, given))[path]
    assert (severity, message.startswith(f"the agent's pods {held}")) == ("warning", True)


def test_pods_without_any_privilege_need_no_warning() -> None:
    given = {"efsVolumeHandle": EFS, "securityContext": {"runAsUser": 1000}, "serviceAccount": {"create": False}}
    assert _findings(merge(QUIET, given)).keys() == {"serviceAccount.name"}


@pytest.mark.parametrize("closed", ["restrictMetadataService", "network"])
def test_a_label_variable_that_bypasses_the_policy_is_an_error(closed: str) -> None:
    labels = {TASK_LABELS: "e30="}
    given = merge(QUIET, {"extraEnv": labels, "restrictMetadataService": closed != "network"})
    network = Network(ingress="deny") if closed == "network" else None
    found = _findings(given, inputs=Inputs(network=network, secret_env=labels))
    for place in ("extraEnv", "secret_env"):
        severity, message = found[f"{place}.{TASK_LABELS}"]
        assert (severity, "set agent.kubernetes_task_labels" in message) == ("error", True)
    assert {severity for path, (severity, _) in found.items() if TASK_LABELS not in path} == {"warning"}


def test_without_a_policy_the_variable_overrides_a_value() -> None:
    found = _findings(merge(QUIET, {"extraEnv": {TASK_LABELS: "e30="}}), inputs=Inputs(secret_env={TASK_LABELS: "e30="}))
    assert {path: severity for path, (severity, _) in found.items()} == {
        "securityContext": "warning",
        f"extraEnv.{TASK_LABELS}": "warning",
    }


def test_arguments_of_programs() -> None:
    inputs = Inputs(agent_image="scalr/agent", runner_image="scalr/runner:1", secret_env={"SCALR_AGENT_NAME": "x"})
    found = _findings(merge(QUIET, {"image": {"tag": "latest"}}), inputs=inputs)
    assert {path: severity for path, (severity, _) in found.items()} == {
        "securityContext": "warning",
        "agent_image": "warning",
        "runner_image": "warning",
        "secret_env.SCALR_AGENT_NAME": "warning",
    }
    assert _findings(merge(QUIET, nested("agent.token", "")), inputs=Inputs(token_needed=False)).keys() == {"securityContext"}
