"""Agents of typical users as plain objects. Values that are known only to Pulumi or a cloud are plausible samples."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from scalr_agents import observability, stack
from scalr_agents.charts.shared.inputs import Inputs
from scalr_agents.model.findings import errors
from scalr_agents.model.manifests import Manifest
from scalr_agents.model.maps import Values, merge
from scalr_agents.model.release import Line
from scalr_agents.stack import source

from tests.helpers.validated import validate

URL = "https://example.scalr.io"
TOKEN = "an-agent-token"
REPOSITORY = Path(__file__).parents[2]
STACKS = [name for name in source.stacks(REPOSITORY / "stacks") if "agents" in source.read(REPOSITORY, name).config]
"""The sample stacks with agents on Kubernetes."""
PICTURED = "aws-dev"
"""The sample stack whose picture is in README.md."""

_CLOUD = {"volumeHandle": "fs-00000000::fsap-0", "ip": "10.1.2.3", "volume": "share", "fileProtocol": "NFS_V4_1", "storage": "1Ti"}


def release(line: Line, namespace: str, *, name: str = "runs", values: Values | None = None) -> list[Manifest]:
    """The objects of one agent of a line as a stack has them, with its definitions."""
    given = merge({"agent": {"url": URL, "token": TOKEN}}, values or {})
    agent = validate(line.chart, given, release=name, namespace=namespace, agent_version=line.default_version, inputs=Inputs(disk=True))
    assert errors(agent.findings) == []
    return agent.with_definitions()


def sample(name: str) -> stack.Stack:
    """A sample stack whose user has set all tokens."""
    read = source.read(REPOSITORY, name)
    return load(read.config, read.directory)


def load(config: Mapping[str, Any], directory: Path = REPOSITORY) -> stack.Stack:
    """A stack from its configuration. Its agents get tokens."""
    secrets = {agent: {"token": TOKEN} for agent in config["agents"]}
    loaded = stack.load({**config, "secrets": secrets}, directory=directory)
    assert errors(loaded.findings) == []
    return loaded


def objects(loaded: stack.Stack) -> list[Manifest]:
    """All objects of a stack in the order of `render`, as its cloud completes them."""
    return [_completed(manifest) for manifest in observability.complete(loaded)]


def _completed(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _completed(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_completed(item) for item in value]
    if isinstance(value, source.CloudValue):
        return _CLOUD[value.place.split(": ")[1].split()[0]]
    return value
