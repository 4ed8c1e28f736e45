"""The objects of agent-local: what every value changes, both lines, and names."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from scalr_agents import charts
from scalr_agents.charts.agent_local.values import AgentLocalValues
from scalr_agents.charts.shared.inputs import Inputs
from scalr_agents.model.maps import merge

from tests.helpers.agent_job import nested, value_paths
from tests.helpers.agent_local import FULL, MINIMUM, VERSIONS, changes, objects
from tests.helpers.pods import container, environment, pod
from tests.helpers.schemas import assert_valid

TABLE: list[dict[str, Any]] = yaml.safe_load((Path(__file__).parent / "values_table.yaml").read_text())
TABLE_OF_VERSIONS = charts.find("agent-local").versions
ABSENT = {line: TABLE_OF_VERSIONS.unsupported(version) for line, version in VERSIONS.items()}
DIGEST = "digest"


def _is_known(row: dict[str, Any], line: str) -> bool:
    """Whether a line has the value, and the same default of it as the other line."""
    paths = [row["value"], *(".".join(path) for path in _leaves(row.get("given", {})))]
    if line == "legacy" and row["value"].startswith("image."):
        return False
    return not any(f"{path}.".startswith(f"{absent}.") for path in paths for absent in ABSENT[line])


def _leaves(given: dict[str, Any], path: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    return [leaf for key, value in given.items() for leaf in (_leaves(value, (*path, key)) if isinstance(value, dict) else [(*path, key)])]


def test_the_table_has_every_value_once() -> None:
    assert [row["value"] for row in TABLE] == list(value_paths(AgentLocalValues))


@pytest.mark.parametrize(
    ("row", "line"),
    [(row, line) for row in TABLE for line in ("legacy", "current") if _is_known(row, line)],
    ids=lambda part: part if isinstance(part, str) else part["value"],
)
def test_effects_of_each_value(row: dict[str, Any], line: str) -> None:
    before = merge(MINIMUM, row.get("given", {}))
    made = objects(merge(before, nested(row["value"], row["set"])), digest=DIGEST, line=line)
    assert changes(objects(before, digest=DIGEST, line=line), made) == row["changes"]
    for manifest in made.values():
        assert_valid(manifest)


@pytest.mark.parametrize(("line", "repository"), [("legacy", "scalr/agent-runner"), ("current", "scalr/agent")])
def test_image(line: str, repository: str) -> None:
    assert container(objects(MINIMUM, line=line))["image"] == f"{repository}:{VERSIONS[line]}"
    given = {"image": {"repository": "acme/agent", "tag": "1.0"}}
    assert container(objects(merge(MINIMUM, given), line=line))["image"] == "acme/agent:1.0"
    reference = f"acme/agent@sha256:{64 * '0'}"
    assert container(objects(MINIMUM, Inputs(agent_image=reference), line=line))["image"] == reference


def test_names_in_order() -> None:
    assert [(role, made["metadata"]["name"]) for role, made in objects(FULL).items()] == [
        ("service-account", "vcs-agent-local"),
        ("egress", "vcs-agent-local-network-policy"),
        ("token-secret", "vcs-agent-local-token"),
        ("env-secret", "vcs-agent-local-env"),
        ("ca-bundle-secret", "vcs-agent-local-ca-bundle"),
        ("client-cert-secret", "vcs-agent-local-client-cert"),
        ("data-claim", "vcs-agent-local-data"),
        ("cache-claim", "vcs-agent-local-cache"),
        ("deployment", "vcs-agent-local"),
    ]


@pytest.mark.parametrize(
    ("mode", "grace", "action", "drain", "shutdown"),
    [
        ("graceful", 120, "grace-shutdown", None, "110"),
        ("graceful", None, "grace-shutdown", None, "20"),
        ("drain", 3700, "drain", "3630", "60"),
        ("force", 10, "force-shutdown", None, None),
    ],
)
def test_shutdown(mode: str, grace: int | None, action: str, drain: str | None, shutdown: str | None) -> None:
    made = objects(merge(MINIMUM, {"agent": {"shutdownMode": mode}, "terminationGracePeriodSeconds": grace}))
    variables = environment(made)
    assert variables["SCALR_AGENT_WORKER_ON_STOP_ACTION"] == action
    assert variables.get("SCALR_AGENT_WORKER_DRAIN_TIMEOUT") == drain
    assert variables.get("SCALR_AGENT_WORKER_GRACE_SHUTDOWN_TIMEOUT") == shutdown
    assert pod(made)["spec"].get("terminationGracePeriodSeconds") == grace


def test_an_autoscaler_may_set_the_replicas() -> None:
    assert "replicas" not in objects(merge(MINIMUM, {"replicaCount": None}))["deployment"]["spec"]


def test_secret_variables_come_first_in_the_container() -> None:
    made = objects(merge(MINIMUM, {"extraEnv": {"HTTPS_PROXY": "http://u:$(PASSWORD)@p:1", "A": "plain"}}), Inputs(secret_env=SECRETS))
    assert made["env-secret"]["stringData"] == SECRETS
    assert [variable["name"] for variable in container(made)["env"]][:4] == ["A", "PASSWORD", "SCALR_AGENT_OTLP_HEADERS", "HTTPS_PROXY"]
    reference = {"name": "vcs-agent-local-env", "key": "A", "optional": False}
    assert container(made)["env"][0] == {"name": "A", "valueFrom": {"secretKeyRef": reference}}


SECRETS = {"A": "secret", "PASSWORD": "x", "SCALR_AGENT_OTLP_HEADERS": "y"}


def test_mirrors_with_a_token_are_a_secret() -> None:
    made = objects(FULL)
    text = '[{"token":"m1rr0r-token","url":"https://mirror.acme.example/"}]'
    assert made["env-secret"]["stringData"] == {"SCALR_AGENT_PROVIDER_NETWORK_MIRRORS": text}
    assert "m1rr0r-token" not in repr(made["deployment"])
    variable = next(variable for variable in container(made)["env"] if variable["name"] == "SCALR_AGENT_PROVIDER_NETWORK_MIRRORS")
    assert variable["valueFrom"]["secretKeyRef"]["name"] == "vcs-agent-local-env"


def test_annotations_and_labels_of_secrets() -> None:
    made = objects(merge(FULL, {"secret": {"annotations": {"a": "b"}, "labels": {"team": "platform"}}}))
    kept = {role: manifest["metadata"] for role, manifest in made.items() if role.endswith("-secret")}
    assert {role: metadata["annotations"] for role, metadata in kept.items()} == {role: {"a": "b"} for role in kept}
    assert [role for role, metadata in kept.items() if "team" in metadata["labels"]] == ["token-secret"]


@pytest.mark.parametrize(
    ("given", "claim", "size"),
    [
        ({"enabled": True}, "vcs-agent-local-cache", "20Gi"),
        ({"enabled": True, "persistentVolumeClaim": {"storage": "5Gi"}}, "vcs-agent-local-cache", "5Gi"),
        ({"enabled": True, "cache": {"persistentVolumeClaim": {"claimName": "new", "storage": "9Gi"}}}, "vcs-agent-local-cache", "20Gi"),
        ({"persistentVolumeClaim": {"claimName": "old"}}, None, None),
        ({"cache": {"enabled": True}, "persistentVolumeClaim": {"claimName": "old"}}, "old", None),
        ({"cache": {"enabled": True, "persistentVolumeClaim": {"storage": "9Gi"}}}, "vcs-agent-local-cache", "9Gi"),
    ],
)
def test_deprecated_values_of_the_cache(given: dict[str, Any], claim: str | None, size: str | None) -> None:
    made = objects(merge(MINIMUM, {"persistence": given}))
    volume = pod(made)["spec"]["volumes"][1]
    assert volume.get("persistentVolumeClaim", {}).get("claimName") == claim
    if size:
        assert made["cache-claim"]["spec"]["resources"]["requests"] == {"storage": size}
    else:
        assert "cache-claim" not in made
