"""What happens to objects, out of the answers of an API server. tests/cluster/test_impact.py asks a real one."""

from copy import deepcopy
from typing import Any

import pytest
import yaml
from kubernetes.client import ApiClient, Configuration
from scalr_agents.charts.shared.secrets import DIGEST_ANNOTATION
from scalr_agents.cluster import paths
from scalr_agents.cluster.answers import Answer, Hidden, Listed, understood
from scalr_agents.cluster.api import Api, Query
from scalr_agents.cluster.objects import Object, Workload
from scalr_agents.day2 import changes
from scalr_agents.day2.changes import Change, Trial, Trials
from scalr_agents.doctor.needs import KEPT, Needs
from scalr_agents.model.manifests import Key, key_of
from scalr_agents.model.maps import Values, merge
from scalr_agents.stack import load as load_stack

from tests.helpers.samples import REPOSITORY, URL, load, sample

Json = dict[str, Any]
_DEPLOYMENT = {"metadata": {"name": "a"}, "spec": {"replicas": 2, "template": {"spec": {"containers": [{"name": "x", "image": "1"}]}}}}


def _judged(kind: str, live: Json, answer: Answer) -> Change:
    return changes.judged(Key(kind, "scalr", "a"), Trial(wanted=live, live=live, answer=answer))


def _live(item: Json) -> Object | None:
    """An object of the cluster as it is read."""
    return understood(Workload, item)[0]


@pytest.mark.parametrize(
    ("one", "other", "paths"),
    [
        ({}, {}, []),
        ({"a": 1}, {"a": 1}, []),
        ({"a": {"b": 1}}, {"a": {"b": 2}, "c": 1}, ["a.b", "c"]),
        ({"a": {"b": 1}}, {"a": None}, ["a"]),
        ({"a": [{"name": "x", "v": 1}]}, {"a": [{"name": "y"}, {"name": "x", "v": 2}]}, ["a[x].v", "a[y]"]),
        ({"a": [{"name": "x"}, {"name": "y"}]}, {"a": [{"name": "y"}, {"name": "x"}]}, ["a"]),
        ({"a": [1, 2]}, {"a": [1, 3]}, ["a[1]"]),
        ({"a": [{"name": "x"}, {"name": "x", "v": 1}]}, {"a": [{"name": "x"}]}, ["a[1]"]),
    ],
)
def test_differences_are_paths_without_values(one: Json, other: Json, paths: list[str]) -> None:
    assert list(changes.differences(one, other)) == paths


@pytest.mark.parametrize(
    ("kind", "change", "what"),
    [
        ("Deployment", {}, "unchanged"),
        ("Deployment", {"status": {"readyReplicas": 1}}, "unchanged"),
        ("Deployment", {"metadata": {"annotations": {"pulumi.com/skipAwait": "true"}, "generation": 2}}, "unchanged"),
        ("Deployment", {"metadata": {"labels": {"team": "payments"}}}, "changed"),
        ("Deployment", {"spec": {"replicas": 3}}, "changed"),
        ("Deployment", {"spec": {"replicas": 1}}, "scaled-in"),
        ("Deployment", {"spec": {"replicas": 1, "template": {"spec": {"nodeSelector": {"a": "b"}}}}}, "restarted"),
        ("PersistentVolume", {"spec": {"mountOptions": ["tls", "iam"]}}, "replaced"),
    ],
)
def test_what_a_change_does(kind: str, change: Values, what: str) -> None:
    live = _DEPLOYMENT if kind == "Deployment" else {"metadata": {"name": "a"}, "spec": {"mountOptions": ["tls"]}}
    assert _judged(kind, live, Answer(status=200, accepted=merge(deepcopy(live), change))).what == what


@pytest.mark.parametrize(
    ("kind", "fields", "what"),
    [
        ("Deployment", ["spec.selector"], "replaced"),
        ("Deployment", ["spec.replicas"], "rejected"),
        ("Deployment", ["spec.selector", "spec.replicas"], "rejected"),
        ("StatefulSet", ["spec"], "replaced"),
        ("StatefulSet", ["spec.volumeClaimTemplates", "spec.volumeClaimTemplates"], "replaced"),
        ("StatefulSet", ["spec.replicas"], "rejected"),
        ("PersistentVolumeClaim", ["spec"], "replaced"),
        ("PersistentVolumeClaim", ["spec.resources.requests.storage"], "rejected"),
        ("PersistentVolume", ["spec.persistentvolumesource"], "replaced"),
        ("StorageClass", ["parameters", "reclaimPolicy"], "replaced"),
        ("StorageClass", ["volumeBindingMode"], "rejected"),
        ("RoleBinding", ["roleRef"], "replaced"),
        ("NetworkPolicy", ["spec"], "rejected"),
        ("Deployment", [], "rejected"),
    ],
)
def test_what_a_refusal_means(kind: str, fields: list[str], what: str) -> None:
    live = merge(_DEPLOYMENT, {"spec": {"volumeName": "v"}})
    found = _judged(kind, live, Answer(status=422, message="invalid", fields=fields))
    assert (found.what, found.reason) == (what, "invalid" if what == "rejected" else "")


@pytest.mark.parametrize("status", [0, 429, 500, 503])
def test_a_failure_of_the_api_server_is_no_refusal(status: int) -> None:
    found = _judged("Deployment", _DEPLOYMENT, Answer(status=status, message="webhook away"))
    assert (found.what, found.reason) == ("unknown", "webhook away")


def test_claims_go_with_pods_if_the_policy_comes_in_the_same_change() -> None:
    words: Values = {"kind": "agent-local", "values": {"workload": {"kind": "StatefulSet"}, "persistence": {"cache": {"enabled": True}}}}
    deleting = {"workload": {"statefulSet": {"persistentVolumeClaimRetentionPolicy": {"whenScaled": "Delete"}}}}
    before, after = _needs(words), _needs(merge(words, {"values": deleting}))
    [workload] = [manifest for manifest in before.own.values() if manifest["kind"] == "StatefulSet"]
    live = _live(merge(workload, {"spec": {"replicas": 2}}))
    _, *claims = changes.followed([Change(key=key_of(workload), what="scaled-in", live=live)], after)
    assert [(each.key.name, each.what) for each in claims] == [("cache-dir-runs-agent-local-1", "removed")]


def test_every_kind_that_stacks_have_is_looked_for() -> None:
    """Those of the sample stacks and of every golden release."""
    files = [path for path in (REPOSITORY / "stacks").glob("Pulumi.*.yaml") if "scalr-agents:agents" in path.read_text()]
    stacks = [Needs.of(sample(path.stem.removeprefix("Pulumi."))) for path in files]
    golden = [item for path in (REPOSITORY / "tests" / "golden").rglob("*.yaml") for item in yaml.safe_load_all(path.read_text())]
    made = [*(item for needs in stacks for item in needs.objects), *(item for item in golden if {"apiVersion", "kind"} <= {*(item or {})})]
    kinds = {(item["apiVersion"], item["kind"]) for item in made if item["kind"] not in KEPT}
    assert kinds - {(kind.api_version, kind.name) for kind in paths.kinds()} == set()


def _removed(kind: str, *items: Object) -> list[str]:
    """What is removed of what there is of a kind."""
    [of] = [each for each in paths.kinds() if each.name == kind]
    found = changes.of(_needs({"kind": "agent-job"}), Trials(of={}, there={(of, ""): Listed(items)}))
    return [change.key.place for change in found if change.what == "removed"]


@pytest.mark.parametrize(
    "kind", ["ResourceQuota", "LimitRange", "HorizontalPodAutoscaler", "PrometheusRule", "ConfigMap", "ExternalSecret"]
)
def test_what_the_stack_has_no_longer_is_removed(kind: str) -> None:
    assert _removed(kind, Object(name="old", namespace="scalr"), Object(name="theirs", namespace="payments")) == [f"{kind} scalr/old"]


def test_objects_of_the_cluster_begin_with_a_namespace_of_the_stack() -> None:
    found = [Object(name=name) for name in ("scalr.old-agent", "payments.runs-agent", "view", "scalr")]
    assert _removed("ClusterRole", *found) == ["ClusterRole scalr.old-agent"]


def _needs(agent: Values, **words: Any) -> Needs:
    given = merge({"namespace": "scalr", "agentVersion": "1.4.0"}, agent)
    return Needs.of(load({"common": {"url": URL}, "agents": {"runs": given}, **words}))


def _replaced_with(needs: Needs, kind: str) -> dict[str, str]:
    """What is replaced, and why, if the object of a kind is and all others stay."""
    made = [
        Change(key=key, what="replaced" if key.kind == kind else "unchanged", live=_live(manifest)) for key, manifest in needs.own.items()
    ]
    return {str(each.key): each.reason for each in changes.followed(made, needs) if each.what == "replaced"}


def test_a_volume_is_replaced_with_its_claim_and_its_pods() -> None:
    needs = _needs({"kind": "agent-k8s", "values": {"efsVolumeHandle": "fs-0000000a"}})
    assert _replaced_with(needs, "PersistentVolume") == {
        "PersistentVolume scalr.runs-agent-k8s-data": "",
        "PersistentVolumeClaim runs-agent-k8s-data": "together with PersistentVolume scalr.runs-agent-k8s-data",
        "Deployment runs-agent-k8s-controller": "together with PersistentVolumeClaim runs-agent-k8s-data",
        "DaemonSet runs-agent-k8s-worker": "together with PersistentVolumeClaim runs-agent-k8s-data",
    }


def test_a_claim_is_replaced_with_the_controllers_but_not_with_placeholders() -> None:
    persistence = {"cache": {"enabled": True, "persistentVolumeClaim": {"accessMode": "ReadWriteMany"}}}
    needs = _needs({"kind": "agent-job", "values": {"persistence": persistence, "task": {"buffer": {"replicas": 1}}}})
    replaced = _replaced_with(needs, "PersistentVolumeClaim")
    assert list(replaced) == ["PersistentVolumeClaim runs-scalr-agent-cache", "Deployment runs-scalr-agent"]


@pytest.mark.parametrize(
    ("event", "what", "expected"),
    [
        ("whenDeleted", "replaced", {"0": "replaced", "1": "replaced"}),
        ("whenDeleted", "removed", {"0": "removed", "1": "removed"}),
        ("whenScaled", "scaled-in", {"1": "removed"}),
        ("whenScaled", "replaced", {}),
        ("whenDeleted", "restarted", {}),
    ],
)
def test_claims_that_go_with_a_stateful_set(event: str, what: changes.What, expected: dict[str, str]) -> None:
    stateful = {"kind": "StatefulSet", "statefulSet": {"persistentVolumeClaimRetentionPolicy": {event: "Delete"}}}
    needs = _needs({"kind": "agent-local", "values": {"workload": stateful, "persistence": {"cache": {"enabled": True}}}})
    [workload] = [manifest for manifest in needs.own.values() if manifest["kind"] == "StatefulSet"]
    live = merge(workload, {"spec": {"replicas": 2}})
    _, *claims = changes.followed([Change(key=key_of(workload), what=what, live=_live(live))], needs)
    assert {each.key.name.removeprefix("cache-dir-runs-agent-local-"): each.what for each in claims} == expected


def test_the_digest_of_encrypted_secrets_counts_as_unchanged() -> None:
    words = {"kind": "agent-job", "namespace": "scalr", "agentVersion": "1.4.0"}
    config = {"common": {"url": URL}, "agents": {"runs": words}}
    known = load(config).agents
    encrypted = load_stack(config, directory=REPOSITORY, demand_tokens=False).agents
    [live], [wanted] = ([each for each in of[0].objects if each["kind"] == "Deployment"] for of in (known, encrypted))
    assert DIGEST_ANNOTATION not in wanted["spec"]["template"]["metadata"].get("annotations", {})
    assert changes.submitted(wanted, live, encrypted) == live
    assert changes.submitted(live, wanted, known) is live


class OfNamespaces(Api):
    """In place of the API of a cluster that has a Secret, seen with rights in namespaces alone."""

    def get(self, path: str, query: Query = (), accept: str = "") -> None:
        return None

    def listed(self, kind: type[Any], path: str, query: Query = (), accept: str = "") -> Listed[Any] | Hidden:
        if "/namespaces/" not in path:
            return Hidden("no permission")
        return Listed([kind(name="old", namespace="scalr")] if path == "/api/v1/namespaces/scalr/secrets" else [])


def test_what_cannot_be_seen_in_the_whole_cluster_is_looked_for_in_namespaces() -> None:
    needs = _needs({"kind": "agent-job"})
    trials = changes.ask(OfNamespaces(ApiClient(Configuration()), "the cluster"), needs)
    found = {change.key.place: change.what for change in changes.of(needs, trials) if change.what != "created"}
    assert found == {"Secret scalr/old": "removed", "ClusterRole *": "unknown", "ClusterRoleBinding *": "unknown"}
    assert list(changes.unseen(needs, trials)) == [
        "PersistentVolume, PriorityClass, StorageClass that the stack has no longer cannot be seen: no permission"
    ]


def test_kinds_that_cannot_be_seen_are_a_note_unless_the_stack_has_them() -> None:
    needs, denied = _needs({"kind": "agent-job"}), Hidden("no permission")
    kinds = {kind.name: kind for kind in paths.kinds()}
    there = {(kinds[name], "scalr"): denied for name in ("Role", "ConfigMap", "ExternalSecret")} | {(kinds["PriorityClass"], ""): denied}
    trials = Trials(of={}, there=there)
    assert [change.key.place for change in changes.of(needs, trials)] == ["Role scalr/*"]
    assert list(changes.unseen(needs, trials)) == [
        "ConfigMap, ExternalSecret, PriorityClass that the stack has no longer cannot be seen: no permission"
    ]
