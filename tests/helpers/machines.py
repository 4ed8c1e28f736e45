"""Machines as stack files describe them."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from scalr_agents import stack
from scalr_agents.model.maps import merge
from scalr_agents.stack.machines import StackMachine

STACKS = Path(__file__).parents[2] / "stacks"

EC2: dict[str, Any] = {"subnets": ["subnet-0a", "subnet-0b"], "instanceType": "t3.large"}
GCE: dict[str, Any] = {"region": "europe-west1", "subnetwork": "agents", "machineType": "e2-standard-2"}
PROXY = {
    "http": "http://proxy.acme:3128",
    "https": "http://proxy.acme:3128",
    "except": [".acme.internal", ".amazonaws.com", ".googleapis.com"],
}
URL = "https://acme.scalr.io"
CA = "certs/corp.pem"
APT = {"apt": "https://packages.acme/scalr jammy main", "key": "https://packages.acme/key", "version": "0.50.0"}
YUM = {"yum": "https://packages.acme/el9", "key": "https://packages.acme/key"}

EVERYTHING = {
    "proxy": PROXY,
    "ca": {"file": CA},
    "otel": {"endpoint": "http://otel.acme:4317", "traces": True},
    "imageRegistry": "mirror.acme",
}
CASES: Mapping[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "aws-plain": ({"ec2": EC2}, {}),
    "aws-everything": (
        {
            "ec2": {**EC2, "logRetentionDays": 30},
            "concurrency": 2,
            "memoryPerRun": "1Gi",
            "env": {"SCALR_AGENT_LOG_FORMAT": "json", "TF_LOG": 'a "b" 100% $c \\d'},
            "root": True,
            "taskImage": "mirror.acme/runner:7",
            "drainSeconds": 600,
        },
        EVERYTHING,
    ),
    "aws-vcs": ({"ec2": EC2, "role": "vcs"}, EVERYTHING),
    "gcp-plain": ({"gce": GCE}, {}),
    "gcp-metadata": ({"gce": GCE, "allowMetadataService": True, "caScope": "tasks"}, EVERYTHING),
    "own-plain": ({"docker": {}}, {}),
    "own-old-names": ({"docker": {}, "agentVersion": "0.52.0", "taskImage": "mirror.acme/terraform:1.5.7"}, EVERYTHING),
    "own-latest": ({"docker": {}, "image": "scalr/agent:latest"}, {}),
    "package-apt": ({"docker": {}, "runtime": "package", "package": APT, "agentVersion": "0.50.0", "root": True}, EVERYTHING),
    "package-yum": ({"ec2": EC2, "runtime": "package", "package": YUM}, {}),
}
"""The machine, and the settings of `common` for it."""


def load(entry: Mapping[str, Any], common: Mapping[str, Any] | None = None, **words: Any) -> stack.Stack:
    """A stack with one machine, `it`, and a token."""
    content = {"common": {"url": URL, **(common or {})}, "machines": {"it": entry}, "secrets": {"it": {"token": "a-token"}}}
    if "docker" in entry:
        content.pop("secrets")
    return stack.load(merge(content, words), directory=STACKS)


def machine(name: str) -> StackMachine:
    """The machine of a case."""
    entry, common = CASES[name]
    loaded = load(entry, {"agentVersion": "1.4.0", **common})
    assert [str(finding) for finding in loaded.findings if finding.severity == "error"] == []
    return loaded.machines[0]
