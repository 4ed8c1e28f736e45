"""What a view says of what cannot be seen, or is not understood."""

from scalr_agents.cluster.answers import Hidden, Listed, Odd
from scalr_agents.cluster.objects import Event, Job, Object, Pod, Started, Workload
from scalr_agents.cluster.view import SUMMARY, Place, View, odd_notes, read, told

from tests.helpers.answers_of_cluster import NOW, Described, listed


def test_objects_are_read_by_their_paths() -> None:
    deployment, node = "/apis/apps/v1/namespaces/scalr/deployments/a", "/api/v1/nodes/b"
    api = Described(
        {deployment: {"metadata": {"name": "a"}, "spec": {"replicas": "many"}}, node: {"metadata": {"name": "b", "labels": {"pool": 1}}}}
    )
    view = read(api, [(Pod, "scalr")], {deployment: Workload, node: Object, "/api/v1/nodes/gone": Object})
    assert (view.version, view.lists) == ("v1.36.3", {(Pod, "scalr"): listed(Pod, [])})
    assert view.objects == {deployment: Workload(name="a"), node: Object(name="b"), "/api/v1/nodes/gone": None}
    assert view.notes == [
        "deployments.apps in namespace scalr: spec.replicas is not understood (a)",
        "nodes: metadata.labels.pool is not understood (b)",
    ]


def test_events_that_cannot_be_seen_are_told_though_others_can() -> None:
    view = View(at=NOW, lists={(Event, "scalr"): Hidden("no answer within 60 seconds"), (Started, "scalr"): Listed()})
    assert view.notes == ["events in namespace scalr: cannot be seen: no answer within 60 seconds"]


def test_there_is_one_note_for_each_resource() -> None:
    denied = Hidden("your credential lacks the permission")
    view = View(
        at=NOW,
        lists={(kind, namespace): denied for kind in (Pod, Job) for namespace in "abcde"},
        objects={SUMMARY.format(node): denied for node in ("n1", "n%2F2")},
    )
    assert view.notes == [
        "pods in namespaces a, b, c and 2 more: cannot be seen: your credential lacks the permission",
        "jobs.batch in namespaces a, b, c and 2 more: cannot be seen: your credential lacks the permission",
        "the use of claims on nodes n1, n/2: cannot be seen: your credential lacks the permission",
    ]


def test_notes_name_what_is_odd() -> None:
    odd = [Odd(name, "status.phase") for name in "abcde"] + [Odd("", "")] * 3
    view = View(at=NOW, lists={(Pod, "scalr"): Listed([Pod(name="x")], odd, "the API server answered 410")})
    assert view.notes == [
        "pods in namespace scalr: status.phase is not understood (a, b, c and 2 more)",
        "pods in namespace scalr: an object is not understood",
        "pods in namespace scalr: only the first 1 are read: the API server answered 410",
    ]
    assert list(told(odd_notes(Place("nodes"), [Odd("n1", "spec.taints")]))) == ["nodes: spec.taints is not understood (n1)"]
