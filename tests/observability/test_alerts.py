"""Alerts as data: what they select, what they say, and where they are printed and deployed. Prometheus' own tool evaluates them in
`tests/cluster/test_alert_rules.py`.
"""

import re
from typing import Any

import pytest
import yaml
from scalr_agents import observability, stack
from scalr_agents.observability.watched import watched

from tests import definitions, site
from tests.helpers.samples import REPOSITORY
from tests.observability import cases
from tests.observability.cases import CASES, CONFIG, URL

PAGE = (REPOSITORY / "docs" / "alerts.md").read_text()
RULES = observability.rules_of(cases.loaded())
ALERTS = [alert for rule in RULES for group in rule["spec"]["groups"] for alert in group["rules"]]
NAMES = list(dict.fromkeys(alert["alert"] for alert in ALERTS))
REPLICA_SETS_HASH = "5d4f8b7c96"


THRESHOLDS = {
    "ScalrAgentDown": ("", "", "5m", ""),
    "ScalrAgentDegraded": ("", "", "15m", ""),
    "ScalrAgentUnseen": ("", "", "15m", ""),
    "ScalrAgentExits": ("", "5m", "2m", ""),
    "ScalrAgentRestarting": ("> 2.5", "1h", "", ""),
    "ScalrImageNotPulled": ("", "", "30s", "10m"),
    "ScalrContainerNotCreated": ("", "", "30s", "10m"),
    "ScalrAgentOutOfMemory": ("", "15m", "", ""),
    "ScalrRunOutOfMemory": ("", "", "", "15m"),
    "ScalrPodEvicted": ("", "30m", "", "15m"),
    "ScalrRunUnschedulable": ("> 135", "", "", "10m"),
    "ScalrRunNotStarting": ("> 135", "", "", "10m"),
    "ScalrJobWithoutPod": ("> 60", "", "30s", "10m"),
    "ScalrRunNearDeadline": ("> 0.9", "", "", ""),
    "ScalrNodeDiskPressure": ("", "", "1m", ""),
    "ScalrDrainBlocked": ("", "", "1h", ""),
    "ScalrCacheFull": ("< 0.1 < 0.1", "", "5m", ""),
    "ScalrRunAbandoned": ("", "", "5m", ""),
}


def of_stack(agents: dict[str, Any], **common: Any) -> stack.Stack:
    secrets = {name: {"token": "t"} for name in agents}
    given = {"common": {"url": "https://example.scalr.io", **common}, "agents": agents, "secrets": secrets}
    return stack.load(given, directory=REPOSITORY)


def matched(matchers: str, pod: str) -> bool:
    """Whether a pod of the namespace is selected."""
    found = re.search(r'pod(=~|!~)"([^"]*)"', matchers)
    if not found:
        return True
    return bool(re.fullmatch(found[2], pod)) == (found[1] == "=~")


def test_rules_are_what_the_operator_accepts() -> None:
    for rule in RULES:
        definitions.assert_valid(rule)
        assert rule["metadata"]["labels"]["release"] == "prometheus"
    assert [(rule["metadata"]["namespace"], rule["metadata"]["name"]) for rule in RULES] == [
        ("scalr", "web-scalr-agent-alerts"),
        ("scalr", "data-agent-job-alerts"),
        ("scalr-stages", "stages-agent-k8s-alerts"),
        ("scalr-local", "local-agent-local-alerts"),
        ("scalr-local", "sets-agent-local-alerts"),
    ]


def test_every_alert_has_a_test_that_fires_and_a_section_of_the_docs() -> None:
    assert {case.alert for case in CASES} == set(NAMES)
    sections = re.findall(r"^## (Scalr\w+)$", PAGE, re.MULTILINE)
    assert sorted(sections) == sorted(NAMES)
    anchors = {site.anchor(section) for section in sections}
    assert {alert["annotations"]["runbook_url"] for alert in ALERTS} == {f"{URL}#{anchor}" for anchor in anchors}


def test_the_table_of_the_docs_has_severities() -> None:
    rows = dict(re.findall(r"^\| \[(Scalr\w+)\]\(#\w+\) \| (\w+) \|", PAGE, re.MULTILINE))
    assert rows == {alert["alert"]: alert["labels"]["severity"] for alert in ALERTS}


def test_alerts_have_these_thresholds_and_times() -> None:
    """Compared with what (but for 0), over which time, for how long, and how long an alert is kept: of the first agent that has it."""
    found: dict[str, tuple[str, ...]] = {}
    for alert in ALERTS:
        compared = " ".join(each for each in re.findall(r"[<>] [0-9.]+", alert["expr"]) if each != "> 0")
        time = re.search(r"(?:\[|offset )(\d+[mh])", alert["expr"])
        found.setdefault(alert["alert"], (compared, time[1] if time else "", alert.get("for", ""), alert.get("keep_firing_for", "")))
    assert found == THRESHOLDS
    late = {alert["labels"]["agent"]: alert["expr"] for alert in ALERTS if alert["alert"] == "ScalrRunNotStarting"}
    assert [f" > {seconds} " in late[agent] for agent, seconds in (("web", 135), ("data", 90), ("stages", 225))] == [True] * 3


def test_without_an_address_alerts_link_to_the_page_in_the_repository() -> None:
    [rule] = observability.rules_of(of_stack({"web": {"kind": "agent-local", "namespace": "scalr"}}))
    links = {alert["annotations"]["runbook_url"] for alert in rule["spec"]["groups"][0]["rules"]}
    assert {link.partition("#")[0] for link in links} == {"docs/alerts.md"}
    assert (REPOSITORY / "docs" / "alerts.md").exists()


@pytest.mark.parametrize("alert", ALERTS, ids=lambda alert: f"{alert['labels']['agent']}-{alert['alert']}")
def test_an_alert_names_its_agent_and_a_command(alert: dict[str, Any]) -> None:
    annotations, labels = alert["annotations"], alert["labels"]
    assert f"gent {labels['agent']} " in f"{annotations['summary']} "
    assert re.search(r" Look: kubectl \w+ ", annotations["description"])
    used = set(re.findall(r"\$labels\.(\w+)", annotations["description"]))
    assert used <= set(re.findall(r"\w+", re.findall(r"max by \(([^)]*)\)", alert["expr"])[0])) if used else True


@pytest.mark.parametrize(
    ("agent", "own", "runs", "others"),
    [
        (
            "web",
            [f"web-scalr-agent-{REPLICA_SETS_HASH}-abcde"],
            ["web-scalr-agent-run-v0o1-plan-abcde"],
            ["atask-run-v0o1-plan-abcde", "web-scalr-agent-buffer-5d4f8b7c96-abcde", "my-web-scalr-agent-run-1-plan-abcde"],
        ),
        ("data", [f"data-agent-job-{REPLICA_SETS_HASH}-abcde"], ["atask-x-plan-abcde"], ["web-scalr-agent-run-v0o1-plan-abcde"]),
        (
            "stages",
            [f"stages-agent-k8s-controller-{REPLICA_SETS_HASH}-abcde", "stages-agent-k8s-worker-abcde"],
            ["anything"],
            [],
        ),
    ],
)
def test_pods_are_found_by_their_names(agent: str, own: list[str], runs: list[str], others: list[str]) -> None:
    [found] = [each for each in watched(cases.loaded().agents) if each.agent.name == agent]
    for pod in [*own, *runs, *others]:
        assert matched(found.own, pod) == (pod in own)
        assert matched(found.runs, pod) == (pod in runs)
        assert matched(found.everything, pod) == (pod not in others)


def test_what_an_agent_has_is_found_by_its_names() -> None:
    job, _, pods, local, _ = watched(cases.loaded().agents)
    assert [job.jobs, job.budgets, job.claims, job.daemon_set] == [
        'namespace="scalr",job_name=~"web-scalr-agent-run-.+"',
        'namespace="scalr",poddisruptionbudget=~"web-scalr-agent-task"',
        'namespace="scalr",persistentvolumeclaim=~"web-scalr-agent-cache"',
        "",
    ]
    workers = "stages-agent-k8s-worker"
    assert [pods.daemon_set, pods.workers] == [
        f'namespace="scalr-stages",daemonset="{workers}"',
        f'namespace="scalr-stages",pod=~"{workers}-[a-z0-9]{{5}}"',
    ]
    assert [local.jobs, local.budgets, local.claims, local.daemon_set] == [""] * 4


@pytest.mark.parametrize(
    ("length", "jobs"), [(24, ["{}-run-1-plan"]), (25, ["{}-run-1-plan", "run-1-plan"]), (47, []), (60, ["run-v0o1k2-plan"])]
)
def test_runs_are_found_if_their_names_are_cut(length: int, jobs: list[str]) -> None:
    name = "a" * length
    loaded = of_stack({"web": {"kind": "agent-job", "namespace": "scalr", "agentVersion": "1.4.0", "values": {"fullnameOverride": name}}})
    [found] = watched(loaded.agents)
    assert [matched(found.runs, f"{job.format(name)}-abcde") for job in jobs] == [True] * len(jobs)
    assert matched(found.runs, "run-1-plan-abcde") == (length > 24)
    assert matched(found.own, f"{name}-{REPLICA_SETS_HASH}-"[:58] + "abcde")
    assert not matched(found.runs, f"{name}-{REPLICA_SETS_HASH}-"[:58] + "abcde")


def test_the_pods_and_claims_of_a_stateful_set_are_found() -> None:
    values = {"workload": {"kind": "StatefulSet"}, "persistence": {"data": {"enabled": True}}}
    [found] = watched(of_stack({"web": {"kind": "agent-local", "namespace": "scalr", "agentVersion": "1.4.0", "values": values}}).agents)
    assert found.controllers.wanted == 'kube_statefulset_replicas{namespace="scalr",statefulset="web-agent-local"}'
    assert matched(found.own, "web-agent-local-0")
    assert not matched(found.own, "web-agent-local-0-abcde")
    assert found.claims == 'namespace="scalr",persistentvolumeclaim=~"data-dir-web-agent-local-[0-9]+"'


def test_pods_that_keep_images_are_no_workers() -> None:
    [found] = watched(of_stack({"web": {"kind": "agent-job", "namespace": "scalr", "agentVersion": "1.4.0", "prePull": True}}).agents)
    assert found.daemon_set == ""
    assert not matched(found.own, "web-scalr-agent-pre-pull-abcde")


def test_agents_of_one_namespace_do_not_count_pods_of_others() -> None:
    kinds = {"one": "agent-k8s", "two": "agent-job"}
    one, two = watched(
        of_stack({name: {"kind": kind, "namespace": "scalr", "agentVersion": "1.4.0"} for name, kind in kinds.items()}).agents
    )
    run = "two-scalr-agent-run-1-plan-abcde"
    assert (matched(one.runs, run), matched(one.everything, run), matched(two.runs, run)) == (False, False, True)


def test_the_rules_file_has_the_same_alerts() -> None:
    groups = yaml.safe_load(observability.rules_file(cases.loaded()))["groups"]
    assert groups == [group for rule in RULES for group in rule["spec"]["groups"]]
    assert len({group["name"] for group in groups}) == len(RULES)


def test_rules_are_deployed_only_if_the_stack_asks_for_them() -> None:
    agents = {"web": {"kind": "agent-local", "namespace": "scalr"}}
    kinds = [made["kind"] for made in observability.complete(of_stack(agents))]
    assert "PrometheusRule" not in kinds
    asked = observability.complete(of_stack(agents, observability={"prometheusRules": True}))
    assert [made["kind"] for made in asked].count("PrometheusRule") == 1


def test_printed_rules_have_the_labels_and_runbooks_of_the_stack() -> None:
    given = {key: CONFIG["common"]["observability"][key] for key in ("labels", "runbooks")}
    stack = of_stack({"web": {"kind": "agent-local", "namespace": "scalr"}}, observability=given)
    assert [each for each in stack.findings if "observability" in each.at] == []
    [rule] = observability.rules_of(stack)
    assert rule["metadata"]["labels"].items() >= given["labels"].items()
    assert rule["spec"]["groups"][0]["rules"][0]["annotations"]["runbook_url"].startswith(given["runbooks"])
