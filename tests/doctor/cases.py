"""Clusters that are not ready, each in one respect."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any

from scalr_agents.cluster.answers import Answer, Hidden
from scalr_agents.doctor.facts import Access, Content
from scalr_agents.doctor.needs import Needs
from scalr_agents.model.manifests import Key

from tests.doctor.clusters import MI, NODE, daemon_set, definition, namespace, owned, ready, storage_class, volume

CURRENT = {"agentVersion": "1.4.0"}
CREATED_ELSEWHERE = {"namespaces": {"scalr": {"create": False, "podSecurity": "restricted"}}}
PULL = {"common": {"url": "https://example.scalr.io", "imagePullSecrets": ["regcred"]}}
REGCRED, OWN = Key("Secret", "scalr", "regcred"), Key("Secret", "scalr", "own")
OWN_TOKEN = {"values": {"agent": {"tokenExistingSecret": {"name": "own", "key": "key"}}}}
EFS = {"caches": {"shared": {"efs": {"eksCluster": "prod"}}}}
DENIED = Hidden("your credential lacks the permission")
KARPENTER = frozenset({"karpenter.sh"})
TAINT = {"key": "team", "value": "payments", "effect": "NoSchedule"}
CORDONED = {"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}
CLAIM = "runs-agent-job-cache"
CLASS = {"values": {"persistence": {"cache": {"enabled": True, "persistentVolumeClaim": {"storageClassName": "fast"}}}}}
TASK_PODS = "task pods of agent runs"
REFUSED_POD = Answer(
    status=403, message='pods "runs-agent-job-task-x7k2p" is forbidden: violates PodSecurity "restricted:latest": restricted volume types'
)
DEPLOYMENT, CRD = Key("Deployment", "scalr", "runs-agent-job"), "atasks.scalr.io"


@dataclass(frozen=True)
class Case:
    """What differs from a ready cluster, for which stack; what is found then is in findings.yaml."""

    facts: Callable[[Needs], dict[str, Any]]
    config: dict[str, Any] = field(default_factory=dict)
    agent: dict[str, Any] = field(default_factory=dict)


def _refused(*accesses: Access) -> Callable[[Needs], dict[str, Any]]:
    return lambda needs: {"allowed": {**ready(needs).allowed, **dict.fromkeys(accesses, False)}}


def _just(**facts: Any) -> Callable[[Needs], dict[str, Any]]:
    return lambda _: facts


def _over(requested: str, used: str, limited: str) -> Answer:
    amounts = f"requested: requests.memory={requested}, used: requests.memory={used}, limited: requests.memory={limited}"
    return Answer(status=403, message=f'pods "runs-agent-job-task-x7k2p" is forbidden: exceeded quota: team, {amounts}')


def _content(key: Key, content: Content | None) -> Callable[[Needs], dict[str, Any]]:
    return lambda needs: {"contents": {**ready(needs).contents, key: content}}


CASES = {
    "old server": Case(
        _just(version="v1.33.4-eks-1a2b"),
        agent=CURRENT,
    ),
    "old node": Case(
        _just(nodes=[replace(NODE, kubelet="v1.34.1")]),
        agent=CURRENT,
    ),
    "some old nodes": Case(
        _just(nodes=[NODE, replace(NODE, name="node-b", kubelet="v1.34.1")]),
        agent=CURRENT,
    ),
    "old runtime": Case(
        _just(nodes=[replace(NODE, runtime="containerd://1.7.27")]),
        agent=CURRENT,
    ),
    "missing permissions": Case(
        _refused(*(Access(verb, "", "secrets", "scalr") for verb in ("create", "patch"))),
    ),
    "missing permission of the cluster": Case(
        _refused(Access("create", "", "namespaces")),
    ),
    "missing permission to delete": Case(
        _refused(Access("delete", "apps", "deployments", "scalr")),
    ),
    "grants more than it has": Case(
        _refused(Access("create", "batch", "jobs", "scalr"), Access("escalate", "rbac.authorization.k8s.io", "roles", "scalr")),
    ),
    "binds more than it has": Case(
        _refused(Access("create", "batch", "jobs", "scalr"), Access("bind", "rbac.authorization.k8s.io", "roles", "scalr")),
    ),
    "no definition": Case(
        _just(definitions={CRD: None}),
        config={"kubernetes": {"crds": "expect"}},
    ),
    "definition without the version": Case(
        _just(definitions={CRD: definition("v2")}),
        config={"kubernetes": {"crds": "expect"}},
    ),
    "definition that goes": Case(
        _just(definitions={CRD: definition("v1", deleted=True)}),
    ),
    "definition of Helm": Case(
        _just(definitions={CRD: definition("v1", release="scalr/old")}),
    ),
    "no prometheus operator": Case(
        lambda needs: {"definitions": {**ready(needs).definitions, "prometheusrules.monitoring.coreos.com": None}},
        config={"common": {"url": "https://example.scalr.io", "observability": {"prometheusRules": True}}},
    ),
    "no namespace": Case(
        _just(namespaces={"scalr": None}),
        config=CREATED_ELSEWHERE,
    ),
    "unlisted namespace": Case(
        _just(namespaces={"scalr": None}),
        config={"namespaces": {}},
    ),
    "namespace that goes": Case(
        _just(namespaces={"scalr": namespace("restricted", "Terminating")}),
    ),
    "another level than stated": Case(
        _just(namespaces={"scalr": namespace("baseline")}),
        config=CREATED_ELSEWHERE,
    ),
    "another level than it gets": Case(
        _just(namespaces={"scalr": namespace()}),
    ),
    "no pull secret": Case(
        _content(REGCRED, None),
        config=PULL,
    ),
    "no namespace for the pull secret yet": Case(
        lambda needs: {**_content(REGCRED, None)(needs), "namespaces": {"scalr": None}},
        config=PULL,
    ),
    "no pull secret after all": Case(
        _content(REGCRED, Content(type="Opaque")),
        config=PULL,
    ),
    "pull secret of another registry": Case(
        _content(REGCRED, Content(type="kubernetes.io/dockerconfigjson", registries=frozenset({"https://ghcr.io/v2/"}))),
        config=PULL,
    ),
    "no token": Case(
        _content(OWN, None),
        agent=OWN_TOKEN,
    ),
    "no key of the token": Case(
        _content(OWN, Content(keys=frozenset({"token"}))),
        agent=OWN_TOKEN,
    ),
    "no claim": Case(
        _content(Key("PersistentVolumeClaim", "scalr", "nfs"), None),
        config={"caches": {"shared": {"claim": "nfs"}}},
        agent={"cache": "shared"},
    ),
    "lost claim": Case(
        _content(Key("PersistentVolumeClaim", "scalr", "nfs"), Content(phase="Lost")),
        config={"caches": {"shared": {"claim": "nfs"}}},
        agent={"cache": "shared"},
    ),
    "no class": Case(
        _just(classes=[storage_class("standard", default=True)]),
        agent=CLASS,
    ),
    "no class at all": Case(
        _just(classes=[]),
        agent=CLASS,
    ),
    "volumes of others": Case(
        _just(
            classes=[],
            volumes=[
                volume("slow"),
                volume("fast", "scalr/other", "Bound"),
                volume("fast", f"other/{CLAIM}"),
                volume("fast", f"scalr/{CLAIM}", "Released"),
                volume("fast", phase="Failed"),
            ],
        ),
        agent=CLASS,
    ),
    "no default class and no other": Case(
        _just(classes=[]),
        agent={"values": {"persistence": {"cache": {"enabled": True}}}},
    ),
    "no default class": Case(
        _just(classes=[storage_class("standard")]),
        agent={"values": {"persistence": {"cache": {"enabled": True}}}},
    ),
    "no driver": Case(
        _just(drivers=frozenset()),
        config=EFS,
        agent={"cache": "shared"},
    ),
    "driver on no node": Case(_just(nodes=[replace(NODE, drivers=frozenset())]), config=EFS, agent={"cache": "shared"}),
    "pods that are refused": Case(
        _just(answers={TASK_PODS: REFUSED_POD}),
    ),
    "quota below one task": Case(
        _just(answers={TASK_PODS: _over("768Mi", "0", "512Mi")}),
    ),
    "full quota": Case(
        _just(answers={TASK_PODS: _over("768Mi", "1Gi", "1536Mi")}),
    ),
    "webhook that is down": Case(
        _just(answers={TASK_PODS: Answer(status=500, message='Internal error occurred: failed calling webhook "policy.acme.example"')}),
    ),
    "field that cannot change": Case(
        lambda needs: {
            "owners": {**dict.fromkeys(needs.own), DEPLOYMENT: owned("", "pulumi-kubernetes-1a2b")},
            "answers": {DEPLOYMENT.place: Answer(status=422, message='Deployment.apps "x" is invalid: spec.selector: field is immutable')},
        },
    ),
    "field that is not valid": Case(
        _just(answers={DEPLOYMENT.place: Answer(status=422, message='Deployment.apps "x" is invalid: spec.replicas: Invalid value: -1')}),
    ),
    "no such node, twice": Case(
        _just(nodes=[replace(NODE, labels={})]),
        agent={"values": {"task": {"nodeSelector": {"pool": "a"}}}},
    ),
    "no such node yet": Case(
        _just(nodes=[replace(NODE, labels={})], groups=KARPENTER),
        agent={"values": {"task": {"nodeSelector": {"pool": "a"}}}},
    ),
    "taints": Case(
        _just(nodes=[replace(NODE, taints=[TAINT]), replace(NODE, name="node-b", labels={})]),
        agent={"values": {"task": {"nodeSelector": {"pool": "a"}}}},
    ),
    "cordoned": Case(
        _just(nodes=[replace(NODE, taints=[CORDONED]), replace(NODE, name="node-b", labels={})]),
        agent={"values": {"task": {"nodeSelector": {"pool": "a"}}}},
    ),
    "too small": Case(
        _just(nodes=[replace(NODE, allocatable={**NODE.allocatable, "cpu": Decimal("0.5"), "memory": 2048 * MI})]),
    ),
    "full": Case(
        _just(nodes=[replace(NODE, requested={"memory": 16000 * MI})]),
    ),
    "no policies": Case(
        _just(daemon_sets=[daemon_set("aws-node", "--enable-network-policy=false")]),
    ),
    "objects of Helm": Case(
        lambda needs: {"owners": {**dict.fromkeys(needs.own), DEPLOYMENT: owned("scalr/runs", "helm")}},
    ),
    "release of the same name": Case(
        _just(releases={"scalr": frozenset({"runs", "other"})}),
    ),
    "objects of others": Case(
        lambda needs: {"owners": {**dict.fromkeys(needs.own), DEPLOYMENT: owned("", "kubectl")}},
    ),
}
