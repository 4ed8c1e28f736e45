"""Values that are valid separately, but that a cluster would refuse or could never start, are reported."""

from typing import Any

import pytest
from scalr_agents.model.findings import errors
from scalr_agents.model.maps import merge

from tests.helpers.agent_job import CURRENT, nested
from tests.helpers.validated import validate

MINIMUM = {"agent": {"url": "https://acme.scalr.io", "token": "a-token"}}
NO_REFERENCE = "not the reference of an image, for instance scalr/agent:1.4.0"
NO_REPOSITORY = "not an image repository, for instance scalr/agent; set the tag separately; given a string"
NO_REGISTRY = "not an image registry, for instance mirror.example:5000/scalr: no scheme, no login, no slash at the end; given a string"
EMPTY = "empty: set a repository, or remove the key"
NO_NAME = (
    "not a valid Kubernetes name: use lower case letters, digits, '-' and '.', starting and ending with a letter or digit; given a string"
)
PREPARED = {"enabled": True, "image": {"repository": ""}}
PODS = {"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}


def sidecar(**fields: Any) -> dict[str, Any]:
    return nested("task.sidecars", [{"name": "s", "image": "s:1", **fields}])


def mounted(chart: str, *directories: str) -> dict[str, Any]:
    mounts = [{"name": "v", "mountPath": directory} for directory in directories]
    if chart == "agent-local":
        return {"extraVolumes": [{"name": "v"}], "extraVolumeMounts": mounts}
    return nested("task", {"extraVolumes": [{"name": "v"}], "runner": {"extraVolumeMounts": mounts}})


@pytest.mark.parametrize(
    ("chart", "given", "path", "message"),
    [
        ("agent-job", sidecar(image=" s:1"), "task.sidecars[0].image", NO_REFERENCE),
        ("agent-job", sidecar(image="--privileged"), "task.sidecars[0].image", NO_REFERENCE),
        ("agent-k8s", nested("agent.container_task_image", "-v/:/host"), "agent.container_task_image", NO_REFERENCE),
        ("agent-job", sidecar(image="https://mirror.example/s"), "task.sidecars[0].image", NO_REFERENCE),
        (
            "agent-job",
            sidecar(securityContext={"runAsUser": 0}),
            "task.sidecars[0].securityContext.runAsUser",
            "0 (here or for the pod) while runAsNonRoot is true: the container would never start; set another user",
        ),
        (
            "agent-job",
            sidecar(resources={"requests": {"cpu": 2}, "limits": {"cpu": 1}}),
            "task.sidecars[0].resources.requests.cpu",
            "2 is above the limit of 1",
        ),
        (
            "agent-job",
            nested("persistence.cache.hostPath.preparation.resources.limits.memory", "1Mi"),
            "persistence.cache.hostPath.preparation.resources.requests.memory",
            "16Mi is above the limit of 1Mi",
        ),
        ("agent-job", nested("agent.image.repository", ""), "agent.image.repository", EMPTY),
        ("agent-job", nested("task.runner.image.repository", ""), "task.runner.image.repository", EMPTY),
        ("agent-k8s", nested("image.repository", ""), "image.repository", EMPTY),
        (
            "agent-job",
            nested("persistence.cache", {"enabled": True, "hostPath": {"path": "/mnt/agents", "preparation": PREPARED}}),
            "persistence.cache.hostPath.preparation.image.repository",
            EMPTY,
        ),
        *(
            ("agent-local", nested("image.repository", given), "image.repository", NO_REPOSITORY)
            for given in ("scalr/agent/", "scalr//agent", "-agent", "mirror.example:port/agent", "scalr/-agent")
        ),
        ("agent-job", nested("global.imageRegistry", "mirror.example:port"), "global.imageRegistry", NO_REGISTRY),
        ("agent-job", nested("global.imageNamespace", "mirror.example/Scalr"), "global.imageNamespace", NO_REGISTRY),
        (
            "agent-job",
            nested("persistence.cache.persistentVolumeClaim.storageClassName", "efs_sc"),
            "persistence.cache.persistentVolumeClaim.storageClassName",
            NO_NAME,
        ),
        (
            "agent-k8s",
            nested("agent.data_home", "/var/lib/../agents"),
            "agent.data_home",
            "contains '..', which Kubernetes rejects in a path of the node; given '/var/lib/../agents'",
        ),
        (
            "agent-job",
            mounted("agent-job", "/opt/data/"),
            "task.runner.extraVolumeMounts[0].mountPath",
            "/opt/data/ is already used by the agent",
        ),
        (
            "agent-local",
            mounted("agent-local", "/tools", "/tools/"),
            "extraVolumeMounts[1].mountPath",
            "/tools/ is already used by extraVolumeMounts[0]",
        ),
        (
            "agent-job",
            nested("rbac.rules", [PODS, {"resources": ["pods"], "verbs": ["get"]}]),
            "rbac.rules[1].apiGroups",
            'missing; a rule requires at least one (the core group is "")',
        ),
        (
            "agent-job",
            nested("rbac.clusterRules", [{"apiGroups": ["apps"], "verbs": ["get"]}]),
            "rbac.clusterRules[0].resources",
            "missing; a rule requires at least one",
        ),
        (
            "agent-job",
            nested("rbac.rules", [{"nonResourceURLs": ["/metrics"], "verbs": ["get"]}]),
            "rbac.rules[0].nonResourceURLs",
            "not allowed in a Role, which is for resources of a namespace; use rbac.clusterRules",
        ),
        (
            "agent-job",
            nested("rbac.clusterRules", [{**PODS, "nonResourceURLs": ["/metrics"]}]),
            "rbac.clusterRules[0].nonResourceURLs",
            "not allowed together with resources; make it a rule of its own",
        ),
    ],
)
def test_values_that_a_cluster_refuses_are_errors(chart: str, given: dict[str, Any], path: str, message: str) -> None:
    assert [(each.path, each.message) for each in found(chart, given)] == [(path, message)]


@pytest.mark.parametrize(
    ("chart", "given"),
    [
        ("agent-job", sidecar(image="mirror.example:5000/s@sha256:" + "0" * 64, securityContext=None)),
        ("agent-job", sidecar(securityContext={"runAsUser": 0, "runAsNonRoot": False})),
        ("agent-job", sidecar(volumeMounts=[{"name": "data-dir", "mountPath": "/opt/data/"}])),
        ("agent-job", nested("task.worker.image.repository", "")),
        *(("agent-local", nested("image.repository", given)) for given in ("a", "mirror.example:5000/team_a/my--agent.x", "Mirror/agent")),
        *(("agent-job", nested("global.imageRegistry", given)) for given in ("localhost:5000", "[::1]:5000/a", "A.example/b/c_d", "a__b")),
        ("agent-job", nested("persistence.cache.persistentVolumeClaim.storageClassName", "-")),
        ("agent-job", nested("persistence.cache.persistentVolumeClaim.storageClassName", None)),
        ("agent-job", nested("rbac.clusterRules", [{"nonResourceURLs": ["/metrics"], "verbs": ["get"]}])),
        ("agent-job", nested("rbac", {"create": False, "rules": [{"verbs": ["get"]}]})),
    ],
    ids=str,
)
def test_values_that_a_cluster_accepts(chart: str, given: dict[str, Any]) -> None:
    assert found(chart, given) == []


def test_an_invalid_required_field_is_not_missing() -> None:
    affinity: dict[str, Any] = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": []}}}
    [finding] = found("agent-job", nested("task.affinity", affinity))
    assert finding.message == "empty; add a term, or remove the node affinity"


def found(chart: str, given: dict[str, Any]) -> list[Any]:
    return errors(validate(chart, merge(MINIMUM, given), agent_version=CURRENT).findings)
