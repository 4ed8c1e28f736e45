"""Clusters that are not ready, each in one respect."""

from dataclasses import replace
from decimal import Decimal
from typing import Any, NamedTuple

from scalr_agents.cluster.answers import Answer, Hidden
from scalr_agents.doctor.facts import Access
from scalr_agents.model.manifests import Key

from tests.doctor.clusters import (
    MI,
    NODE,
    claim,
    content,
    daemon_set,
    definition,
    groups,
    namespace,
    occupant,
    owned,
    release,
    storage_class,
    volume,
)
from tests.helpers import samples

CURRENT = {"agentVersion": "1.4.0"}
CREATED_ELSEWHERE = {"namespaces": {"scalr": {"create": False, "podSecurity": "restricted"}}}
PULL = {"common": {"url": samples.URL, "imagePullSecrets": ["regcred"]}}
REGCRED, OWN = Key("Secret", "scalr", "regcred"), Key("Secret", "scalr", "own")
OWN_TOKEN = {"values": {"agent": {"tokenExistingSecret": {"name": "own", "key": "key"}}}}
EFS = {"caches": {"shared": {"efs": {"eksCluster": "prod"}}}}
DENIED = Hidden("your credential lacks the permission")
RBAC, JOBS = "rbac.authorization.k8s.io", Access("create", "batch", "jobs", "scalr")
KARPENTER = groups("karpenter.sh")
TAINT = {"key": "team", "value": "payments", "effect": "NoSchedule"}
CORDONED = {"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}
CLAIM = "runs-agent-job-cache"
CLASS = {"values": {"persistence": {"cache": {"enabled": True, "persistentVolumeClaim": {"storageClassName": "fast"}}}}}
NFS_CLAIM = Key("PersistentVolumeClaim", "scalr", "nfs")
NFS, SHARED = {"caches": {"shared": {"claim": "nfs"}}}, {"cache": "shared"}
CACHE = {"values": {"persistence": {"cache": {"enabled": True}}}}
SELECTING = {"values": {"task": {"nodeSelector": {"pool": "a"}}}}
TASK_PODS = "task pods of agent runs"
REFUSED_POD = Answer(
    status=403, message='pods "runs-agent-job-task-x7k2p" is forbidden: violates PodSecurity "restricted:latest": restricted volume types'
)
NO_WEBHOOK = 'Internal error occurred: failed calling webhook "policy.acme.example"'
DEPLOYMENT, CRD = Key("Deployment", "scalr", "runs-agent-job"), "atasks.scalr.io"


class Case(NamedTuple):
    """What differs from a ready cluster, for which stack; what is found then is in findings.yaml."""

    facts: dict[str, Any]
    config: dict[str, Any]
    agent: dict[str, Any]


def _case(config: dict[str, Any] | None = None, agent: dict[str, Any] | None = None, **facts: Any) -> Case:
    return Case(facts, config or {}, agent or {})


def _over(requested: str, used: str, limited: str) -> Answer:
    amounts = f"requested: requests.memory={requested}, used: requests.memory={used}, limited: requests.memory={limited}"
    return Answer(status=403, message=f'pods "runs-agent-job-task-x7k2p" is forbidden: exceeded quota: team, {amounts}')


def _invalid(why: str) -> dict[str, Answer]:
    return {DEPLOYMENT.place: Answer(status=422, message=f'Deployment.apps "x" is invalid: {why}')}


def _refused(*accesses: Access) -> dict[Access, bool]:
    return dict.fromkeys(accesses, False)


CASES = {
    "old server": _case(version="v1.33.4-eks-1a2b", agent=CURRENT),
    "old node": _case(nodes=[replace(NODE, kubelet="v1.34.1")], agent=CURRENT),
    "some old nodes": _case(nodes=[NODE, replace(NODE, name="node-b", kubelet="v1.34.1")], agent=CURRENT),
    "old runtime": _case(nodes=[replace(NODE, runtime="containerd://1.7.27")], agent=CURRENT),
    "missing permissions": _case(allowed=_refused(*(Access(verb, "", "secrets", "scalr") for verb in ("create", "patch")))),
    "missing permission of the cluster": _case(allowed=_refused(Access("create", "", "namespaces"))),
    "missing permission to delete": _case(allowed=_refused(Access("delete", "apps", "deployments", "scalr"))),
    "grants more than it has": _case(allowed=_refused(JOBS, Access("escalate", RBAC, "roles", "scalr"))),
    "binds more than it has": _case(allowed=_refused(JOBS, Access("bind", RBAC, "roles", "scalr"))),
    "no definition": _case(definitions={CRD: None}, config={"kubernetes": {"crds": "expect"}}),
    "definition without the version": _case(definitions={CRD: definition("v2")}, config={"kubernetes": {"crds": "expect"}}),
    "definition that goes": _case(definitions={CRD: definition("v1", deleted=True)}),
    "definition of Helm": _case(definitions={CRD: definition("v1", release="scalr/old")}),
    "no prometheus operator": _case(
        definitions={"prometheusrules.monitoring.coreos.com": None},
        config={"common": {"url": samples.URL, "observability": {"prometheusRules": True}}},
    ),
    "no namespace": _case(namespaces={"scalr": None}, config=CREATED_ELSEWHERE),
    "unlisted namespace": _case(namespaces={"scalr": None}, config={"namespaces": {}}),
    "namespace that goes": _case(namespaces={"scalr": namespace("restricted", "Terminating")}),
    "another level than stated": _case(namespaces={"scalr": namespace("baseline")}, config=CREATED_ELSEWHERE),
    "another level than it gets": _case(namespaces={"scalr": namespace()}),
    "no pull secret": _case(contents={REGCRED: None}, config=PULL),
    "no namespace for the pull secret yet": _case(contents={REGCRED: None}, namespaces={"scalr": None}, config=PULL),
    "no pull secret after all": _case(contents={REGCRED: content(of="Opaque")}, config=PULL),
    "pull secret of another registry": _case(
        contents={REGCRED: content(of="kubernetes.io/dockerconfigjson", registries=["https://ghcr.io/v2/"])}, config=PULL
    ),
    "no token": _case(contents={OWN: None}, agent=OWN_TOKEN),
    "no key of the token": _case(contents={OWN: content("token")}, agent=OWN_TOKEN),
    "no claim": _case(contents={NFS_CLAIM: None}, config=NFS, agent=SHARED),
    "lost claim": _case(contents={NFS_CLAIM: claim("Lost")}, config=NFS, agent=SHARED),
    "no class": _case(classes=[storage_class("standard", default=True)], agent=CLASS),
    "no class at all": _case(classes=[], agent=CLASS),
    "claim that waits for its class": _case(
        classes=[], contents={Key("PersistentVolumeClaim", "scalr", CLAIM): claim("Pending")}, agent=CLASS
    ),
    "volumes of others": _case(
        classes=[],
        volumes=[
            volume("slow"),
            volume("fast", "scalr/other", "Bound"),
            volume("fast", f"other/{CLAIM}"),
            volume("fast", f"scalr/{CLAIM}", "Released"),
            volume("fast", phase="Failed"),
        ],
        agent=CLASS,
    ),
    "no default class and no other": _case(classes=[], agent=CACHE),
    "no default class": _case(classes=[storage_class("standard")], agent=CACHE),
    "no driver": _case(drivers=[], config=EFS, agent=SHARED),
    "driver on no node": _case(drivers_on_nodes=[], config=EFS, agent=SHARED),
    "pods that are refused": _case(answers={TASK_PODS: REFUSED_POD}),
    "quota below one task": _case(answers={TASK_PODS: _over("768Mi", "0", "512Mi")}),
    "full quota": _case(answers={TASK_PODS: _over("768Mi", "1Gi", "1536Mi")}),
    "webhook that is down": _case(answers={TASK_PODS: Answer(status=500, message=NO_WEBHOOK)}),
    "field that cannot change": _case(
        owners={DEPLOYMENT: owned("", "pulumi-kubernetes-1a2b")},
        answers=_invalid("spec.selector: field is immutable"),
    ),
    "field that is not valid": _case(answers=_invalid("spec.replicas: Invalid value: -1")),
    "no such node, twice": _case(nodes=[replace(NODE, labels={})], agent=SELECTING),
    "no such node yet": _case(nodes=[replace(NODE, labels={})], groups=KARPENTER, agent=SELECTING),
    "taints": _case(nodes=[replace(NODE, taints=(TAINT,)), replace(NODE, name="node-b", labels={})], agent=SELECTING),
    "cordoned": _case(nodes=[replace(NODE, taints=(CORDONED,)), replace(NODE, name="node-b", labels={})], agent=SELECTING),
    "too small": _case(nodes=[replace(NODE, allocatable={**NODE.allocatable, "cpu": Decimal("0.5"), "memory": 2048 * MI})]),
    "full": _case(pods=[occupant("node-a", memory="16000Mi")]),
    "no policies": _case(daemon_sets=[daemon_set("aws-node", "--enable-network-policy=false")]),
    "objects of Helm": _case(owners={DEPLOYMENT: owned("scalr/runs", "helm")}),
    "release of the same name": _case(releases={"scalr": [release("runs"), release("other")]}),
    "objects of others": _case(owners={DEPLOYMENT: owned("", "kubectl")}),
}
