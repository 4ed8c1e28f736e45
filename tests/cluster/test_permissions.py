"""Permissions of an agent's account: those that its controller needs, with which it works, and no others.

Resources are written as kubectl writes them: `jobs.batch/status` is the subresource `status` of `jobs` in the group `batch`.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from http import HTTPStatus
from itertools import product
from typing import Any

import pytest

from tests.cluster import accounts, agents, runs
from tests.cluster.accounts import Controller
from tests.cluster.client import ApiError, Client, wait
from tests.cluster.simulated import LOGS
from tests.helpers.validated import LINES

Permission = tuple[str, str]
"""A verb, and the resource."""
Grants = dict[str, str]
"""Verbs by resource."""

_READ = "get list watch"
_MANAGE = "get list watch create update patch delete deletecollection"
_JOBS = {
    "pods": _MANAGE,
    "pods/log": "get",
    "pods/exec": "get create",
    "pods/status": "get update patch",
    "deployments.apps": _READ,
    "jobs.batch": _MANAGE,
    "jobs.batch/status": "get update patch",
}
_PODS = dict.fromkeys(
    ("pods", "pods/status", "pods/log", "pods/exec", "configmaps", "secrets"),
    "get list watch create patch delete",
)

NAMESPACED: dict[str, Grants] = {
    "agent-job-legacy": _JOBS,
    "agent-job-current": {**_JOBS, "events": "list"},
    "agent-local-legacy": {},
    "agent-local-current": {},
    "agent-k8s-legacy": _PODS,
    "agent-k8s-current": _PODS,
}
"""Permissions of the account in the agent's namespace, by line."""
CLUSTER_WIDE: dict[str, Grants] = {
    "agent-job-legacy": {"atasks.scalr.io": _READ},
    "agent-job-current": {"agenttasktemplates.scalr.io": _READ},
}
"""Permissions in all namespaces. Lines that are not listed have none."""
EVERYBODY: Grants = {
    "selfsubjectaccessreviews.authorization.k8s.io": "create",
    "selfsubjectrulesreviews.authorization.k8s.io": "create",
    "selfsubjectreviews.authentication.k8s.io": "create",
    "clustertrustbundles.certificates.k8s.io": "get list watch",
}
"""What Kubernetes itself grants to every account: to ask who it is, what it may do, and which authorities the cluster trusts."""


@pytest.fixture(scope="module", params=LINES, ids=agents.line_id)
def controller(request: pytest.FixtureRequest, cluster: Client) -> Iterator[Controller]:
    with accounts.at_work(cluster, request.param) as controller:
        yield controller


def _permissions(grants: Grants) -> set[Permission]:
    return {(verb, resource) for resource, verbs in grants.items() for verb in verbs.split()}


def test_the_account_has_only_listed_rules(controller: Controller) -> None:
    """The server's list of rules, independent of the tables: our rules and the default ones."""
    everywhere = {**EVERYBODY, **CLUSTER_WIDE.get(controller.id, {})}
    rules, urls = _rules(controller.api, controller.namespace)
    assert rules == _permissions({**everywhere, **NAMESPACED[controller.id]})
    assert _rules(controller.api, controller.elsewhere) == (_permissions(everywhere), urls)
    with controller.cluster.as_(controller.cluster.token(controller.elsewhere, "default")) as nobody:
        assert _rules(nobody, controller.elsewhere) == (_permissions(EVERYBODY), urls)


def _rules(api: Client, namespace: str) -> tuple[set[Permission], set[Permission]]:
    """Permissions of an account on resources of a namespace and on other URLs."""
    review = {"apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectRulesReview", "metadata": {}, "spec": {"namespace": namespace}}
    status = api.create(review)["status"]
    assert status["incomplete"] is False
    urls = {(verb, url) for rule in status["nonResourceRules"] for verb in rule["verbs"] for url in rule["nonResourceURLs"]}
    return _expanded(status["resourceRules"]), urls


def _expanded(rules: Sequence[Mapping[str, Any]]) -> set[Permission]:
    """Each verb on each resource; `*` stays as it is, and a rule for objects of some names only is none of ours."""
    found = set()
    for rule in rules:
        assert "resourceNames" not in rule
        for verb, group, resource in product(rule["verbs"], rule["apiGroups"], rule["resources"]):
            plural, _, subresource = resource.partition("/")
            name = f"{plural}.{group}" if group else plural
            found.add((verb, f"{name}/{subresource}" if subresource else name))
    return found


def test_secrets_and_other_namespaces_are_refused(controller: Controller) -> None:
    api = controller.api
    asked = [lambda: api.list("Secret", controller.namespace), lambda: api.list("Pod", controller.elsewhere), lambda: api.list("Pod")]
    secrets = HTTPStatus.OK if controller.line.chart == "agent-k8s" else HTTPStatus.FORBIDDEN
    assert [_status(request) for request in asked] == [secrets, HTTPStatus.FORBIDDEN, HTTPStatus.FORBIDDEN]


def _only_kind(chart: str) -> pytest.MarkDecorator:
    lines = [line for line in LINES if line.chart == chart]
    return pytest.mark.parametrize("controller", lines, ids=agents.line_id, indirect=True)


@_only_kind("agent-job")
def test_a_job_controller_works_with_its_account(controller: Controller) -> None:
    api, namespace = controller.api, controller.namespace
    [task] = runs.tasks(controller.objects)
    kind, name = task["kind"], task["metadata"]["name"]
    template = api.get(kind, name, namespace)
    assert template["spec"] == task["spec"]
    assert [found["metadata"]["name"] for found in api.list(kind, namespace)] == [name]
    assert _first_watched(api, kind, namespace) == ("ADDED", name)

    run = runs.start(controller.cluster, template, controller=api)
    [pod] = api.list("Pod", namespace, {"batch.kubernetes.io/job-name": run.name})
    pod_name = pod["metadata"]["name"]
    assert _first_watched(api, "Job", namespace) == ("ADDED", run.name)
    assert api.logs(pod_name, namespace, "runner") == LOGS
    assert _exec(api, pod_name, namespace) == HTTPStatus.BAD_REQUEST
    marked = api.patch("Pod", pod_name, namespace, {"metadata": {"annotations": {"example.com/seen": "yes"}}})
    assert marked["metadata"]["annotations"]["example.com/seen"] == "yes"
    assert api.patch_status("Pod", pod_name, namespace, {"message": "seen"})["status"]["message"] == "seen"
    deployment = controller.its("Deployment")["metadata"]["name"]
    assert api.get("Deployment", deployment, namespace)["spec"]["replicas"] == 1
    events = _status(lambda: api.list("Event", namespace))
    assert events == (HTTPStatus.OK if controller.line.generation == "current" else HTTPStatus.FORBIDDEN)

    api.delete("Pod", pod_name, namespace)
    api.delete("Job", run.name, namespace)
    assert api.find("Job", run.name, namespace) is None


@_only_kind("agent-k8s")
def test_a_pod_controller_works_with_its_account(controller: Controller) -> None:
    """It hands configuration and credentials to the pods that it starts."""
    api, namespace = controller.api, controller.namespace
    metadata = {"name": "run-1", "namespace": namespace}
    api.create({"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "stringData": {"token": "of-the-run"}})
    api.create({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"run": "1"}})
    container = {"name": "main", "image": "example/main", "envFrom": [{"secretRef": {"name": "run-1"}}]}
    api.create({"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {"containers": [container]}})
    wait(lambda: api.get("Pod", "run-1", namespace)["status"].get("phase") == "Running", "the pod of a run")
    assert api.logs("run-1", namespace, "main") == LOGS
    assert _exec(api, "run-1", namespace) == HTTPStatus.BAD_REQUEST
    assert api.patch_status("Pod", "run-1", namespace, {"message": "seen"})["status"]["message"] == "seen"
    for kind in ("Pod", "ConfigMap", "Secret"):
        assert _first_watched(api, kind, namespace)[0] == "ADDED"
        api.delete(kind, "run-1", namespace)


def _first_watched(api: Client, kind: str, namespace: str) -> tuple[str, str]:
    """The first event of a watch: its type, and the object's name."""
    with api._http.stream("GET", api._path(kind, namespace=namespace), params={"watch": "true"}) as events:
        return _event(next(events.iter_lines()))


def _event(line: str) -> tuple[str, str]:
    event = json.loads(line)
    return event["type"], event["object"]["metadata"]["name"]


def _exec(api: Client, pod: str, namespace: str) -> int:
    """The status of an exec request. This client cannot upgrade the connection, so an allowed request results in 400."""
    path = api._path("Pod", pod, namespace, "exec")
    statuses = {_status(partial(api._request, verb, path, {"command": "true", "stdout": "true"})) for verb in ("GET", "POST")}
    assert len(statuses) == 1
    return statuses.pop()


def _status(request: Callable[[], object]) -> int:
    try:
        request()
    except ApiError as problem:
        return problem.status
    return HTTPStatus.OK
