"""What is submitted with a dry run, and what the answers mean. What a real API server answers is in tests/cluster."""

import json
from dataclasses import replace
from typing import Any
from unittest import mock

import pytest
from scalr_agents.cluster.answers import Answer
from scalr_agents.doctor import dry_run, permissions
from scalr_agents.doctor.facts import Access, Cluster
from scalr_agents.doctor.needs import Needs
from scalr_agents.model.manifests import Key

from tests.doctor.cases import CREATED_ELSEWHERE, EFS, REFUSED_POD, TASK_PODS
from tests.doctor.clusters import found, namespace, needs_of, notes, owned, ready
from tests.helpers import samples

ACCOUNT = Key("ServiceAccount", "scalr", "runs-agent-job")
OBJECTS = ["Namespace scalr", "ServiceAccount scalr/runs-agent-job"]


def submitted(needs: Needs, cluster: Cluster) -> dict[str, dry_run.Submission]:
    return {each.subject: each for each in dry_run.planned(needs, cluster)[0]}


@pytest.mark.parametrize("name", samples.STACKS)
def test_every_object_of_a_stack_is_submitted_once(name: str) -> None:
    needs = Needs.of(samples.sample(name))
    planned, left_out = dry_run.planned(needs, ready(needs))
    subjects = [*(each.subject for each in planned), *(each for left in left_out.values() for each in left)]
    assert len(set(subjects)) == len(subjects)
    kinds = ("CustomResourceDefinition", "RoleBinding", "ClusterRoleBinding")
    objects = [manifest for manifest in needs.objects if manifest["kind"] not in kinds]
    assert len(subjects) == len(objects) + sum(1 + pod.is_task for pod in needs.pods)
    assert json.dumps([each.manifest for each in planned])


def test_what_pulumi_has_applied_is_applied_as_pulumi() -> None:
    """Fields that are gone since would otherwise stay beside the new ones."""
    needs = needs_of()
    owner = owned("", "pulumi-kubernetes-1a2b", "kubectl")
    assert submitted(needs, ready(needs, owners={ACCOUNT: owner}))[ACCOUNT.place].manager == "pulumi-kubernetes-1a2b"


def test_no_secret_is_submitted() -> None:
    secrets = {"token": samples.TOKEN, "env": {"A": "hidden-value"}}
    needs = needs_of({"secrets": {"runs": secrets}})
    content = json.dumps([each.manifest for each in submitted(needs, ready(needs)).values()])
    assert samples.TOKEN not in content
    assert "hidden-value" not in content
    assert '"stringData": {"token": "placeholder"}' in content


def test_pods_name_nothing_that_the_stack_has_yet_to_make() -> None:
    needs = needs_of(values={"task": {"buffer": {"replicas": 1}}})
    [idle] = [key for key in needs.own if key.kind == "PriorityClass"]

    def named(subject: str, **facts: Any) -> tuple[str, str | None]:
        spec: dict[str, Any] = submitted(needs, ready(needs, **facts))[subject].manifest["spec"]
        return spec["serviceAccountName"], spec.get("priorityClassName")

    made = {ACCOUNT: owned(), idle: owned()}
    assert named(TASK_PODS) == ("default", None)
    assert named(TASK_PODS, owners=made) == ("runs-agent-job", None)
    assert named("placeholder pods of agent runs") == ("default", None)
    assert named("placeholder pods of agent runs", owners=made) == ("runs-agent-job", idle.name)


@pytest.mark.parametrize(
    ("config", "facts", "left_out", "reason"),
    [
        (CREATED_ELSEWHERE, {"namespaces": {"scalr": None}}, TASK_PODS, "their namespace is not there"),
        ({}, {"namespaces": {"scalr": namespace(phase="Terminating")}}, TASK_PODS, "their namespace is not there"),
        ({}, {"definitions": {"atasks.scalr.io": None}}, "AgentTask scalr/runs-agent-job-task", "their definition is not there yet"),
        (EFS, {}, "PersistentVolume scalr.runs-cache", "some of their values are known only to "),
        ({}, {"refused": Access("create", "", "pods", "scalr")}, TASK_PODS, "you may not create them"),
        ({}, {"refused": Access("patch", "", "namespaces")}, "Namespace scalr", "you may not create them"),
        ({}, {"refused": Access("create", "", "pods/exec", "scalr")}, "Role scalr/runs-agent-job-role", "you may not create them"),
    ],
)
def test_what_cannot_be_judged_is_left_out(config: dict[str, Any], facts: dict[str, Any], left_out: str, reason: str) -> None:
    needs = needs_of({**EFS, **config}, cache="shared") if config is EFS else needs_of(config)
    cluster = ready(needs, **{key: value for key, value in facts.items() if key != "refused"})
    if "refused" in facts:
        rights = [Access(verb, "rbac.authorization.k8s.io", "roles", "scalr") for verb in ("escalate", "bind")]
        cluster = replace(cluster, allowed={**cluster.allowed, **dict.fromkeys((facts["refused"], *rights), False)})
    planned, reasons = dry_run.planned(needs, cluster)
    assert left_out not in [each.subject for each in planned]
    assert [each.startswith(reason) for each, subjects in reasons.items() if left_out in subjects] == [True]


def test_a_missing_right_is_one_note() -> None:
    needs = needs_of()
    refused = dict.fromkeys((Access("create", "", "pods", "scalr"), Access("create", "batch", "jobs", "scalr")), False)
    of_rights = [line for line in notes(needs, ready(needs, allowed=refused)) if "judge" in line]
    judged = f"{TASK_PODS}, Job for {TASK_PODS}, controller pods of agent runs"
    assert of_rights == [f"note: dry run: the API server cannot judge {judged}: you may not create them: docs/doctor.md#what-it-cannot-see"]


def test_what_may_not_be_granted_is_asked_once_for_all_roles() -> None:
    """It takes all roles of the stack, which may have hundreds."""
    needs = needs_of()
    with mock.patch("scalr_agents.doctor.dry_run.ungranted", wraps=permissions.ungranted) as asked:
        assert {"Role", "ClusterRole"} <= {each.manifest["kind"] for each in dry_run.planned(needs, ready(needs))[0]}
    assert asked.call_count == 1


def test_an_answer_is_one_line_and_not_too_long() -> None:
    needs = needs_of()
    message = "admission webhook denied it:\n\x1b[2J" + "x" * 10_000
    [line] = found(needs, ready(needs, answers={TASK_PODS: Answer(status=403, message=message)}))
    assert line.startswith(f"error: {TASK_PODS}: refused by the API server: admission webhook denied it: \\x1b[2Jxxx")
    assert len(line) < 700


@pytest.mark.parametrize(
    "text", ["requested: a, used: b, limited: c", "requested: a=b, used: b, limited: c=d", "requested: a=1, used: , limited: b=1"]
)
def test_what_is_not_understood_of_a_quota_is_an_error(text: str) -> None:
    needs = needs_of()
    [line] = found(needs, ready(needs, answers={TASK_PODS: Answer(status=403, message=f"exceeded quota: q, {text}")}))
    assert line.startswith("error: ")


def test_a_level_that_pulumi_changes_is_one_warning() -> None:
    needs = needs_of({"namespaces": {"scalr": {"podSecurity": "privileged"}}})
    facts = {"namespaces": {"scalr": namespace("restricted")}, "answers": {TASK_PODS: REFUSED_POD}}
    [line] = found(needs, ready(needs, **facts))
    assert line.startswith("warning: namespace scalr: enforces restricted, and pulumi up will set privileged.")


def test_what_an_object_names_and_is_not_there_has_findings_of_its_own() -> None:
    needs = needs_of()
    assert found(needs, ready(needs, answers={TASK_PODS: Answer(status=404, message="not found")})) == []


def test_warnings_of_the_server_are_notes_each_once() -> None:
    needs = needs_of()
    answers = dict.fromkeys(OBJECTS, Answer(status=200, warnings=("deprecated",)))
    assert f"note: {', '.join(OBJECTS)}: the API server warns: deprecated" in notes(needs, ready(needs, answers=answers))


def test_nodes_are_those_of_pods_as_they_are_admitted() -> None:
    """With the defaults of LimitRanges, and with what webhooks and admission plugins add."""
    needs = needs_of()
    spec = {"nodeSelector": {"pool": "added"}, "containers": []}
    [line] = found(needs, ready(needs, answers={TASK_PODS: Answer(status=201, accepted={"spec": spec})}))
    assert line.startswith("error: nodes for task pods of agent runs: no node has the labels pool=added.")
