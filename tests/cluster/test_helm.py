"""Helm releases are taken over as docs/adopting.md describes, with the printed commands and without an outage."""

import re
from copy import deepcopy
from pathlib import Path

import pytest
from scalr_agents.model.maps import lookup

from tests.cluster import agents, kubectl, runs
from tests.cluster.client import ApiError, Client, Manifest, Manifests
from tests.cluster.conftest import Install
from tests.cluster.helm import (
    WORKLOADS,
    Instructions,
    PodHistory,
    Release,
    settled,
    template_fields,
    with_one_volume,
    with_variable,
    without_secret,
)
from tests.helpers.command_line import TOKEN
from tests.helpers.releases import GOLDEN, is_idle_policy

HARDENED = {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}}
SIZED = {"requests": {"cpu": "100m", "memory": "128Mi"}, "limits": {"cpu": "500m", "memory": "256Mi", "ephemeral-storage": "4Gi"}}
ROLLED = {
    "agent-job": {
        "metadata/annotations/checksum/secrets",
        "spec/containers/controller/resources/limits/ephemeral-storage",
        "spec/containers/controller/resources/requests/ephemeral-storage",
        "spec/containers/controller/securityContext/allowPrivilegeEscalation",
        "spec/containers/controller/securityContext/capabilities/drop",
    },
    "agent-local": {
        "metadata/annotations/autopilot.gke.io/priority",
        "metadata/annotations/checksum/secrets",
        "metadata/annotations/cluster-autoscaler.kubernetes.io/safe-to-evict",
        "metadata/annotations/karpenter.sh/do-not-disrupt",
        "metadata/annotations/karpenter.sh/do-not-evict",
        "spec/containers/agent-local/resources/limits/ephemeral-storage",
        "spec/containers/agent-local/resources/requests/ephemeral-storage",
        "spec/containers/agent-local/securityContext/allowPrivilegeEscalation",
        "spec/securityContext/seccompProfile/type",
    },
}
"""Reasons for new pods, by kind."""


@pytest.mark.parametrize(
    ("name", "program"),
    [
        ("agent-job-legacy", "helm"),
        ("agent-job-current-claim", "helm4"),
        ("agent-local-legacy-claim", "helm"),
        ("agent-local-current", "helm4"),
    ],
)
def test_taking_over_causes_one_rolling_update(name: str, program: str, install: Install, tmp_path: Path) -> None:
    release = install(GOLDEN[name], program)
    cluster, case = release.cluster, release.case
    in_progress = [_start(cluster, task) for task in runs.tasks(case.objects)]
    assert len(in_progress) == (case.chart == "agent-job")
    pods_of_runs = [pod["metadata"]["uid"] for run in in_progress for pod in run.pods()]
    assert len(pods_of_runs) == len(in_progress)
    before = release.uids(case.objects)
    assert len(before) == len(case.objects)
    [deployment] = release.workloads()
    history = PodHistory(cluster, deployment)

    objects, instructions = release.taken_over(tmp_path)
    release.up(objects, instructions)

    assert release.uids(case.objects) == before
    assert cluster.current(deployment)["metadata"]["generation"] == deployment["metadata"]["generation"] + 1
    assert len(_revisions(cluster, deployment)) == 2
    old, new = template_fields(deployment), template_fields(cluster.current(deployment))
    changed = {path for path in old.keys() | new.keys() if old.get(path) != new.get(path)}
    limited = {path for path in changed if re.fullmatch(r"spec/volumes/[-\w]+/emptyDir(/sizeLimit)?", path)}
    assert all(old.get(path) in (None, {}) for path in limited)
    assert changed - limited == ROLLED[case.chart]
    _assert_replaced_once(history, deployment)
    _assert_same_token(release)
    assert [pod["metadata"]["uid"] for run in in_progress for pod in run.pods()] == pods_of_runs
    assert all(run.is_running() for run in in_progress)

    _finish(release, instructions, objects)
    assert release.uids(case.objects).items() <= before.items()
    gone = before.keys() - release.uids(case.objects).keys()
    assert {kind for kind, _ in gone} == ({"NetworkPolicy"} if is_idle_policy(case) else set())
    for run in in_progress:
        run.finish()
        assert "Complete" in run.conditions()


@pytest.mark.parametrize(("name", "program"), [("agent-k8s-legacy-efs", "helm"), ("agent-k8s-current", "helm4")])
def test_agent_k8s_workloads_are_recreated(name: str, program: str, install: Install, tmp_path: Path) -> None:
    release = install(GOLDEN[name], program)
    cluster, case = release.cluster, release.case
    before = release.uids(case.objects)
    assert len(before) == len(case.objects)

    objects, instructions = release.taken_over(tmp_path)
    for workload in [item for item in objects if item["kind"] in WORKLOADS]:
        with pytest.raises(ApiError, match="field is immutable"):
            cluster.apply(workload, dry_run=True)
    release.up(objects, instructions)

    after = release.uids(case.objects)
    assert after.keys() == before.keys()
    assert sorted(kind for kind, name in before if after[kind, name] != before[kind, name]) == ["DaemonSet", "Deployment"]
    _assert_same_token(release)
    _finish(release, instructions, objects)
    assert release.uids(case.objects) == after


def test_identical_pods_are_not_replaced(install: Install, tmp_path: Path) -> None:
    case = GOLDEN["agent-job-legacy"]
    own = {key: value for key, value in case.values["agent"].items() if key != "token"}
    own |= {"tokenExistingSecret": {"name": "pool"}, "controller": {"securityContext": HARDENED}, "resources": SIZED}
    release = install(without_secret(case, case.values | {"agent": own}, "pool", securityContext=HARDENED, resources=SIZED))
    [deployment] = release.workloads()
    history = PodHistory(release.cluster, deployment)

    objects, instructions = release.taken_over(tmp_path)
    release.up(objects, instructions)

    assert release.cluster.current(deployment)["metadata"]["generation"] == deployment["metadata"]["generation"]
    assert history.changes() == []
    _finish(release, instructions, objects)


def test_a_variable_becomes_a_secret(install: Install, tmp_path: Path) -> None:
    case = with_variable(GOLDEN["agent-local-legacy"], "A_TOKEN", TOKEN)
    release = install(case)
    [deployment] = release.workloads()
    objects, instructions = release.taken_over(tmp_path)
    [expected] = [item for item in objects if item["kind"] == "Deployment"]
    with pytest.raises(ApiError, match="may not be specified when `value` is not empty"):
        release.cluster.apply(expected, dry_run=True)
    release.up(objects, instructions)
    now = release.cluster.current(deployment)
    assert now["metadata"]["uid"] == deployment["metadata"]["uid"]
    [variable] = [each for each in now["spec"]["template"]["spec"]["containers"][0]["env"] if each["name"] == "A_TOKEN"]
    assert variable.keys() == {"name", "valueFrom"}
    _finish(release, instructions, objects)


def test_a_volume_changes_its_kind(install: Install, tmp_path: Path) -> None:
    """Data and cache were on one claim, which becomes that of the cache."""
    release = install(with_one_volume(GOLDEN["agent-local-legacy-claim"]))
    before = release.uids(release.case.objects)
    [deployment] = release.workloads()
    objects, instructions = release.taken_over(tmp_path)
    [expected] = [item for item in objects if item["kind"] == "Deployment"]
    with pytest.raises(ApiError, match="may not specify more than 1 volume type"):
        release.cluster.apply(expected, dry_run=True)
    release.up(objects, instructions)
    assert release.uids(release.case.objects) == before
    volumes = {volume["name"]: volume for volume in release.cluster.current(deployment)["spec"]["template"]["spec"]["volumes"]}
    assert volumes["data-dir"] == {"name": "data-dir", "emptyDir": {"sizeLimit": "20Gi"}}
    assert volumes["cache-dir"]["persistentVolumeClaim"] == {"claimName": "team-a-agents-agent-local"}
    _finish(release, instructions, objects)


@pytest.mark.parametrize(
    ("program", "installer", "forgotten"),
    [
        ("helm", "helm", True),
        ("helm", "helm", False),
        ("helm4", "helm", True),
        ("helm", "terraform-provider-helm_v2.17.0_x5", True),
    ],
)
def test_removed_objects_are_deleted(program: str, installer: str, forgotten: bool, install: Install, tmp_path: Path) -> None:
    """A field stays as long as it has a manager, and Helm is one until its ownership is removed."""
    release = install(GOLDEN["agent-local-current"], program)
    assert release.managed_by(installer) == {installer}
    objects, instructions = release.taken_over(tmp_path)
    release.up(objects, instructions)
    if forgotten:
        _finish(release, instructions, objects)
    [deployment] = [item for item in objects if item["kind"] == "Deployment"]
    pod = deployment["spec"]["template"]["spec"]
    variable, toleration = pod["containers"][0]["env"].pop()["name"], pod.pop("tolerations")
    left = release.cluster.apply(deployment)["spec"]["template"]["spec"]
    assert (left.get("tolerations") == toleration) is not forgotten
    assert (variable in {each["name"] for each in left["containers"][0]["env"]}) is not forgotten


def _start(cluster: Client, task: Manifest) -> runs.Run:
    """A run from the chart's own template, without fields that the API server would ignore."""
    known = deepcopy(task)
    known["spec"]["jobTemplate"]["spec"].pop("restartPolicy", None)
    return runs.start(cluster, known)


def _revisions(cluster: Client, deployment: Manifest) -> list[str]:
    return [
        item["metadata"]["name"]
        for item in cluster.list("ReplicaSet", deployment["metadata"]["namespace"])
        if item["metadata"]["ownerReferences"][0]["uid"] == deployment["metadata"]["uid"]
    ]


def _assert_replaced_once(history: PodHistory, deployment: Manifest) -> None:
    """Each pod has one successor, and their number stays within the strategy of the release."""
    number = deployment["spec"]["replicas"]
    changes = history.changes()
    assert len(changes[-1]) == 2 * number
    assert {uid for uid, ready in changes[-1].items() if ready}.isdisjoint(history.first)
    rolling = lookup(deployment, "spec", "strategy", "rollingUpdate")
    fewer = int(rolling["maxUnavailable"].removesuffix("%")) * number // 100 if rolling else number
    assert min(sum(pods.values()) for pods in changes) >= number - fewer


def _assert_same_token(release: Release) -> None:
    """The pods get the token that they had."""
    [helms] = [item for item in release.case.objects if item["kind"] == "Secret"]
    assert release.cluster.current(helms)["data"] == helms["data"]


def _finish(release: Release, instructions: Instructions, objects: Manifests) -> None:
    """Run the steps after `pulumi up`, and assert that nothing remains."""
    *commands, last = instructions.after
    for command in commands:
        kubectl.run(release.cluster, command)
    assert last == "pulumi config set --path 'scalr-agents:kubernetes.upsertExisting' false"
    assert (release.records(), release.helm.releases(release.case.namespace)) == ([], [])
    for item in objects:
        if item["kind"] != "CustomResourceDefinition":
            metadata = release.cluster.current(item)["metadata"]
            managers = {entry["manager"] for entry in metadata["managedFields"]}
            assert managers <= {"pulumi-kubernetes", "kube-controller-manager"}
            assert "helm.sh" not in f"{metadata['labels']}{metadata.get('annotations')}"
    there = settled(release.cluster, objects, release.case.namespace)
    agents.apply(release.cluster, objects)
    assert settled(release.cluster, objects, release.case.namespace) == there
    refused = release.helm.install(release.case, "--skip-crds")
    assert refused.returncode == 1
    assert 'label validation error: key "app.kubernetes.io/managed-by" must equal "Helm": current value is "pulumi"' in refused.stderr
