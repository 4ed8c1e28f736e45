"""Doctor on the control plane: a stack with one agent, its nodes, and other credentials."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from scalr_agents import stack
from scalr_agents.model.maps import merge
from scalr_agents.stack import source

from tests.cluster import agents, nodes
from tests.cluster.client import Client, Manifests, wait
from tests.cluster.control_plane import ControlPlane
from tests.helpers import samples
from tests.helpers.command_line import Done, cli

NODE = "node-of-doctor"
"""The node that the stack's agent selects, by its label `doctor`."""
TAINTED = "node-of-doctor-with-taint"


class Doctor:
    """Runs doctor on a stack with one agent in a namespace."""

    def __init__(self, control_plane: ControlPlane, project: Path) -> None:
        self.kubeconfig = control_plane.kubeconfig
        self.project = project

    def __call__(
        self,
        namespace: str,
        *options: str,
        agent: dict[str, Any] | None = None,
        config: dict[str, Any] | None = None,
        kubeconfig: Path | None = None,
    ) -> Done:
        """`agent` and `config` are changes of the agent and of the stack file."""
        self.write(namespace, agent or {}, config or {}, kubeconfig)
        return cli("doctor", "dev", *options, directory=self.project)

    def write(self, namespace: str, agent: dict[str, Any], config: dict[str, Any], kubeconfig: Path | None = None) -> None:
        """The file of the stack."""
        task = {"job": {"activeDeadlineSeconds": 60}, "nodeSelector": {"doctor": NODE}}
        values = {"agent": {"url": "https://acme.scalr.io"}, **({"task": task} if agent.get("kind", "agent-job") == "agent-job" else {})}
        given = {
            "kubernetes": {"kubeconfig": str(kubeconfig or self.kubeconfig), "context": "tests"},
            "namespaces": {namespace: {"create": False}},
            "agents": {"runs": merge({"kind": "agent-job", "namespace": namespace, "values": values}, agent)},
            "secrets": {"runs": {"token": {"secure": "v1:abc"}}},
        }
        content = {"config": {f"scalr-agents:{word}": item for word, item in merge(given, config).items()}}
        (self.project / "stacks" / "Pulumi.dev.yaml").write_text(json.dumps(content))

    def deploy(self, cluster: Client, namespace: str, agent: dict[str, Any] | None = None, **config: Any) -> Manifests:
        """Write the file of a stack with a current agent, and deploy its objects."""
        self.write(namespace, {"agentVersion": "1.4.0", **(agent or {})}, config)
        file = source.read(self.project, "dev")
        loaded = stack.load({**file.config, "secrets": {"runs": {"token": samples.TOKEN}}}, directory=file.directory)
        objects = samples.objects(loaded)
        agents.apply(cluster, objects)
        return objects


def lines(done: Done) -> list[str]:
    """The errors and warnings."""
    assert "Traceback" not in done.stdout + done.stderr, done.stderr
    return [line for line in done.stdout.splitlines() if not line.startswith("note: ")]


@contextmanager
def own_nodes(cluster: Client) -> Iterator[None]:
    """A node of a current version, and one that nothing tolerates."""
    made: dict[str, list[dict[str, str]]] = {NODE: [], TAINTED: [{"key": "team", "value": "payments", "effect": "NoSchedule"}]}
    for name, taints in made.items():
        nodes.add(cluster, name, {"doctor": name}, taints)
        wait(partial(nodes.is_ready, cluster, name), name)
        report(cluster, name, "v1.36.3", "containerd://2.1.4")
    yield
    for name in made:
        cluster.delete("Node", name)


def report(cluster: Client, node: str, kubelet: str, runtime: str) -> None:
    """The node's status as its kubelet reports it."""
    info = {"kubeletVersion": kubelet, "containerRuntimeVersion": runtime}
    cluster.patch_status("Node", node, None, {"nodeInfo": info})


def kubeconfig(control_plane: ControlPlane, directory: Path, token: str, **changes: str) -> Path:
    """A kubeconfig with another credential or an unreachable server."""
    config = json.loads(control_plane.kubeconfig.read_text())
    config["users"][0]["user"]["token"] = token
    config["clusters"][0]["cluster"] |= changes
    file = directory / "kubeconfig"
    file.write_text(json.dumps(config))
    return file
