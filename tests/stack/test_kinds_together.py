"""Agents of several kinds and lines in one stack, and in one namespace."""

from collections import Counter
from typing import Any

import pytest
from scalr_agents import stack
from scalr_agents.stack.neighbours import mounts

from tests.helpers.kinds import JOB, K8S, KINDS, LOCAL, VERSIONS, Kind, errors, load, of_one, stack_of

SIX: dict[str, dict[str, Any]] = {
    f"{kind.removeprefix('agent-')}-{line}": {"kind": kind, "agentVersion": VERSIONS[kind, line]} for kind, line in KINDS
}
SIX["k8s-legacy"]["values"] = {"agent": {"data_home": "/var/lib/legacy"}}
SIX["k8s-current"]["values"] = {"agent": {"data_home": "/var/lib/current"}}
CACHED: list[Kind] = [kind for kind in KINDS if kind[0] != K8S]


def identities(loaded: stack.Stack) -> Counter[tuple[str, str, str]]:
    metadata = [(made["kind"], made["metadata"]) for made in loaded.objects()]
    return Counter((kind, data.get("namespace", ""), data["name"]) for kind, data in metadata)


@pytest.mark.parametrize("release", [None, "runs"], ids=["own releases", "one release for each line"])
def test_all_kinds_and_lines_in_one_namespace(release: str | None) -> None:
    names = {name: {"release": f"{release}-{agent['agentVersion'][0]}"} if release else {} for name, agent in SIX.items()}
    loaded = stack_of({name: {**agent, **names[name]} for name, agent in SIX.items()})
    assert errors(loaded) == []
    assert [agent.name for agent in loaded.agents] == list(SIX)
    assert max(identities(loaded).values()) == 1


def test_selectors_of_kinds_do_not_overlap() -> None:
    workloads = [made for made in stack_of(SIX).objects() if made["kind"] in ("Deployment", "DaemonSet")]
    assert len(workloads) == 8
    for one in workloads:
        labels = one["spec"]["template"]["metadata"]["labels"]
        selecting = [other for other in workloads if other["spec"]["selector"]["matchLabels"].items() <= labels.items()]
        assert selecting == [one]


def test_definitions_of_both_lines_come_first_and_once() -> None:
    more = {"more-legacy": {"kind": JOB, "agentVersion": "0.58.0"}, "more-current": {"kind": JOB, "agentVersion": "1.3.0"}}
    kinds_and_names = [(made["kind"], made["metadata"]["name"]) for made in stack_of({**SIX, **more}).objects()]
    definitions = [("CustomResourceDefinition", "atasks.scalr.io"), ("CustomResourceDefinition", "agenttasktemplates.scalr.io")]
    assert kinds_and_names[:2] == definitions
    assert "CustomResourceDefinition" not in [kind for kind, _ in kinds_and_names[2:]]


@pytest.mark.parametrize(
    ("agents", "definitions"),
    [
        ({"a": {"kind": JOB, "agentVersion": "1.4.0"}}, ["agenttasktemplates.scalr.io"]),
        ({"a": {"kind": JOB}, "b": {"kind": LOCAL, "agentVersion": "1.4.0"}}, ["atasks.scalr.io"]),
        ({"a": {"kind": LOCAL}, "b": {"kind": K8S, "agentVersion": "1.4.0"}}, []),
    ],
    ids=["current", "legacy", "none"],
)
def test_only_required_definitions_are_installed(agents: dict[str, dict[str, Any]], definitions: list[str]) -> None:
    objects = stack_of(agents).objects()
    assert [made["metadata"]["name"] for made in objects if made["kind"] == "CustomResourceDefinition"] == definitions


def test_expected_definitions_are_not_rendered() -> None:
    assert stack_of(SIX, kubernetes={"crds": "expect"}).lines() == []


@pytest.mark.parametrize("kind", CACHED, ids="-".join)
@pytest.mark.parametrize(
    "cache",
    [{"efs": {"fileSystemId": "fs-00000a1b"}}, {"storageClass": {"name": "nfs"}}, {"filestore": {"location": "europe-west1-b"}}],
    ids=list,
)
def test_a_claim_refers_to_its_agent(kind: Kind, cache: dict[str, Any]) -> None:
    loaded = load(kind, of_one(cache="big") | {"caches": {"big": cache}})
    assert errors(loaded) == []
    mounted = {mount.volume for agent in loaded.agents for mount in mounts(agent)}
    assert mounted == {claim.key for claim in loaded.claims}
    assert len(mounted) == 1
