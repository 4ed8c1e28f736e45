"""The stacks of this repository: complete, without findings except missing tokens, with valid objects."""

from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from scalr_agents import output, stack
from scalr_agents.caches.efs import EfsKind
from scalr_agents.machines import documents
from scalr_agents.model.findings import errors, warnings
from scalr_agents.stack import schema, source

from tests.helpers.schemas import assert_valid

REPOSITORY = Path(__file__).parents[2]
STACKS = source.stacks(REPOSITORY / "stacks")


def _load(name: str, *, demand_tokens: bool) -> stack.Stack:
    """A committed stack, with the tokens set."""
    read = source.read(REPOSITORY, name)
    config = {word: content for word, content in read.config.items() if word != "secrets"}
    return stack.load(config, directory=read.directory, demand_tokens=demand_tokens)


@pytest.mark.parametrize("name", STACKS)
def test_sample_stacks_lack_only_their_tokens(name: str) -> None:
    loaded = _load(name, demand_tokens=True)
    owners = [agent.name for agent in loaded.agents] + [each.name for each in loaded.machines if each.machine.platform != "own"]
    assert [finding.path for finding in errors(loaded.findings)] == [f"scalr-agents:secrets.{name}.token" for name in owners]
    assert warnings(loaded.findings) == []


@pytest.mark.parametrize("name", STACKS)
def test_agents_of_different_pools_share_nothing(name: str) -> None:
    """A namespace, a cache, a directory of a claim, or the security group by which its nodes mount a file system."""
    loaded = _load(name, demand_tokens=False)
    assert len({agent.release.namespace for agent in loaded.agents}) == len(loaded.agents)
    assert len({claim.cache for claim in loaded.claims}) == len(loaded.claims)
    systems = [entry.content for entry in loaded.caches.values() if isinstance(entry.content, EfsKind)]
    clients = [client for efs in systems for client in (efs.eks_cluster, *efs.clients.security_groups) if client]
    assert len(set(clients)) == len(clients) == len(systems)


@pytest.mark.parametrize("name", STACKS)
def test_every_object_is_valid(name: str) -> None:
    for manifest in yaml.safe_load_all(output.text(_load(name, demand_tokens=False).objects(), "yaml")):
        assert_valid(manifest)


@pytest.mark.parametrize("name", ["aws-machines", "gcp-machines"])
def test_a_stack_of_machines_prints_their_files(name: str) -> None:
    loaded = _load(name, demand_tokens=False)
    assert loaded.machines != []
    for each, form in product(loaded.machines, documents.FORMS):
        assert "scalr-agent" in each.document(form)
        assert each.steps(form) != []


@cache
def _schema() -> jsonschema.Draft7Validator:
    content = schema.stack_file()
    jsonschema.Draft7Validator.check_schema(content)
    return jsonschema.Draft7Validator(content)


@pytest.mark.parametrize("name", STACKS)
def test_the_schema_accepts_the_file(name: str) -> None:
    content = yaml.safe_load((REPOSITORY / "stacks" / f"Pulumi.{name}.yaml").read_text())
    _schema().validate(content)


def _file(**words: Any) -> dict[str, Any]:
    return {
        "encryptionsalt": "v1:x",
        "config": {"aws:region": "eu-west-1", **{f"scalr-agents:{word}": content for word, content in words.items()}},
    }


AGENT = {"kind": "agent-job", "namespace": "scalr"}


@pytest.mark.parametrize(
    "content",
    [
        _file(agents={"runs": {**AGENT, "values": {"agent": {"replicaCount": None, "extraEnv": {"A": 1, "B": True}}}}}),
        _file(secrets={"runs": {"token": {"secure": "v1:x"}, "env": {"A": {"secure": "v1:y"}}}}),
        _file(secrets={"runs": {"token": "plain"}}),
        _file(
            agents={
                "runs": {
                    **AGENT,
                    "values": {"agent": {"resources": {"limits": {"cpu": None}}, "podDisruptionBudget": {"minAvailable": "50%"}}},
                }
            }
        ),
        _file(namespaces={"scalr": None}),
    ],
)
def test_the_schema_accepts_valid_stack_files(content: dict[str, Any]) -> None:
    _schema().validate(content)


@pytest.mark.parametrize(
    "content",
    [
        _file(agnets={}),
        _file(**{"secrets.runs.token": "x"}),
        _file(agents={"runs": {"kind": "agent-job"}}),
        _file(agents={"runs": {**AGENT, "kind": "agent-jobs"}}),
        _file(agents={"runs": {**AGENT, "values": {"agent": {"tokn": 1}}}}),
        _file(agents={"runs": {**AGENT, "values": {"task": {"allowMetadataService": "yes"}}}}),
        _file(kubernetes={"crds": "maybe"}),
        _file(kubernetes={"qps": 0}),
    ],
)
def test_the_schema_rejects_invalid_stack_files(content: dict[str, Any]) -> None:
    with pytest.raises(jsonschema.ValidationError):
        _schema().validate(content)


def test_every_key_is_described() -> None:
    definitions = schema.stack_file()["definitions"]
    described = [prop for definition in definitions.values() for prop in definition["properties"].values()]
    assert [prop for prop in described if not prop.get("description")] == []


def test_no_definition_is_named_after_a_module() -> None:
    """Else each module that moves renames definitions."""
    names = schema.stack_file()["definitions"].keys()
    assert [name for name in names if not name.isalnum()] == []
    assert {"AgentEntry", "AgentJobAgent", "AgentLocalAgent", "AgentK8sAgent", "SharedClaim"} <= names
