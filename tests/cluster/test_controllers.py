"""Controllers with the permissions of their account: their requests are allowed, requests of an attacker are refused."""

import json
from collections.abc import Callable, Iterator
from functools import partial
from http import HTTPStatus
from typing import Any

import pytest

from tests.cluster import accounts, agents, runs
from tests.cluster.accounts import Controller
from tests.cluster.client import ApiError, Client, Manifest, wait
from tests.cluster.simulated import LOGS
from tests.helpers.validated import LINES

_POD_SECONDS = 20
_RBAC = "rbac.authorization.k8s.io/v1"
_SPEC = {"containers": [{"name": "main", "image": "example/main"}]}
_JOB = {"template": {"spec": {**_SPEC, "restartPolicy": "Never"}}}
_DEPLOYMENT = {
    "selector": {"matchLabels": {"app": "main"}},
    "template": {"metadata": {"labels": {"app": "main"}}, "spec": _SPEC},
}
_EVERYTHING = [{"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]}]


@pytest.fixture(scope="module", params=LINES, ids=agents.line_id)
def controller(request: pytest.FixtureRequest, cluster: Client) -> Iterator[Controller]:
    with accounts.at_work(cluster, request.param) as controller:
        yield controller


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
    wait(lambda: api.get("Pod", "run-1", namespace)["status"].get("phase") == "Running", _POD_SECONDS, "the pod of a run")
    assert api.logs("run-1", namespace, "main") == LOGS
    assert _exec(api, "run-1", namespace) == HTTPStatus.BAD_REQUEST
    assert api.patch_status("Pod", "run-1", namespace, {"message": "seen"})["status"]["message"] == "seen"
    for kind in ("Pod", "ConfigMap", "Secret"):
        assert _first_watched(api, kind, namespace)[0] == "ADDED"
        api.delete(kind, "run-1", namespace)


Act = Callable[[Controller], object]

REFUSED: dict[str, Act] = {
    "list Secrets": lambda to: to.api.list("Secret", to.namespace),
    "list Secrets of others": lambda to: to.api.list("Secret", to.elsewhere),
    "list pods of others": lambda to: to.api.list("Pod", to.elsewhere),
    "list all pods": lambda to: to.api.list("Pod"),
    "list nodes": lambda to: to.api.list("Node"),
    "list namespaces": lambda to: to.api.list("Namespace"),
    "start a pod elsewhere": lambda to: to.api.create(_object("v1", "Pod", to.elsewhere, spec=_SPEC)),
    "start a Job elsewhere": lambda to: to.api.create(_object("batch/v1", "Job", to.elsewhere, spec=_JOB)),
    "start a Deployment": lambda to: to.api.create(_object("apps/v1", "Deployment", to.namespace, spec=_DEPLOYMENT)),
    "delete the Deployment": lambda to: to.api.delete("Deployment", to.its("Deployment")["metadata"]["name"], to.namespace),
    "get a token of an account": lambda to: to.api.token(to.namespace, to.its("ServiceAccount")["metadata"]["name"]),
    "make an account": lambda to: to.api.create(_object("v1", "ServiceAccount", to.namespace)),
    "make a Role": lambda to: to.api.create(_object(_RBAC, "Role", to.namespace, rules=_EVERYTHING)),
    "become administrator": lambda to: to.api.create(_binding("RoleBinding", to)),
    "become administrator of the cluster": lambda to: to.api.create(_binding("ClusterRoleBinding", to)),
    "close the namespace's network": lambda to: to.api.create(
        _object("networking.k8s.io/v1", "NetworkPolicy", to.namespace, spec={"podSelector": {}})
    ),
    "evict a pod": lambda to: to.api.evict("any", to.namespace),
}
"""Requests of an attacker, which the account is refused."""


@pytest.mark.parametrize("what", REFUSED)
def test_other_requests_are_refused(what: str, controller: Controller) -> None:
    may = what == "list Secrets" and controller.line.chart == "agent-k8s"
    assert _status(lambda: REFUSED[what](controller)) == (HTTPStatus.OK if may else HTTPStatus.FORBIDDEN)


@_only_kind("agent-job")
def test_a_job_controller_cannot_change_its_template(controller: Controller) -> None:
    api, [task] = controller.api, runs.tasks(controller.objects)
    place = task["kind"], task["metadata"]["name"], controller.namespace
    other = {**task, "metadata": {"name": "other", "namespace": controller.namespace}}
    definition = controller.its("CustomResourceDefinition")["metadata"]["name"]
    for change in (
        lambda: api.create(other),
        lambda: api.apply(task),
        lambda: api.patch(*place, {"spec": {"jobTemplate": {}}}),
        lambda: api.patch_status(*place, {}),
        lambda: api.delete(*place),
        lambda: api.get("CustomResourceDefinition", definition),
    ):
        assert _status(change) == HTTPStatus.FORBIDDEN
    assert controller.cluster.get(*place)["spec"] == task["spec"]


def _object(api_version: str, kind: str, namespace: str | None, **content: Any) -> Manifest:
    metadata = {"name": "mine", **({"namespace": namespace} if namespace else {})}
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, **content}


def _binding(kind: str, controller: Controller) -> Manifest:
    subject = {"kind": "ServiceAccount", "name": controller.its("ServiceAccount")["metadata"]["name"], "namespace": controller.namespace}
    role = {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "cluster-admin"}
    namespace = controller.namespace if kind == "RoleBinding" else None
    return _object(_RBAC, kind, namespace, roleRef=role, subjects=[subject])


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


def test_a_controller_can_act_as_other_agents_of_its_namespace(controller: Controller) -> None:
    """The reason for the warning on agents in one namespace: permission to create pods is not limited by accounts, Secrets or labels."""
    namespace = controller.namespace
    for kind, name in (("ServiceAccount", "other"), ("Secret", "other-token")):
        controller.cluster.create({"apiVersion": "v1", "kind": kind, "metadata": {"name": name, "namespace": namespace}})
    spec = {**_SPEC, "serviceAccountName": "other", "volumes": [{"name": "token", "secret": {"secretName": "other-token"}}]}
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "as-the-other", "namespace": namespace}, "spec": spec}
    if controller.line.chart == "agent-local":
        assert _status(lambda: controller.api.create(pod)) == HTTPStatus.FORBIDDEN
        return
    made = controller.api.create(pod)
    assert (made["spec"]["serviceAccountName"], made["metadata"].get("labels")) == ("other", None)
    assert made["spec"]["volumes"][0]["secret"]["secretName"] == "other-token"
