"""Whatever a values file or a stack file holds, the end is manifests or findings: no other exception, and never a secret."""

import copy
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from scalr_agents import manifests, output, stack, values
from scalr_agents.values import ValuesError
from scalr_agents.values.merge import merge

from tests.manifests.changes import CURRENT, LEGACY, MINIMUM, TABLE, TABLE_CURRENT, nested
from tests.manifests.schemas import assert_valid

HERE = Path(__file__).parent
CASES: list[dict[str, Any]] = [case["values"] for case in yaml.safe_load((HERE / "manifests" / "chart_cases.yaml").read_text())]
SINGLE = [{**MINIMUM, **nested(row["value"], row["set"])} for row in TABLE]
CURRENTLY = [merge(MINIMUM, merge(row.get("given", {}), nested(row["value"], row["set"]))) for row in TABLE_CURRENT]
VERSIONS = st.sampled_from([LEGACY, CURRENT])
STACK: dict[str, Any] = {
    "kubernetes": {"context": "c", "qps": 5, "crds": "install"},
    "common": {
        "url": "https://acme.scalr.io",
        "agentVersion": "0.58.0",
        "imagePullSecrets": ["a"],
        "proxy": {"http": "http://p:1", "except": [".x"]},
        "otel": {"endpoint": "http://o:1"},
        "labels": {"a": "b"},
    },
    "namespaces": {"scalr": {"podSecurity": "baseline", "labels": {"a": "b"}}},
    "agents": {
        "runs": {
            "kind": "agent-job",
            "namespace": "scalr",
            "nodes": {"selector": {"a": "b"}, "tolerations": [{"key": "a"}]},
            "identity": {"a": "b"},
        },
        "more": {"kind": "agent-job", "namespace": "scalr", "release": "x", "names": "chart", "values": {"agent": {"replicaCount": 2}}},
    },
    "secrets": {"runs": {"token": "s3cr3t-token", "env": {"A": "s3cr3t-env"}}, "more": {"token": "s3cr3t-token"}},
}


class Opaque:
    """An object that is no JSON type, as an output of another resource is; reading, copying or formatting one fails."""

    def __str__(self) -> str:
        raise AssertionError("formatted")

    def __bool__(self) -> bool:
        raise AssertionError("tested")

    def __iter__(self) -> Any:
        raise AssertionError("read")

    def __deepcopy__(self, memo: Any) -> Any:
        raise AssertionError("copied")

    def __repr__(self) -> str:
        return "<opaque>"


SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**40), 2**40),
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from(["", "yes", "null", "-", "1.5Gi", "50%", "latest", "https://", "a b", "A" * 300, "s3cr3t", "\n", "${x}", "\\u0000"]),
    st.text(max_size=20),
)
JSON = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3), max_leaves=6
)


def _places(content: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    items = content.items() if isinstance(content, dict) else enumerate(content) if isinstance(content, list) else ()
    return [path, *(place for key, item in items for place in _places(item, (*path, key)))]


@st.composite
def mutations(draw: st.DrawFn, bases: list[dict[str, Any]], *, opaque: bool = True) -> dict[str, Any]:
    """One of the bases with some places replaced, removed, renamed or added to."""
    content = copy.deepcopy(bases[draw(st.integers(0, len(bases) - 1))])
    for _ in range(draw(st.integers(1, 3))):
        places = [place for place in _places(content) if place]
        if not places:
            break
        path = draw(st.sampled_from(places))
        parent: Any = content
        for key in path[:-1]:
            parent = parent[key]
        change = draw(
            st.sampled_from(["replace", "remove", "rename", "add", "opaque"] if opaque else ["replace", "remove", "rename", "add"])
        )
        if change == "remove":
            del parent[path[-1]]
        elif change == "rename" and isinstance(parent, dict):
            parent[draw(st.text(max_size=8))] = parent.pop(path[-1])
        elif change == "add" and isinstance(parent[path[-1]], dict):
            parent[path[-1]][draw(st.text(max_size=8))] = draw(JSON)
        else:
            parent[path[-1]] = Opaque() if change == "opaque" else draw(JSON)
    return content


@settings(max_examples=200, deadline=None)
@given(mutations(CASES + SINGLE + CURRENTLY), VERSIONS)
def test_values_end_in_manifests_or_a_values_error(mutated: dict[str, Any], version: str) -> None:
    found = values.check("agent-job", mutated, release="runs", namespace="scalr", agent_version=version)
    text = "".join(map(str, found))
    assert "s3cr3t-token" not in text
    assert "<opaque>" not in text
    if values.errors(found):
        with pytest.raises(ValuesError):
            manifests.render("agent-job", mutated, release="runs", namespace="scalr", agent_version=version)
    else:
        rendered = manifests.render("agent-job", mutated, release="runs", namespace="scalr", agent_version=version)
        assert rendered[-1]["kind"] == "Deployment"


@settings(max_examples=100, deadline=None)
@given(mutations(CASES + CURRENTLY, opaque=False), VERSIONS)
def test_mutated_values_that_render_can_be_printed(mutated: dict[str, Any], version: str) -> None:
    try:
        rendered = manifests.render("agent-job", mutated, release="runs", namespace="scalr", agent_version=version)
    except ValuesError:
        return
    assert list(yaml.safe_load_all(output.text(rendered, "yaml"))) == rendered


@settings(max_examples=150, deadline=None)
@given(mutations([STACK]))
def test_stacks_end_in_objects_or_findings(mutated: dict[str, Any]) -> None:
    loaded = stack.load(mutated, directory=HERE)
    text = "\n".join(map(str, loaded.findings))
    assert "s3cr3t-token" not in text
    assert "s3cr3t-env" not in text
    if not values.errors(loaded.findings):
        assert {manifest["kind"] for manifest in loaded.objects()} >= {"Deployment"} or loaded.agents == []


def test_the_unchanged_stack_is_valid() -> None:
    loaded = stack.load(STACK, directory=HERE)
    assert values.errors(loaded.findings) == []
    for manifest in loaded.objects():
        assert_valid(manifest)
