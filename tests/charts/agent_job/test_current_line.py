"""What only the current line of agent-job knows."""

from typing import Any

import pytest
from scalr_agents.charts.shared.inputs import Inputs
from scalr_agents.model.maps import merge
from scalr_agents.stack import pod_security

from tests.charts.agent_job.corrected import pods_of
from tests.helpers.agent_job import CURRENT, MINIMUM, nested, objects
from tests.helpers.changes import changes

CERTIFICATE = "-----BEGIN CERTIFICATE-----\nMAMCAQE=\n-----END CERTIFICATE-----\n"
KEY = "-----BEGIN EC PRIVATE KEY-----\nMAMCAQE=\n-----END EC PRIVATE KEY-----\n"
MIRRORS = "SCALR_AGENT_PROVIDER_NETWORK_MIRRORS"
ROLES = ["service-account", "role", "role-binding", "cluster-role", "cluster-role-binding", "egress", "token-secret", "task-budget"]


def _objects(given: dict[str, Any], inputs: Inputs | None = None) -> dict[str, dict[str, Any]]:
    return objects(merge(MINIMUM, given), inputs, version=CURRENT)


def _containers(made: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {container["name"]: container for pod in pods_of(made) for container in pod["spec"]["containers"]}


def _volume(pod: dict[str, Any], name: str) -> Any:
    return next((volume for volume in pod["spec"]["volumes"] if volume["name"] == name), None)


def _mount(container: dict[str, Any], name: str) -> Any:
    return next((mount for mount in container["volumeMounts"] if mount["name"] == name), None)


def _digest(made: dict[str, dict[str, Any]]) -> Any:
    return pods_of(made)[0]["metadata"]["annotations"]["checksum/secrets"]


MIRROR = {"url": "https://mirror.example/a?b=<c>&d=ü/", "include": ["registry.opentofu.org/*/*", "a/b/c"]}
AS_JSON = r'{"include":["registry.opentofu.org/*/*","a/b/c"],"url":"https://mirror.example/a?b=\u003cc\u003e\u0026d=ü/"}'


def test_mirrors_with_a_token_are_a_secret() -> None:
    other = {"url": "https://other.example/"}
    plain, made = (_objects({"agent": {"providerNetworkMirrors": [MIRROR | token, other]}}) for token in ({}, {"token": "m1rr0r<&>"}))
    content = AS_JSON.replace('"url"', r'"token":"m1rr0r\u003c\u0026\u003e","url"')
    assert made["env-secret"]["metadata"]["name"] == "runs-scalr-agent-env"
    assert made["env-secret"]["stringData"] == {MIRRORS: f'[{content},{{"url":"https://other.example/"}}]'}
    reference = {"secretKeyRef": {"name": "runs-scalr-agent-env", "key": MIRRORS, "optional": False}}
    assert changes(plain, made) == {
        "env-secret": "added",
        "controller pod: metadata.annotations.checksum/secrets": _digest(made),
        f"controller: env[{MIRRORS}].value": None,
        f"controller: env[{MIRRORS}].valueFrom": reference,
        f"worker: env[{MIRRORS}].value": None,
        f"worker: env[{MIRRORS}].valueFrom": reference,
    }


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


@pytest.mark.parametrize(("claim", "given", "kind"), [("", {}, {"type": "DirectoryOrCreate"}), ("ours", {"type": ""}, {})])
def test_a_node_cache_is_only_for_task_pods(claim: str, given: dict[str, str], kind: dict[str, str]) -> None:
    path = {"path": "/mnt/disks/ssd0/cache"}
    cache = {"enabled": True, "hostPath": path | given, "persistentVolumeClaim": {"claimName": claim, "subPath": "p"}}
    made = _objects({"persistence": {"cache": cache}})
    controller, task = pods_of(made)
    assert [role for role in made if role.endswith("claim")] == []
    assert _volume(task, "cache-dir")["hostPath"] == path | kind
    assert _volume(controller, "cache-dir") == {"name": "cache-dir", "emptyDir": {"sizeLimit": "1Gi"}}
    assert "subPath" not in _mount(_containers(made)["controller"], "cache-dir")
    assert _mount(_containers(made)["worker"], "cache-dir")["subPath"] == "p/cache"
    mounts = [mount["subPath"] for mount in _containers(made)["runner"]["volumeMounts"] if mount["name"] == "cache-dir"]
    assert mounts == ["p/cache/binaries", "p/cache/providers"]
    assert pod_security.violations(task["spec"], "baseline") == ["volume 'cache-dir' is a hostPath"]
    assert pod_security.violations(controller["spec"], "restricted") == []


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
    assert _volume(pods_of(made)[1], "worker")["image"] == {"reference": image, "pullPolicy": "IfNotPresent"}


def test_a_complete_image_reference_applies_to_the_volume() -> None:
    made = _objects(
        {"global": {"imageRegistry": "mirror.example", "imageNamespace": "acme"}}, Inputs(agent_image="a:1", runner_image="r:2")
    )
    assert {name: container["image"] for name, container in _containers(made).items()} == {
        "controller": "a:1",
        "runner": "r:2",
        "worker": "a:1",
    }
    assert _volume(pods_of(made)[1], "worker")["image"]["reference"] == "a:1"


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
    for pod in pods_of(made):
        assert pod["metadata"]["labels"]["team"] == "web"
        assert "owner" not in pod["metadata"]["annotations"]
    selectors = [made["deployment"]["spec"]["selector"], made["budget"]["spec"]["selector"], made["egress"]["spec"]["podSelector"]]
    assert [selector for selector in selectors if "team" in selector["matchLabels"]] == []


def test_a_client_certificate_of_ours_and_an_existing_one() -> None:
    def made(**tls: Any) -> dict[str, dict[str, Any]]:
        return _objects({"global": {"tls": tls}})

    own = {"clientCert": CERTIFICATE, "clientKey": KEY}
    existing = {"name": "ours", "certKey": "c", "keyKey": "k"}
    assert made(**own, clientCertSecret=existing) == made(clientCertSecret=existing)
    difference = changes(made(clientCertSecret={"name": "runs-scalr-agent-client-cert"}), made(**own))
    assert difference.keys() == {"client-cert-secret", "controller pod: metadata.annotations.checksum/secrets"}
    assert made(**own)["client-cert-secret"]["stringData"] == {"tls.crt": CERTIFICATE, "tls.key": KEY}


THRESHOLD = "env[SCALR_AGENT_BINARY_CACHE_THRESHOLD_DAYS]"


@pytest.mark.parametrize(
    ("given", "effects"),
    [
        (nested("task.job.basename", ""), {}),
        (nested("task.job.basename", None), {}),
        (nested("task.job.backoffLimit", None), {}),
        (nested("agent.controller", {"command": [], "args": None}), {}),
        (nested("task.worker", {"command": None, "args": []}), {}),
        (nested("agent.controller.args", ["-v", ""]), {"controller: args": ["-v", ""]}),
        (nested("agent.binaryCache.thresholdDays", None), {f"controller: {THRESHOLD}": None, f"worker: {THRESHOLD}": None}),
        (nested("persistence.cache.hostPath.path", "/mnt/cache"), {}),
    ],
)
def test_effects_of_empty_values(given: dict[str, Any], effects: dict[str, Any]) -> None:
    assert changes(_objects({}), _objects(given)) == effects
