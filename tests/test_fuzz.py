"""Any values file or stack file results in manifests or findings, without other exceptions or printed secrets."""

import copy
from collections.abc import Iterator
from datetime import date
from functools import reduce
from operator import getitem
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel
from scalr_agents import charts, output, stack
from scalr_agents.charts.shared.manifests.objects import WORKLOADS
from scalr_agents.model.findings import ValuesError, errors
from scalr_agents.model.merge import merge

from tests.charts.agent_job.tables import TABLE, TABLE_CURRENT
from tests.helpers import agent_k8s, agent_local
from tests.helpers.agent_job import CURRENT, LEGACY, MINIMUM, nested
from tests.helpers.agent_local import CERTIFICATE, KEY
from tests.helpers.agent_local import FULL as FULL_LOCAL
from tests.helpers.schemas import assert_valid

HERE = Path(__file__).parent
CASES: list[dict[str, Any]] = [case["values"] for case in yaml.safe_load((HERE / "charts" / "agent_job" / "chart_cases.yaml").read_text())]
SINGLE = [{**MINIMUM, **nested(row["value"], row["set"])} for row in TABLE]
CURRENTLY = [merge(MINIMUM, merge(row.get("given", {}), nested(row["value"], row["set"]))) for row in TABLE_CURRENT]
VERSIONS = st.sampled_from([LEGACY, CURRENT])
OTHERS: dict[str, dict[str, str]] = {"agent-local": agent_local.VERSIONS, "agent-k8s": agent_k8s.VERSIONS}
"""The other kinds, and a version of each of their lines."""
SECRETS = ("s3cr3t-token", "m1rr0r-token", "PRIVATE KEY")
"""What no finding may repeat of the values below."""


def _bases(chart: str, full: dict[str, Any]) -> list[dict[str, Any]]:
    """Everything at once, and every value of a kind with what it needs."""
    rows = yaml.safe_load((HERE / "charts" / chart.replace("-", "_") / "values_table.yaml").read_text())
    known = [row for row in rows if charts.find(chart).versions.knows(OTHERS[chart]["current"], row["value"])]
    return [full, *(merge(agent_k8s.MINIMUM, merge(row.get("given", {}), nested(row["value"], row["set"]))) for row in known)]


BASES = {"agent-local": _bases("agent-local", FULL_LOCAL), "agent-k8s": _bases("agent-k8s", agent_k8s.FULL)}
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
STACK_OF_OTHERS: dict[str, Any] = {
    "common": {"url": "https://acme.scalr.io", "agentVersion": "1.4.0", "imageRegistry": "mirror.acme", "podAnnotations": {"a": "b"}},
    "namespaces": {"nodes": {"podSecurity": "privileged"}},
    "agents": {
        "vcs": {
            "kind": "agent-local",
            "namespace": "scalr",
            "values": {"agent": {"providerNetworkMirrors": [{"url": "https://a.acme/"}], "tls": {"clientCert": CERTIFICATE}}},
        },
        "old": {"kind": "agent-k8s", "namespace": "nodes", "nodes": {"selector": {"a": "c"}}},
    },
    "secrets": {
        "vcs": {"token": "s3cr3t-token", "mirrorTokens": {"a.acme": "m1rr0r-token"}, "clientKey": KEY},
        "old": {"token": "s3cr3t-token", "env": {"A": "s3cr3t-env"}},
    },
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


HIDDEN = (*SECRETS, "s3cr3t-env", "<opaque>")


def _text(longest: int) -> st.SearchStrategy[str]:
    """Any text but what must not be repeated: examples are also made of the words that stand in the sources."""
    return st.text(max_size=longest).filter(lambda drawn: not any(hidden in drawn for hidden in HIDDEN))


SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**40), 2**40),
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from(["", "yes", "null", "-", "1.5Gi", "50%", "latest", "https://", "a b", "A" * 300, "s3cr3t", "\n", "${x}", "\\u0000"]),
    _text(20),
)
STRANGE = st.sampled_from(
    [10**4000, -(10**60), 1e300, float("inf"), b"bytes", date(2026, 1, 1), {1: "x"}, {None: {}}, ("a", 1), {"a"}]
).map(copy.deepcopy)
"""What no file holds, and programs may give."""
JSON = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_text(8), inner, max_size=3), max_leaves=6)


def _places(content: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    items = content.items() if isinstance(content, dict) else enumerate(content) if isinstance(content, list) else ()
    return [path, *(place for key, item in items for place in _places(item, (*path, key)))]


@st.composite
def mutations(
    draw: st.DrawFn,
    bases: list[dict[str, Any]],
    *,
    opaque: bool = True,
    given: st.SearchStrategy[Any] = JSON,
    spared: frozenset[tuple[str, ...]] = frozenset(),
) -> dict[str, Any]:
    """One of the bases with some places replaced, removed, renamed or added to, other than in sections that are spared."""
    content = copy.deepcopy(bases[draw(st.integers(0, len(bases) - 1))])
    for _ in range(draw(st.integers(1, 3))):
        places = [place for place in _places(content) if place and not any(place[: len(path)] == path for path in spared)]
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
            parent[draw(_text(8))] = parent.pop(path[-1])
        elif change == "add" and isinstance(parent[path[-1]], dict):
            parent[path[-1]][draw(_text(8))] = draw(given)
        else:
            parent[path[-1]] = Opaque() if change == "opaque" else draw(given)
    return content


@settings(max_examples=200, deadline=None)
@given(mutations(CASES + SINGLE + CURRENTLY, given=JSON | STRANGE), VERSIONS)
def test_any_values_give_manifests_or_a_values_error(mutated: dict[str, Any], version: str) -> None:
    found = charts.check("agent-job", mutated, release="runs", namespace="scalr", agent_version=version)
    text = "".join(map(str, found))
    assert "s3cr3t-token" not in text
    assert "<opaque>" not in text
    if errors(found):
        with pytest.raises(ValuesError):
            charts.render("agent-job", mutated, release="runs", namespace="scalr", agent_version=version)
    else:
        rendered = charts.render("agent-job", mutated, release="runs", namespace="scalr", agent_version=version)
        assert {made["kind"] for made in rendered} & set(WORKLOADS)


@settings(max_examples=100, deadline=None)
@given(mutations(CASES + CURRENTLY, opaque=False), VERSIONS)
def test_mutated_values_that_render_can_be_printed(mutated: dict[str, Any], version: str) -> None:
    try:
        rendered = charts.render("agent-job", mutated, release="runs", namespace="scalr", agent_version=version)
    except ValuesError:
        return
    assert list(yaml.safe_load_all(output.text(rendered, "yaml"))) == rendered


def _open(model: type[BaseModel], path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Values of Kubernetes' own types: they are passed on as they are."""
    for name, field in model.model_fields.items():
        here, kind = (*path, field.alias or name), field.annotation
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            yield from _open(kind, here)
        elif kind in (dict[str, Any], list[dict[str, Any]]):
            yield here


def _leaves(bases: list[dict[str, Any]]) -> list[Any]:
    """What is given somewhere: in another place it may well be accepted. Secrets are not, since a finding may repeat what it refuses."""
    given = [leaf for base in bases for place in _places(base) if not isinstance(leaf := reduce(getitem, place, base), dict | list)]
    return [leaf for leaf in given if not any(secret in str(leaf) for secret in SECRETS)]


OPEN = {chart: frozenset(_open(charts.find(chart).model)) for chart in OTHERS}
FAMILIAR = {chart: st.sampled_from(_leaves(bases)) | JSON for chart, bases in BASES.items()}
every_other_kind = pytest.mark.parametrize("chart", OTHERS)


@every_other_kind
@settings(max_examples=150, deadline=None)
@given(st.data())
def test_any_values_of_other_kinds_give_manifests_or_findings(chart: str, data: st.DataObject) -> None:
    mutated = data.draw(mutations(BASES[chart], given=FAMILIAR[chart] | STRANGE))
    version = data.draw(st.sampled_from(list(OTHERS[chart].values())))
    found = charts.check(chart, mutated, release="runs", namespace="scalr", agent_version=version)
    text = "".join(map(str, found))
    assert [hidden for hidden in HIDDEN if hidden in text] == []
    if errors(found):
        with pytest.raises(ValuesError):
            charts.render(chart, mutated, release="runs", namespace="scalr", agent_version=version)
    else:
        rendered = charts.render(chart, mutated, release="runs", namespace="scalr", agent_version=version)
        assert {made["kind"] for made in rendered} & set(WORKLOADS)


@every_other_kind
@settings(max_examples=100, deadline=None)
@given(st.data())
def test_manifests_of_other_kinds_are_valid(chart: str, data: st.DataObject) -> None:
    """As far as we say what it is: types of Kubernetes' own are the user's."""
    mutated = data.draw(mutations(BASES[chart], opaque=False, given=FAMILIAR[chart], spared=OPEN[chart]))
    version = data.draw(st.sampled_from(list(OTHERS[chart].values())))
    try:
        rendered = charts.render(chart, mutated, release="runs", namespace="scalr", agent_version=version)
    except ValuesError:
        return
    assert list(yaml.safe_load_all(output.text(rendered, "yaml"))) == rendered
    for manifest in rendered:
        assert_valid(manifest)


@settings(max_examples=150, deadline=None)
@given(mutations([STACK, STACK_OF_OTHERS], given=JSON | STRANGE))
def test_any_stack_gives_objects_or_findings(mutated: dict[str, Any]) -> None:
    loaded = stack.load(mutated, directory=HERE)
    text = "\n".join(map(str, loaded.findings))
    assert [hidden for hidden in HIDDEN if hidden in text] == []
    if not errors(loaded.findings):
        assert {manifest["kind"] for manifest in loaded.objects()} & set(WORKLOADS) or loaded.agents == []
