"""Each check finds what it is for, says it in one line, and nothing else is found."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from scalr_agents.doctor.needs import Needs
from scalr_agents.doctor.objects import Claim, Volume
from scalr_agents.model.manifests import Key

from tests.doctor.cases import CASES, CLAIM, CLASS, DENIED, DEPLOYMENT, EFS, PULL, REGCRED
from tests.doctor.clusters import claim, content, found, groups, needs_of, notes, owned, ready, release, volume

FOUND: dict[str, str] = yaml.safe_load(Path(__file__).with_name("findings.yaml").read_text())


@pytest.mark.parametrize("name", CASES)
def test_a_cluster_that_is_not_ready(name: str) -> None:
    case = CASES[name]
    needs = needs_of(case.config, **case.agent)
    assert found(needs, ready(needs)) == []
    assert found(needs, ready(needs, **case.facts)) == [FOUND[name]]


def test_what_cannot_be_seen_is_said_and_nothing_else_is_found() -> None:
    needs = needs_of({**PULL, **EFS}, cache="shared")
    cluster = ready(needs)
    lists, objects = dict.fromkeys(cluster.view.lists, DENIED), dict.fromkeys(cluster.view.objects, DENIED)
    view = replace(cluster.view, version="", lists=lists, objects=objects)
    blind = replace(cluster, view=view, allowed=dict.fromkeys(cluster.allowed, DENIED))
    assert found(needs, blind) == []
    subjects = [line.split(": ")[1] for line in notes(needs, blind)]
    assert subjects == [
        "API server",
        "permissions",
        "definition atasks.scalr.io",
        "namespace scalr",
        "Secret regcred in namespace scalr",
        "CSI drivers",
        "dry run",
        "nodes",
        "network policies",
        "Helm releases in namespace scalr",
        next(subject for subject in subjects if subject.endswith(" more")),
    ]


@pytest.mark.parametrize(
    ("there", "volumes"),
    [
        (claim("Bound"), []),
        (claim("Pending"), [volume("fast")]),
        (None, [volume("slow"), volume("fast")]),
        (None, [volume("fast", f"scalr/{CLAIM}")]),
    ],
)
def test_a_static_volume_needs_no_class(there: Claim | None, volumes: list[Volume]) -> None:
    """With the name of a class that is no object, and with none."""
    facts = {"classes": [], "contents": {Key("PersistentVolumeClaim", "scalr", CLAIM): there}}
    named, unnamed = needs_of(**CLASS), needs_of(values={"persistence": {"cache": {"enabled": True}}})
    assert found(named, ready(named, **facts, volumes=volumes)) == []
    of_no_class = [replace(volume, storage_class="" if volume.storage_class == "fast" else "slow") for volume in volumes]
    assert found(unnamed, ready(unnamed, **facts, volumes=of_no_class)) == []


@pytest.mark.parametrize("facts", [{"volumes": DENIED}, {"contents": {Key("PersistentVolumeClaim", "scalr", CLAIM): DENIED}}])
def test_a_volume_that_cannot_be_seen_is_a_note(facts: dict[str, Any]) -> None:
    needs = needs_of(**CLASS)
    cluster = ready(needs, classes=[], **facts)
    expected = "its storage class fast does not exist; cannot see whether it has a volume: your credential lacks the permission"
    assert found(needs, cluster) == []
    assert f"note: claim scalr/{CLAIM}: {expected}" in notes(needs, cluster)


def test_nodes_are_counted_without_the_pods_that_cannot_be_seen() -> None:
    needs = needs_of()
    seen = notes(needs, ready(needs, pods=DENIED))
    assert (
        "note: pods on nodes: cannot see what the nodes have left, so room is that of empty nodes: your credential lacks the permission"
        in seen
    )
    assert "note: nodes for task pods of agent runs: 1 node matches, with room for 10 at a time now" in seen


def test_an_agent_that_takes_over_a_release_expects_it() -> None:
    needs = needs_of({"kubernetes": {"upsertExisting": True}})
    owners = {DEPLOYMENT: owned("scalr/runs", "helm"), Key("ServiceAccount", "scalr", "runs-agent-job"): owned("", "kubectl")}
    cluster = ready(needs, owners=owners, releases={"scalr": [release("runs")]})
    assert found(needs, cluster) == []
    assert "; pulumi up takes them over (upsertExisting)" in "".join(notes(needs, cluster))


def test_objects_of_pulumi_are_its_own() -> None:
    needs = needs_of()
    assert found(needs, ready(needs, owners=dict.fromkeys(needs.own, owned("", "pulumi-kubernetes-1a2b", "kube-controller-manager")))) == []


@pytest.mark.parametrize(
    ("image", "entries", "covered"),
    [
        ("scalr/agent:1", ["https://index.docker.io/v1/"], True),
        ("registry.acme.example:5000/a/b:1", ["registry.acme.example:5000"], True),
        ("registry.acme.example:5000/a/b:1", ["registry.acme.example"], False),
        ("1.dkr.ecr.eu-west-1.amazonaws.com/a", ["*.dkr.ecr.eu-west-1.amazonaws.com"], True),
        ("a.b.dkr.example/a", ["*.dkr.example"], False),
        ("localhost/a", ["https://localhost/v2"], True),
    ],
)
def test_a_pull_secret_is_for_a_registry(image: str, entries: list[str], *, covered: bool) -> None:
    needs = needs_of(PULL | {"namespaces": {}}, values={"task": {"sidecars": [{"name": "extra", "image": image}]}})
    secret = content(of="kubernetes.io/dockercfg", registries=["docker.io", *entries])
    assert (found(needs, ready(needs, contents={REGCRED: secret})) == []) is covered


def test_autoscalers_need_a_metrics_server() -> None:
    values = {"agent": {"shutdownMode": "drain"}, "terminationGracePeriodSeconds": 3600}
    agent = {"kind": "agent-local", "namespace": "scalr", "agentVersion": "1.4.0", "scaling": {"max": 4}, "values": values}
    needs = needs_of({"agents": {"runs": agent}})
    assert found(needs, ready(needs, groups=groups("metrics.k8s.io"))) == []
    assert found(needs, ready(needs, groups=DENIED)) == []
    assert found(needs, ready(needs)) == [FOUND["no metrics server"]]


def test_operators_must_have_their_definitions_and_make_their_secrets() -> None:
    """Objects of kinds that other programs define, as they are made for networks and for external secrets."""
    needs = needs_of({"agents": {"runs": {"kind": "agent-job", "namespace": "scalr"}}, "kubernetes": {"crds": "expect"}})
    secret = {
        "apiVersion": "external-secrets.io/v1",
        "kind": "ExternalSecret",
        "metadata": {"name": "es", "namespace": "scalr"},
        "spec": {"target": {"name": "runs-agent-job"}},
    }
    objects = [*(manifest for manifest in needs.objects if manifest["kind"] != "Secret"), secret]
    without = Needs(needs.stack, objects)
    assert without.references == []
    assert without.definitions == {"atasks.scalr.io": {"v1"}, "externalsecrets.external-secrets.io": {"v1"}}
    missing = ready(without, definitions={"externalsecrets.external-secrets.io": None})
    assert found(without, missing) == [FOUND["no operator"]]
