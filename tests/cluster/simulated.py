"""A cluster with simulated nodes: a control plane on loopback, and kwok."""

import json
from pathlib import Path

from tests.cluster import nodes
from tests.cluster.client import Client
from tests.cluster.control_plane import ControlPlane, free_ports

NODES = {"node-a": "a", "node-b": "b", "node-c": "c"}
"""Nodes by name, with their label `pool`."""

LOGS = "simulated\n"
"""The log of every container."""

_STAGES = Path(__file__).with_name("stages.yaml")


class SimulatedCluster(ControlPlane):
    """A control plane with simulated nodes."""

    def start(self) -> None:
        super().start()
        [kubelet] = free_ports(1)
        self.run(
            "kwok",
            f"--kubeconfig={self.kubeconfig}",
            f"--config={_STAGES}",
            f"--config={self._write_logs()}",
            "--manage-all-nodes",
            "--node-lease-duration-seconds=40",
            "--node-ip=127.0.0.1",
            f"--node-port={kubelet}",
            f"--server-address=127.0.0.1:{kubelet}",
            f"--tls-cert-file={self.authority}",
            f"--tls-private-key-file={self.key}",
        )
        with self.client() as client:
            for name, pool in NODES.items():
                nodes.add(client, name, {"pool": pool})
            self.wait_for(client)

    def is_working(self, client: Client) -> bool:
        return super().is_working(client) and all(nodes.is_ready(client, name) for name in NODES)

    def _write_logs(self) -> Path:
        """The log of every container, as configuration of kwok."""
        (self.directory / "container.log").write_text(f"2026-01-01T00:00:00Z stdout F {LOGS}")
        config = self.directory / "logs.yaml"
        logs = {"logs": [{"logsFile": str(self.directory / "container.log")}]}
        config.write_text(
            json.dumps({"apiVersion": "kwok.x-k8s.io/v1alpha1", "kind": "ClusterLogs", "metadata": {"name": "all"}, "spec": logs})
        )
        return config
