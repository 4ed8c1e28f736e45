"""The alerts, as Prometheus' own tool reads and evaluates them: each fires when it must, and not in the nearest other case."""

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from scalr_agents import observability

from tests.observability import cases
from tests.observability.cases import CASES, HEALTHY, RUN_OUT_OF_MEMORY, URL, Case
from tests.tools import binary


def promtool(*arguments: str) -> str:
    done = subprocess.run([str(binary("promtool")), *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def rules(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("rules") / "rules.yaml"
    file.write_text(observability.rules_file(cases.loaded()))
    return file


def test_the_rules_are_valid(rules: Path) -> None:
    assert "SUCCESS" in promtool("check", "rules", "--lint=all", "--lint-fatal", str(rules))


def evaluated(case: Case, series: Mapping[str, str], firing: int) -> dict[str, Any]:
    """A test: how many alerts of a name and an agent fire after some minutes."""
    query = f'count(ALERTS{{alertname="{case.alert}",agent="{case.agent}",alertstate="firing"}})'
    samples = [{"labels": "{}", "value": firing}] if firing else []
    return _test(case.alert, series, [{"expr": query, "eval_time": f"{case.minutes}m", "exp_samples": samples}])


def _test(name: str, series: Mapping[str, str], queries: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    given = [{"series": each, "values": values} for each, values in series.items()]
    return {"name": name, "interval": "30s", "input_series": given, "promql_expr_test": queries, **more}


def test_every_alert_fires_when_it_must(rules: Path, tmp_path: Path) -> None:
    """All in one run, since the program takes longer to start than to test."""
    tests = [evaluated(case, *given) for case in CASES for given in ((case.fires, 1), (case.quiet, 0))]
    none = [{"expr": "count(ALERTS)", "eval_time": f"{minutes}m", "exp_samples": []} for minutes in (1, 20, 60)]
    tests += [_test("healthy", HEALTHY, none), _test("message", RUN_OUT_OF_MEMORY, [], alert_rule_test=[_message()])]
    file = tmp_path / "tests.yaml"
    file.write_text(json.dumps({"rule_files": [str(rules)], "evaluation_interval": "30s", "tests": tests}))
    assert promtool("test", "rules", str(file)).count("SUCCESS") == 1


def _message() -> dict[str, Any]:
    """An alert as Alertmanager gets it."""
    pod = "web-scalr-agent-run-v0o1k2-plan-x7k2p"
    labels = {"severity": "warning", "agent": "web", "kind": "agent-job", "namespace": "scalr", "pod": pod, "container": "runner"}
    annotations = {
        "summary": "A run of agent web ran out of memory",
        "description": f"Container runner of pod {pod} was killed at its memory limit. Look: kubectl describe pod -n scalr {pod}",
        "runbook_url": f"{URL}#scalrrunoutofmemory",
    }
    alerts = [{"exp_labels": labels, "exp_annotations": annotations}]
    return {"alertname": "ScalrRunOutOfMemory", "eval_time": "15m", "exp_alerts": alerts}
