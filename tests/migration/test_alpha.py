"""Conversion of alpha values: every row of the table, complete values, and no lost value."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings, strategies as st
from scalr_agents import charts
from scalr_agents.charts.agent_job.moved import MOVED
from scalr_agents.charts.shared.versions import Moved
from scalr_agents.migration import alpha
from scalr_agents.model.findings import Finding, errors
from scalr_agents.model.maps import lookup, merge

from tests.helpers.agent_job import MINIMUM, nested
from tests.helpers.opaque import Later

SECRET = "s3cr3t"
ALPHA: dict[str, Any] = {"controller": {"affinity": {}}}
"""What makes a file one of the alpha and says nothing."""
CASES = yaml.safe_load((Path(__file__).parent / "alpha_cases.yaml").read_text())
DEFAULTS: dict[str, dict[str, Any]] = CASES["defaults"]
PAGE = (Path(__file__).parents[2] / "docs" / "alpha-values.md").read_text()
EXAMPLES: list[dict[str, Any]] = CASES["examples"]
TABLE: list[dict[str, Any]] = CASES["rows"]


def _leaves(content: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    if isinstance(content, Mapping) and content:
        for key, value in content.items():
            yield from _leaves(value, (*path, key))
    elif path:
        yield path, content


def _messages(findings: list[Finding]) -> dict[str, str]:
    return {finding.path: f"{finding.severity}: {finding.message}" for finding in findings if finding.path != "restrictMetadataService"}


def _errors_of(given: Mapping[str, Any]) -> list[Finding]:
    return errors(charts.check("agent-job", merge(MINIMUM, given), release="runs", namespace="scalr"))


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row["old"])
def test_every_value_has_its_new_place(row: dict[str, Any]) -> None:
    old = merge(ALPHA, nested(row["old"], row["given"]))
    converted, findings = alpha.convert(old)
    for path, expected in row.get("now", {}).items():
        assert lookup(converted, *path.split(".")) == expected
    messages = _messages(findings)
    assert list(messages) == ([row["old"]] if "says" in row else [])
    assert row.get("says", "") in messages.get(row["old"], "")
    if not messages.get(row["old"], "").startswith("error: cannot"):
        assert _errors_of(converted) == []


@pytest.mark.parametrize("row", MOVED, ids=lambda row: row.old)
def test_every_row_is_documented(row: Moved) -> None:
    (line,) = [line for line in PAGE.splitlines() if line.startswith("| ") and f"`{row.old}`" in line.split(" | ")[0]]
    assert [path for path in row.to if path != row.old and f"`{path}`" not in line] == []


@pytest.mark.parametrize("row", MOVED, ids=lambda row: row.old)
def test_old_keys_name_the_new_ones(row: Moved) -> None:
    given = next(case["given"] for case in TABLE if case["old"] == row.old)
    (finding,) = _errors_of(nested(row.old, given))
    assert finding.path == row.old
    assert finding.message.startswith(f"an alpha value; use {' and '.join(row.to)}" if row.to else "an alpha value without a succ")
    assert finding.message.endswith("(scalr-agents convert-values)" if row.to else row.form)


def test_all_old_keys_are_reported_at_once() -> None:
    given = {
        "agent": {"tokenExistingSecret": "own", "url": "acme", "replicas": 2},
        "controller": {"nodeSelektor": {}, "tolerations": 5, f"token:{SECRET}": 1},
        "worker": {"runner": "x"},
        "persistence": {"enabled": True},
    }
    found = charts.check("agent-job", given, release="runs", namespace="scalr")
    assert [(finding.path, finding.message.partition(" (")[0][:52]) for finding in errors(found)] == [
        ("agent.tokenExistingSecret", "an alpha value; use agent.tokenExistingSecret.name i"),
        ("persistence.enabled", "an alpha value; use persistence.cache.enabled instea"),
        ("controller.tolerations", "an alpha value; use agent.tolerations instead"),
        ("agent.replicas", "unknown key 'replicas'; did you mean 'replicaCount'?"),
        ("controller", "unknown key 'controller'; did you mean agent.control"),
        ("worker", "unknown key 'worker'; did you mean task.worker?"),
        ("agent.url", "not a URL with scheme and host, for instance https:/"),
    ]
    assert SECRET not in str(found)


@pytest.mark.parametrize("name", DEFAULTS)
def test_all_defaults_of_a_state_convert_and_render(name: str) -> None:
    converted, findings = alpha.convert(merge(DEFAULTS[name], MINIMUM))
    assert errors(findings) == []
    assert charts.render("agent-job", converted, release="runs", namespace="scalr")[-1]["kind"] == "Deployment"


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example["name"])
def test_an_example_of_the_document_converts_and_renders(example: dict[str, Any]) -> None:
    converted, findings = alpha.convert(example["values"])
    assert errors(findings) == []
    assert converted == example["now"]
    rendered = charts.render("agent-job", merge(MINIMUM, converted), release="runs", namespace="scalr")
    assert rendered[-1]["kind"] == "Deployment"


@pytest.mark.parametrize("given", [{}, MINIMUM, {"agent": {"extraEnv": {"SCALR_AGENT_DEBUG": "1"}}, "task": {"job": {"backoffLimit": 2}}}])
def test_current_values_are_not_changed(given: dict[str, Any]) -> None:
    assert not alpha.is_alpha(given)
    assert alpha.convert(given) == (given, [])


def test_the_given_values_are_not_changed() -> None:
    given = merge(DEFAULTS["0.5.63"], {"agent": {"tokenExistingSecret": "x"}})
    before = yaml.safe_dump(given)
    alpha.convert(given)
    assert yaml.safe_dump(given) == before


def test_unknown_keys_are_kept() -> None:
    given = {"controller": {"image": {"tagg": "x"}}, "imagePullSecrets": [], "foo": 1, "task": {"bar": {"a": 1}}}
    converted, findings = alpha.convert(given)
    assert lookup(converted, "controller", "image", "tagg") == "x"
    assert (converted["foo"], lookup(converted, "task", "bar", "a")) == (1, 1)
    assert {path: text.partition(";")[0] for path, text in _messages(findings).items()} == {
        "controller.image.tagg": "error: neither a value of the alpha nor of the present chart",
        "foo": "error: unknown key 'foo'",
        "task.bar": "error: unknown key 'bar'",
    }


def test_empty_sections_of_the_alpha_are_removed() -> None:
    given = {"imagePullSecrets": [], "controller": {"image": {}}, "worker": {"runner": {"x": {}}}, "agent": {"auth": {}, "debug": "1"}}
    assert alpha.convert(given | {"restrictMetadataService": True})[0] == {"agent": {"debug": "1"}, "task": {"allowMetadataService": False}}


def test_sections_that_are_null_give_way_and_others_do_not() -> None:
    given = {"controllerNodeSelector": {"a": "b"}, "serviceAccount": {"create": False}, "restrictMetadataService": True}
    converted, findings = alpha.convert({**given, "agent": None, "rbac": None})
    assert (converted["agent"], converted["rbac"], errors(findings)) == ({"nodeSelector": {"a": "b"}}, {"create": False}, [])
    converted, findings = alpha.convert({**given, "agent": 5, "rbac": 6})
    assert (converted["agent"], converted["rbac"], converted["controllerNodeSelector"]) == (5, 6, {"a": "b"})
    assert [finding.path for finding in errors(findings)] == ["controllerNodeSelector"]


def test_two_values_for_one_place_are_refused() -> None:
    given = {
        "controllerNodeSelector": {"a": "b", "c": "d"},
        "controller": {"nodeSelector": {"a": "x"}},
        "agent": {"nodeSelector": {"c": "d", "e": "f"}},
    }
    converted, findings = alpha.convert(given)
    assert lookup(converted, "agent", "nodeSelector") == {"a": "b", "c": "d", "e": "f"}
    assert converted["controller"] == {"nodeSelector": {"a": "x"}}
    assert _messages(findings) == {
        "controller.nodeSelector": "error: cannot be converted: agent.nodeSelector has another value; keep one of the two"
    }


@pytest.mark.parametrize(
    ("controller", "shared", "worker", "now", "warned"),
    [
        ("c", "a", None, ("c", "a"), []),
        ("c", None, "w", ("c", "w"), []),
        ("c", None, None, ("c", None), ["controller.image.tag"]),
        ("c", "a", "w", ("c", "w"), ["agent.image.tag"]),
        ("c", "c", None, ("c", None), []),
        ("", "a", None, ("a", None), []),
    ],
)
def test_controller_and_worker_keep_their_images(
    controller: str, shared: str | None, worker: str | None, now: tuple[str | None, ...], warned: list[str]
) -> None:
    given: dict[str, Any] = {"controller": {"image": {"tag": controller}}, "agent": {}, "task": {"worker": {}}}
    given["agent"] |= {"image": {"tag": shared}} if shared else {}
    given["task"]["worker"] |= {"image": {"tag": worker}} if worker else {}
    converted, findings = alpha.convert(given)
    assert (lookup(converted, "agent", "image", "tag"), lookup(converted, "task", "worker", "image", "tag")) == now
    assert list(_messages(findings)) == warned


@pytest.mark.parametrize(
    ("controller", "worker", "now", "warned"),
    [
        ({}, {}, ({"runAsUser": 5}, {"runAsUser": 5}), []),
        ({"runAsUser": 6}, {}, ({"runAsUser": 6}, {"runAsUser": 5}), []),
        ({"runAsUser": 6}, {"runAsUser": 7}, ({"runAsUser": 6}, {"runAsUser": 7}), ["agent.securityContext"]),
    ],
)
def test_containers_inherit_the_agents_security_context(
    controller: dict[str, int], worker: dict[str, int], now: tuple[Any, ...], warned: list[str]
) -> None:
    given = {
        "agent": {"securityContext": {"runAsUser": 5}},
        "controller": {"securityContext": controller},
        "task": {"worker": {"securityContext": worker}},
    }
    converted, findings = alpha.convert(given)
    found = (lookup(converted, "agent", "controller", "securityContext"), lookup(converted, "task", "worker", "securityContext"))
    assert (found, list(_messages(findings))) == (now, warned)


@pytest.mark.parametrize(
    ("given", "warned"),
    [({}, True), ({"restrictMetadataService": True}, False), ({"task": {"allowMetadataService": False}}, False)],
)
def test_a_blocked_metadata_service_is_reported(given: dict[str, Any], warned: bool) -> None:
    _, findings = alpha.convert(merge(ALPHA, given))
    assert [finding.path for finding in findings] == (["restrictMetadataService"] if warned else [])


def test_outputs_are_carried_untouched() -> None:
    secret, name = Later(), Later()
    given = {"agent": {"auth": {"token": secret}, "tokenExistingSecret": name}, "controller": {"extraEnv": {"A": secret}}}
    converted, findings = alpha.convert(given)
    assert lookup(converted, "agent", "token") is secret
    assert lookup(converted, "agent", "tokenExistingSecret", "name") is name
    assert lookup(converted, "agent", "controller", "extraEnv")[0]["value"] is secret
    assert errors(findings) == []
    assert alpha.convert({"restrictMetadataService": secret})[0] == {"restrictMetadataService": secret}


def test_images_without_a_new_place_are_not_lost() -> None:
    given = {"agent": {"image": {"tag": "1.0.0"}}, "controller": {"image": {"tag": "2.0.0"}}, "worker": {"image": "acme/worker"}}
    converted, findings = alpha.convert(given)
    assert (converted["agent"], converted["controller"]) == (given["agent"], given["controller"])
    message = "cannot be converted: agent.image.tag has another value; keep one of the two"
    assert [(finding.path, finding.message) for finding in errors(findings)] == [("controller.image.tag", message)]


KEYS = sorted({row["old"] for row in TABLE} | {"foo", "agent.image.tag", "task.worker.image.tag", "rbac.create", "agent.nodeSelector.a"})
TEXTS = st.integers(0, 10**6).map(lambda number: f"{SECRET}{number}")
CONTENT = st.one_of(TEXTS, st.booleans(), st.none(), st.lists(TEXTS, max_size=2), st.dictionaries(st.sampled_from("ab"), TEXTS, max_size=2))


@settings(max_examples=300, deadline=None)
@given(st.dictionaries(st.sampled_from(KEYS), CONTENT, max_size=8))
def test_every_lost_value_is_reported(given: dict[str, Any]) -> None:
    old: dict[str, Any] = {}
    for key, content in given.items():
        old = merge(old, nested(key, content))
    converted, findings = alpha.convert(old)
    kept = str(converted)
    for path, leaf in _leaves(old):
        texts = [text for text in (leaf if isinstance(leaf, list) else [leaf]) if isinstance(text, str)]
        place = ".".join(path)
        if any(repr(text) not in kept for text in texts):
            assert any(f"{place}.".startswith(f"{finding.path}.") for finding in findings), place
    assert SECRET not in str(findings)
    assert SECRET not in str([finding for finding in _errors_of(old) if finding.message.startswith("an alpha")])
