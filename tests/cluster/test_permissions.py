"""Permissions of an agent's account: only those that its controller needs, evaluated by the API server's RBAC.

Resources are written as kubectl writes them: `jobs.batch/status` is the subresource `status` of `jobs` in the group `batch`.
"""

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from typing import Any

import pytest

from tests.cluster import accounts, agents
from tests.cluster.accounts import Controller
from tests.cluster.client import Client
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

_IN_NAMESPACES = """
    pods pods/log pods/exec pods/status pods/attach pods/portforward pods/proxy pods/ephemeralcontainers
    pods/resize pods/eviction pods/binding
    jobs.batch jobs.batch/status cronjobs.batch
    deployments.apps deployments.apps/scale deployments.apps/status daemonsets.apps statefulsets.apps replicasets.apps
    secrets configmaps serviceaccounts serviceaccounts/token persistentvolumeclaims services endpoints events resourcequotas limitranges
    roles.rbac.authorization.k8s.io rolebindings.rbac.authorization.k8s.io
    networkpolicies.networking.k8s.io poddisruptionbudgets.policy leases.coordination.k8s.io
    atasks.scalr.io atasks.scalr.io/status agenttasktemplates.scalr.io agenttasktemplates.scalr.io/status
"""
_OF_THE_CLUSTER = """
    namespaces namespaces/finalize nodes nodes/proxy nodes/status persistentvolumes
    clusterroles.rbac.authorization.k8s.io clusterrolebindings.rbac.authorization.k8s.io
    customresourcedefinitions.apiextensions.k8s.io apiservices.apiregistration.k8s.io
    storageclasses.storage.k8s.io priorityclasses.scheduling.k8s.io runtimeclasses.node.k8s.io
    mutatingwebhookconfigurations.admissionregistration.k8s.io validatingwebhookconfigurations.admissionregistration.k8s.io
    certificatesigningrequests.certificates.k8s.io certificatesigningrequests.certificates.k8s.io/approval
    tokenreviews.authentication.k8s.io subjectaccessreviews.authorization.k8s.io
"""
_SPECIAL = [
    ("bind", "roles.rbac.authorization.k8s.io"),
    ("escalate", "roles.rbac.authorization.k8s.io"),
    ("bind", "clusterroles.rbac.authorization.k8s.io"),
    ("escalate", "clusterroles.rbac.authorization.k8s.io"),
    ("impersonate", "serviceaccounts"),
    ("impersonate", "users"),
    ("impersonate", "groups"),
]
"""Verbs that escalate permissions."""

ASKED = {
    "namespaced": [*product(_MANAGE.split(), _IN_NAMESPACES.split()), *_SPECIAL],
    "cluster": [*product(_MANAGE.split(), _OF_THE_CLUSTER.split()), *_SPECIAL],
}


@pytest.fixture(scope="module", params=LINES, ids=agents.line_id)
def controller(request: pytest.FixtureRequest, cluster: Client) -> Iterator[Controller]:
    with accounts.at_work(cluster, request.param) as controller:
        yield controller


def _permissions(grants: Grants) -> set[Permission]:
    return {(verb, resource) for resource, verbs in grants.items() for verb in verbs.split()}


def _allowed(api: Client, asked: Sequence[Permission], namespace: str | None = None) -> set[Permission]:
    """The permissions that the server grants, in a namespace or, without one, in the whole cluster."""

    def may(permission: Permission) -> bool:
        verb, resource = permission
        name, _, subresource = resource.partition("/")
        plural, _, group = name.partition(".")
        return api.may(verb, f"{plural}/{subresource}" if subresource else plural, namespace, group=group)

    with ThreadPoolExecutor(4) as workers:
        return {permission for permission, granted in zip(asked, workers.map(may, asked), strict=True) if granted}


def test_permissions_of_the_account_in_its_namespace(controller: Controller) -> None:
    """Every permission that is requested is in the table or denied."""
    granted = {**NAMESPACED[controller.id], **CLUSTER_WIDE.get(controller.id, {})}
    assert _allowed(controller.api, ASKED["namespaced"], controller.namespace) == _permissions(granted)


def test_permissions_of_the_account_elsewhere(controller: Controller) -> None:
    granted = _permissions(CLUSTER_WIDE.get(controller.id, {}))
    assert _allowed(controller.api, ASKED["namespaced"], controller.elsewhere) == granted
    assert _allowed(controller.api, ASKED["cluster"]) == set()


def test_the_account_has_only_listed_rules(controller: Controller) -> None:
    """The server's list of rules, independent of the tables: our rules and the default ones."""
    everywhere = {**EVERYBODY, **CLUSTER_WIDE.get(controller.id, {})}
    rules, urls = _rules(controller.api, controller.namespace)
    assert rules == _permissions({**everywhere, **NAMESPACED[controller.id]})
    assert _rules(controller.api, controller.elsewhere) == (_permissions(everywhere), urls)
    with controller.cluster.as_(controller.cluster.token(controller.elsewhere, "default")) as nobody:
        assert _rules(nobody, controller.elsewhere) == (_permissions(EVERYBODY), urls)


def test_the_rules_of_the_account_are_those_of_its_roles(controller: Controller) -> None:
    rendered = [rule for manifest in controller.objects if manifest["kind"] in ("Role", "ClusterRole") for rule in manifest["rules"]]
    assert _expanded(rendered) | _permissions(EVERYBODY) == _rules(controller.api, controller.namespace)[0]


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
