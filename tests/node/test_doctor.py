"""`scalr-agents doctor --probe`, in pods that are like those of runs: what it finds where something is wrong, and that it finds no more."""

import json
from collections.abc import Mapping
from typing import Any

import pytest
import yaml
from scalr_agents import stack
from scalr_agents.model.maps import merge

from tests.cluster.agents import apply
from tests.cluster.client import Client, Manifest
from tests.helpers import samples
from tests.helpers.command_line import process
from tests.node.agents import AGENTS, at_once
from tests.node.node import NodeCluster
from tests.node.world import PROBE_IMAGE, PROXY_HOST, SCALR, World

CASES: Mapping[str, Mapping[str, Any]] = {
    "well": {},
    "proxy": {"common": {"proxy": {"https": f"http://{PROXY_HOST}:3129"}}},
    "authority": {"common": {"ca": {"file": "corporate.pem"}}},
    "cache": {"caches": {"cache": {"claim": "cache"}}, "agents": {"runs": {"cache": "cache"}}},
    "metadata": {},
}
"""What each stack file has that is wrong. In the last case it is the policy that is in the cluster."""
OPEN = "168.63.129.16"

Problems = Mapping[str, set[str]]


@pytest.fixture(scope="module")
def problems(node: NodeCluster, cluster: Client, world: World, tmp_path_factory: pytest.TempPathFactory) -> Problems:
    """The errors that doctor finds, by case. It runs for all of them at the same time."""
    directory = tmp_path_factory.mktemp("doctor")
    (directory / "corporate.pem").write_text(world.authorities()["corporate"])
    (directory / "Pulumi.yaml").write_text("name: scalr-agents\nruntime: python\n")

    def diagnose(name: str) -> set[str]:
        namespace = f"doctor-{name}"
        config = merge(
            {
                "kubernetes": {"kubeconfig": str(node.kubeconfig), "context": "tests"},
                "namespaces": {namespace: {}},
                "common": {"url": f"https://{SCALR}"},
                "agents": {"runs": {"kind": "agent-job", "namespace": namespace, "values": AGENTS["agent-job"]}},
                "secrets": {"runs": {"token": "a-token"}},
            },
            CASES[name],
        )
        objects = samples.objects(stack.load(config, directory=directory))
        apply(cluster, [_opened(each) if name == "metadata" else each for each in objects])
        if name == "cache":
            _claim(cluster, namespace)
        content = {f"scalr-agents:{word}": item for word, item in {**config, "secrets": {"runs": {"token": {"secure": "v1:abc"}}}}.items()}
        (directory / f"Pulumi.{name}.yaml").write_text(yaml.safe_dump({"config": content}))
        done = process("doctor", name, "--probe", "--image", PROBE_IMAGE, "-o", "json", directory=directory)
        assert done.stdout, done.stderr
        found = json.loads(done.stdout)["findings"]
        return {each["problem"] for each in found if each["severity"] == "error"}

    return dict(zip(CASES, at_once(diagnose, CASES), strict=True))


def _opened(manifest: Manifest) -> Manifest:
    """A policy that leaves one metadata service open, which takes the probe less time than all of them."""
    if manifest["kind"] != "NetworkPolicy":
        return manifest
    opened: Manifest = json.loads(json.dumps(manifest))
    for block in (to["ipBlock"] for rule in opened["spec"]["egress"] for to in rule["to"] if "ipBlock" in to):
        block["except"] = [each for each in block.get("except", ()) if each != f"{OPEN}/32"]
    return opened


def _claim(cluster: Client, namespace: str) -> None:
    """A claim on a directory of the node, which belongs to root."""
    spec = {"accessModes": ["ReadWriteMany"], "storageClassName": "", "volumeName": namespace}
    claim = {**spec, "resources": {"requests": {"storage": "1Gi"}}}
    volume = {
        "accessModes": ["ReadWriteMany"],
        "capacity": {"storage": "1Gi"},
        "hostPath": {"path": "/mnt/cache-of-root", "type": "DirectoryOrCreate"},
    }
    cluster.create({"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": namespace}, "spec": volume})
    metadata = {"name": "cache", "namespace": namespace}
    cluster.create({"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": metadata, "spec": claim})


FOUND: Problems = {
    "well": set(),
    "proxy": {f"TLS to https://{SCALR}: the connection is refused"},
    "authority": {f"TLS to https://{SCALR}: the certificate is not trusted"},
    "cache": {"cannot write to /var/lib/scalr-agent/cache: user 1000, groups 1000; directory mode 755 of 0:0"},
    "metadata": {f"metadata service {OPEN}: answers, so that runs get the credentials of their node"},
}


@pytest.mark.parametrize("name", CASES)
def test_what_is_wrong_is_found_and_nothing_else(name: str, problems: Problems) -> None:
    assert problems[name] == FOUND[name]
