"""What only the current line of agent-job knows."""

import json
from typing import Any

import pytest
from scalr_agents import charts
from scalr_agents.charts.shared.inputs import Inputs
from scalr_agents.model.merge import merge
from scalr_agents.stack import pod_security

from tests.helpers.agent_job import CURRENT, MINIMUM, nested, objects

CERTIFICATE = "-----BEGIN CERTIFICATE-----\nMAMCAQE=\n-----END CERTIFICATE-----\n"
KEY = "-----BEGIN EC PRIVATE KEY-----\nMAMCAQE=\n-----END EC PRIVATE KEY-----\n"
MIRRORS = "SCALR_AGENT_PROVIDER_NETWORK_MIRRORS"
ROLES = ["service-account", "role", "role-binding", "cluster-role", "cluster-role-binding", "egress", "token-secret", "task-budget"]


def _objects(given: dict[str, Any], inputs: Inputs | None = None) -> dict[str, dict[str, Any]]:
    return objects(merge(MINIMUM, given), inputs, version=CURRENT)


def _pods(made: dict[str, dict[str, Any]]) -> tuple[dict[str, Any], dict[str, Any]]:
    return made["deployment"]["spec"]["template"], made["task-template"]["spec"]["jobTemplate"]["spec"]["template"]


def _containers(made: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {container["name"]: container for pod in _pods(made) for container in pod["spec"]["containers"]}


def _variable(container: dict[str, Any], name: str) -> Any:
    return next((variable for variable in container.get("env", []) if variable["name"] == name), None)


def _volume(pod: dict[str, Any], name: str) -> Any:
    return next((volume for volume in pod["spec"]["volumes"] if volume["name"] == name), None)


def _mount(container: dict[str, Any], name: str) -> Any:
    return next((mount for mount in container["volumeMounts"] if mount["name"] == name), None)


def _digest(made: dict[str, dict[str, Any]]) -> Any:
    return _pods(made)[0]["metadata"]["annotations"]["checksum/secrets"]


MIRROR = {"url": "https://mirror.example/a?b=<c>&d=ü/", "include": ["registry.opentofu.org/*/*", "a/b/c"]}
AS_JSON = r'{"include":["registry.opentofu.org/*/*","a/b/c"],"url":"https://mirror.example/a?b=\u003cc\u003e\u0026d=ü/"}'


def test_mirrors_without_a_token_match_the_chart() -> None:
    made = _objects({"agent": {"providerNetworkMirrors": [MIRROR, {"url": "https://other.example/"}]}})
    expected = {"name": MIRRORS, "value": f'[{AS_JSON},{{"url":"https://other.example/"}}]'}
    assert "env-secret" not in made
    assert {name: _variable(container, MIRRORS) for name, container in _containers(made).items()} == {
        "controller": expected,
        "runner": None,
        "worker": expected,
    }


def test_mirrors_with_a_token_are_a_secret() -> None:
    mirrors = [{**MIRROR, "token": "m1rr0r<&>"}, {"url": "https://other.example/"}]
    made = _objects({"agent": {"providerNetworkMirrors": mirrors}})
    content = AS_JSON.replace('"url"', r'"token":"m1rr0r\u003c\u0026\u003e","url"')
    assert made["env-secret"]["metadata"]["name"] == "runs-scalr-agent-env"
    assert made["env-secret"]["stringData"] == {MIRRORS: f'[{content},{{"url":"https://other.example/"}}]'}
    reference = {"secretKeyRef": {"name": "runs-scalr-agent-env", "key": MIRRORS, "optional": False}}
    assert {name: _variable(container, MIRRORS) for name, container in _containers(made).items()} == {
        "controller": {"name": MIRRORS, "valueFrom": reference},
        "runner": None,
        "worker": {"name": MIRRORS, "valueFrom": reference},
    }
    assert "m1rr0r" not in json.dumps({role: manifest for role, manifest in made.items() if role != "env-secret"})


def test_the_token_of_a_mirror_rolls_the_controllers() -> None:
    def digest(token: str) -> Any:
        return _digest(_objects({"agent": {"providerNetworkMirrors": [{**MIRROR, "token": token}]}}))

    assert digest("a") == digest("a")
    assert len({digest("a"), digest("b"), digest("")}) == 3


def test_mirrors_share_their_secret_with_the_users_variables() -> None:
    given = {"agent": {"providerNetworkMirrors": [{**MIRROR, "token": "m1rr0r"}]}}
    made = _objects(given, Inputs(secret_env={"TF_TOKEN_acme": "x", "ZED": "y"}))
    assert list(made["env-secret"]["stringData"]) == [MIRRORS, "TF_TOKEN_acme", "ZED"]
    assert [variable["name"] for variable in _containers(made)["runner"]["env"]] == ["TF_TOKEN_acme", "ZED"]
    own = _objects(given, Inputs(secret_env={MIRRORS: "[]"}))
    assert own["env-secret"]["stringData"] == {MIRRORS: "[]"}


@pytest.mark.parametrize(
    ("tls", "secret", "keys"),
    [
        ({"clientCert": CERTIFICATE, "clientKey": KEY}, "runs-scalr-agent-client-cert", ("tls.crt", "tls.key")),
        (
            {"clientCert": CERTIFICATE, "clientKey": KEY, "clientCertSecret": {"certKey": "c", "keyKey": "k"}},
            "runs-scalr-agent-client-cert",
            ("c", "k"),
        ),
        ({"clientCertSecret": {"name": "ours", "certKey": "c", "keyKey": "k"}}, "ours", ("c", "k")),
        ({"clientCert": CERTIFICATE, "clientKey": KEY, "clientCertSecret": {"name": "ours"}}, "ours", ("tls.crt", "tls.key")),
    ],
    ids=["made", "own keys", "existing", "existing wins"],
)
def test_mutual_tls(tls: dict[str, Any], secret: str, keys: tuple[str, str]) -> None:
    made = _objects({"global": {"tls": tls}})
    if secret == "ours":
        assert "client-cert-secret" not in made
    else:
        assert made["client-cert-secret"]["stringData"] == {keys[0]: CERTIFICATE, keys[1]: KEY}
        assert made["client-cert-secret"]["metadata"]["name"] == secret
        assert KEY not in json.dumps({role: manifest for role, manifest in made.items() if role != "client-cert-secret"})
        assert _digest(made) != _digest(_objects({}))
    items = [{"key": keys[0], "path": "tls.crt"}, {"key": keys[1], "path": "tls.key"}]
    for pod in _pods(made):
        assert _volume(pod, "client-cert") == {"name": "client-cert", "secret": {"secretName": secret, "items": items}}
    containers = _containers(made)
    for name in ("controller", "worker"):
        assert _mount(containers[name], "client-cert") == {"name": "client-cert", "mountPath": "/etc/scalr-agent/ssl", "readOnly": True}
        assert _variable(containers[name], "SCALR_AGENT_TLS_CERT_FILE")["value"] == "/etc/scalr-agent/ssl/tls.crt"
        assert _variable(containers[name], "SCALR_AGENT_TLS_KEY_FILE")["value"] == "/etc/scalr-agent/ssl/tls.key"
    assert _mount(containers["runner"], "client-cert") is None
    assert _variable(containers["runner"], "SCALR_AGENT_TLS_KEY_FILE") is None


@pytest.mark.parametrize("claim", ["", "ours"])
def test_a_node_cache_is_only_for_task_pods(claim: str) -> None:
    cache = {"enabled": True, "hostPath": {"path": "/mnt/disks/ssd0/cache"}, "persistentVolumeClaim": {"claimName": claim, "subPath": "p"}}
    made = _objects({"persistence": {"cache": cache}})
    controller, task = _pods(made)
    assert [role for role in made if role.endswith("claim")] == []
    assert _volume(task, "cache-dir")["hostPath"] == {"path": "/mnt/disks/ssd0/cache", "type": "DirectoryOrCreate"}
    assert _volume(controller, "cache-dir") == {"name": "cache-dir", "emptyDir": {"sizeLimit": "1Gi"}}
    assert "subPath" not in _mount(_containers(made)["controller"], "cache-dir")
    assert _mount(_containers(made)["worker"], "cache-dir")["subPath"] == "p/cache"
    mounts = [mount["subPath"] for mount in _containers(made)["runner"]["volumeMounts"] if mount["name"] == "cache-dir"]
    assert mounts == ["p/cache/binaries", "p/cache/providers"]
    assert pod_security.violations(task["spec"], "baseline") == ["volume 'cache-dir' is a hostPath"]
    assert pod_security.violations(controller["spec"], "restricted") == []


def test_a_path_on_the_node_needs_an_enabled_cache() -> None:
    _, task = _pods(_objects({"persistence": {"cache": {"hostPath": {"path": "/mnt/cache"}}}}))
    assert _volume(task, "cache-dir") == {"name": "cache-dir", "emptyDir": {"sizeLimit": "1Gi"}}


def test_an_empty_host_path_type_is_omitted() -> None:
    cache = {"enabled": True, "hostPath": {"path": "/mnt/cache", "type": ""}}
    _, task = _pods(_objects({"persistence": {"cache": cache}}))
    assert _volume(task, "cache-dir")["hostPath"] == {"path": "/mnt/cache"}


@pytest.mark.parametrize(
    ("registry", "namespace", "repository", "image"),
    [
        ("", "acme", "scalr/agent", "acme/agent:1.4.0"),
        ("mirror.example:5000", "acme", "scalr/agent", "mirror.example:5000/acme/agent:1.4.0"),
        ("mirror.example", "acme/mirror", "ghcr.io/other/custom", "mirror.example/acme/mirror/custom:1.4.0"),
        ("", "acme", "agent", "acme/agent:1.4.0"),
        ("mirror.example", "", "scalr/agent", "mirror.example/scalr/agent:1.4.0"),
    ],
)
def test_image_namespace(registry: str, namespace: str, repository: str, image: str) -> None:
    given = {"global": {"imageRegistry": registry, "imageNamespace": namespace}, "agent": {"image": {"repository": repository}}}
    made = _objects(given)
    assert (_containers(made)["controller"]["image"], _containers(made)["worker"]["image"]) == (image, image)
    assert _volume(_pods(made)[1], "worker")["image"] == {"reference": image, "pullPolicy": "IfNotPresent"}


def test_a_complete_image_reference_applies_to_the_volume() -> None:
    made = _objects(
        {"global": {"imageRegistry": "mirror.example", "imageNamespace": "acme"}}, Inputs(agent_image="a:1", runner_image="r:2")
    )
    assert {name: container["image"] for name, container in _containers(made).items()} == {
        "controller": "a:1",
        "runner": "r:2",
        "worker": "a:1",
    }
    assert _volume(_pods(made)[1], "worker")["image"]["reference"] == "a:1"


EVERYTHING: dict[str, Any] = {
    "agent": {"replicaCount": 2},
    "global": {"tls": {"caBundle": CERTIFICATE, "clientCert": CERTIFICATE, "clientKey": KEY}},
    "persistence": {"data": {"enabled": True}, "cache": {"enabled": True}},
}


def test_common_labels_and_annotations_are_on_everything() -> None:
    shared = {"global": {"labels": {"team": "web"}, "annotations": {"owner": "web@acme.example"}}}
    made = _objects(merge(EVERYTHING, shared), Inputs(secret_env={"A": "b"}))
    assert {*ROLES, "deployment", "task-template", "budget", "env-secret", "client-cert-secret", "data-claim", "cache-claim"} < made.keys()
    for manifest in made.values():
        assert manifest["metadata"]["labels"]["team"] == "web"
        assert manifest["metadata"]["annotations"]["owner"] == "web@acme.example"
    job = made["task-template"]["spec"]["jobTemplate"]
    assert job["metadata"] == {"labels": {"team": "web"}, "annotations": {"owner": "web@acme.example"}}
    for pod in _pods(made):
        assert pod["metadata"]["labels"]["team"] == "web"
        assert "owner" not in pod["metadata"]["annotations"]
    selectors = [made["deployment"]["spec"]["selector"], made["budget"]["spec"]["selector"], made["egress"]["spec"]["podSelector"]]
    assert [selector for selector in selectors if "team" in selector["matchLabels"]] == []


def test_selector_labels_are_kept() -> None:
    given = {"app.kubernetes.io/name": "x", "app.kubernetes.io/instance": "x", "app.kubernetes.io/component": "x"}
    made = _objects({"global": {"labels": given}, "agent": {"labels": given}})
    for component, pod in zip(("agent", "task"), _pods(made), strict=True):
        assert pod["metadata"]["labels"] == {
            "app.kubernetes.io/name": "scalr-agent",
            "app.kubernetes.io/instance": "runs",
            "app.kubernetes.io/component": component,
        }


@pytest.mark.parametrize(("given", "made"), [("", "runs-scalr-agent"), (None, "runs-scalr-agent"), ("web", "web")])
def test_basename(given: str | None, made: str) -> None:
    assert _objects({"task": {"job": {"basename": given}}})["task-template"]["spec"]["basename"] == made


@pytest.mark.parametrize(("given", "made"), [(None, 1), (0, 0), (3, 3)])
def test_backoff_limit(given: int | None, made: int) -> None:
    job = _objects({"task": {"job": {"backoffLimit": given}}})["task-template"]["spec"]["jobTemplate"]["spec"]
    assert job["backoffLimit"] == made
    assert [rule["action"] for rule in job["podFailurePolicy"]["rules"]] == ["FailJob", "Ignore"]
    assert job["template"]["spec"]["restartPolicy"] == "Never"


@pytest.mark.parametrize(
    ("given", "made"),
    [
        ({}, {}),
        ({"command": [], "args": []}, {}),
        ({"command": None, "args": None}, {}),
        ({"command": ["/agent"]}, {"command": ["/agent"]}),
        ({"args": ["-v", ""]}, {"args": ["-v", ""]}),
        ({"command": ["/agent"], "args": ["-v"]}, {"command": ["/agent"], "args": ["-v"]}),
    ],
)
def test_commands_and_arguments(given: dict[str, Any], made: dict[str, Any]) -> None:
    containers = _containers(_objects({"agent": {"controller": given}, "task": {"worker": given}}))
    for name in ("controller", "worker"):
        assert {key: containers[name][key] for key in ("command", "args") if key in containers[name]} == made
    assert containers["runner"]["command"] == ["/usr/bin/runner/exec-loop"]


def test_pods_pass_restricted_with_what_the_line_adds() -> None:
    for pod in _pods(_objects(EVERYTHING)):
        assert pod_security.violations(pod["spec"], "restricted") == []


@pytest.mark.parametrize(
    ("path", "variable"),
    [
        ("task.startupTimeoutSeconds", "SCALR_AGENT_KUBERNETES_TASK_STARTUP_TIMEOUT_SECONDS"),
        ("agent.binaryCache.thresholdDays", "SCALR_AGENT_BINARY_CACHE_THRESHOLD_DAYS"),
        ("task.runner.memoryWarnPercent", "SCALR_AGENT_MEMORY_MONITOR_WARN_PERCENT"),
        ("task.runner.memorySoftLimitPercent", "SCALR_AGENT_MEMORY_MONITOR_SOFT_LIMIT_PERCENT"),
    ],
)
def test_unset_numbers_omit_their_variable(path: str, variable: str) -> None:
    containers = _containers(_objects(nested(path, None)))
    assert [_variable(containers[name], variable) for name in ("controller", "worker")] == [None, None]


@pytest.mark.parametrize("version", ["1.2.0", "1.3.0"])
def test_defaults_of_every_version_have_no_findings(version: str) -> None:
    assert charts.check("agent-job", MINIMUM, release="runs", namespace="scalr", agent_version=version) == []
