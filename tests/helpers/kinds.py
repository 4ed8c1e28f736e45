"""Stacks of one agent of every kind and line, for tests to vary."""

from pathlib import Path
from typing import Any

import pytest
from scalr_agents import stack
from scalr_agents.model.maps import merge

from tests.helpers.plain import difference
from tests.helpers.validated import LINES

Kind = tuple[str, str]
KINDS: list[Kind] = [(line.chart, line.generation) for line in LINES]
VERSIONS = {(line.chart, line.generation): line.default_version for line in LINES}
JOB, LOCAL, K8S = "agent-job", "agent-local", "agent-k8s"
LEGACY_LOCAL, LEGACY_JOB = (LOCAL, "legacy"), (JOB, "legacy")
TOKEN = "s3cr3t-token"
CA = "-----BEGIN CERTIFICATE-----\nMBMGA1UEAwwMSVNSRyBSb290IFgx\n-----END CERTIFICATE-----\n"
KEY = "-----BEGIN PRIVATE KEY-----\nMBMGA1UEAwwMSVNSRyBSb290IFgx\n-----END PRIVATE KEY-----\n"
PLACE = "scalr-agents:"

every_kind = pytest.mark.parametrize("kind", KINDS, ids="-".join)


def load(kind: Kind, changed: dict[str, Any], directory: Path = Path(), **options: Any) -> stack.Stack:
    base = {
        "common": {"url": "https://acme.scalr.io"},
        "agents": {"one": {"kind": kind[0], "namespace": "scalr", "agentVersion": VERSIONS[kind]}},
        "secrets": {"one": {"token": TOKEN}},
    }
    return stack.load(merge(base, changed), directory=directory, **options)


def errors(loaded: stack.Stack) -> list[tuple[str, str]]:
    return [(finding.path.removeprefix(PLACE), finding.message) for finding in loaded.findings if finding.severity == "error"]


def values_of(kind: Kind, changed: dict[str, Any], directory: Path = Path()) -> dict[str, Any]:
    """What is new or other than in the values of the plain agent, in the chart's words."""
    loaded = load(kind, changed, directory)
    assert errors(loaded) == []
    plain, given = (one.agents[0].values.model_dump(by_alias=True) for one in (load(kind, {}), loaded))
    return difference(plain, given)


def of_one(**words: Any) -> dict[str, Any]:
    return {"agents": {"one": words}}


def secret(**words: Any) -> dict[str, Any]:
    return {"secrets": {"one": words}}


def stack_of(agents: dict[str, dict[str, Any]], **words: Any) -> stack.Stack:
    """A stack of agents in namespace `scalr`, each with a token."""
    named = {name: {"namespace": "scalr", **agent} for name, agent in agents.items()}
    tokens = {name: {"token": TOKEN} for name in agents}
    common = {"url": "https://acme.scalr.io"}
    return stack.load({"common": common, "agents": named, "secrets": tokens, **words}, directory=Path())


def secrets_of(loaded: stack.Stack) -> dict[str, Any]:
    return {made["metadata"]["name"]: made["stringData"] for made in loaded.objects() if made["kind"] == "Secret"}
