"""A Kubernetes control plane of one's own: etcd, API server, controllers, scheduler, and nodes that only say that they run pods.

It listens on loopback, keeps everything in one directory, and ends with the process that started it. Authentication and authorization are
real: RBAC, tokens of service accounts, and one token of an administrator.
"""

import json
import os
import secrets
import shutil
import socket
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import Self

from tests.cluster import nodes
from tests.cluster.client import Client, Figures, wait
from tests.tools import binary

NODES = {"node-a": "a", "node-b": "b", "node-c": "c"}
"""Nodes by name, with their label `pool`."""

LOGS = "simulated\n"
"""The log of every container."""

_LAUNCHER = Path(__file__).with_name("launcher.py")
_STAGES = Path(__file__).with_name("stages.yaml")
_READY_SECONDS = 90
_LAST_LINES = 20


class ControlPlane:
    """A running control plane. Start it from a thread that lives as long: Linux ends the programs with the thread that started them."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.admin_token = secrets.token_hex(16)
        self.kubeconfig = directory / "kubeconfig"
        self.authority = directory / "certificates" / "apiserver.crt"
        """The certificate that the API server is verified with."""
        self._key = self.authority.with_suffix(".key")
        self._data = directory / "etcd"
        etcd, peers, self._port, self._kubelet = _free_ports(4)
        self._etcd = f"http://127.0.0.1:{etcd}"
        self._peers = f"http://127.0.0.1:{peers}"
        self.url = f"https://127.0.0.1:{self._port}"
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        try:
            self._start()
        except BaseException:
            self.stop()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.stop()

    def client(self, figures: Figures | None = None) -> Client:
        """A client of the administrator."""
        return Client(self.url, self.admin_token, self.authority, figures)

    def pids(self) -> list[int]:
        """The processes of the control plane."""
        return [process.pid for process in self._processes.values()]

    def _start(self) -> None:
        self._write_files()
        self._run("etcd", f"--data-dir={self._data}", *self._etcd_addresses(), "--unsafe-no-fsync", "--log-level=warn")
        self.start_api_server()
        self._run(
            "kube-controller-manager",
            f"--kubeconfig={self.kubeconfig}",
            f"--service-account-private-key-file={self._key}",
            f"--root-ca-file={self.authority}",
            "--use-service-account-credentials",
            "--controllers=*,-nodeipam",
            "--leader-elect=false",
            "--secure-port=0",
        )
        self._run("kube-scheduler", f"--kubeconfig={self.kubeconfig}", "--leader-elect=false", "--secure-port=0")
        self._run(
            "kwok",
            f"--kubeconfig={self.kubeconfig}",
            f"--config={_STAGES}",
            f"--config={self._write_logs()}",
            "--manage-all-nodes",
            "--node-lease-duration-seconds=40",
            "--node-ip=127.0.0.1",
            f"--node-port={self._kubelet}",
            f"--server-address=127.0.0.1:{self._kubelet}",
            f"--tls-cert-file={self.authority}",
            f"--tls-private-key-file={self._key}",
        )
        with self.client() as client:
            for name, pool in NODES.items():
                nodes.add(client, name, {"pool": pool})
            wait(lambda: self._is_working(client), _READY_SECONDS, "the control plane")

    def _write_files(self) -> None:
        self.directory.mkdir(parents=True, exist_ok=True)
        (self.directory / "tokens.csv").write_text(f"{self.admin_token},admin,admin,system:masters\n")
        cluster = {"server": self.url, "certificate-authority": str(self.authority)}
        config = {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": "tests", "cluster": cluster}],
            "users": [{"name": "admin", "user": {"token": self.admin_token}}],
            "contexts": [{"name": "tests", "context": {"cluster": "tests", "user": "admin"}}],
            "current-context": "tests",
        }
        self.kubeconfig.write_text(json.dumps(config))

    def _write_logs(self) -> Path:
        """What every container is said to have written, as configuration of kwok."""
        (self.directory / "container.log").write_text(f"2026-01-01T00:00:00Z stdout F {LOGS}")
        config = self.directory / "logs.yaml"
        logs = {"logs": [{"logsFile": str(self.directory / "container.log")}]}
        config.write_text(
            json.dumps({"apiVersion": "kwok.x-k8s.io/v1alpha1", "kind": "ClusterLogs", "metadata": {"name": "all"}, "spec": logs})
        )
        return config

    def _etcd_addresses(self) -> list[str]:
        return [
            f"--listen-client-urls={self._etcd}",
            f"--advertise-client-urls={self._etcd}",
            f"--listen-peer-urls={self._peers}",
            f"--initial-advertise-peer-urls={self._peers}",
            f"--initial-cluster=default={self._peers}",
        ]

    def start_api_server(self) -> None:
        """Start the API server, at the same address and with the same data as ever, and wait until it is ready."""
        self._run(
            "kube-apiserver",
            f"--etcd-servers={self._etcd}",
            "--bind-address=127.0.0.1",
            "--advertise-address=127.0.0.1",
            f"--secure-port={self._port}",
            f"--cert-dir={self.authority.parent}",
            f"--token-auth-file={self.directory / 'tokens.csv'}",
            "--authorization-mode=RBAC",
            "--service-account-issuer=https://kubernetes.default.svc",
            f"--service-account-key-file={self._key}",  # the key of its own certificate, which it makes itself
            f"--service-account-signing-key-file={self._key}",
            "--service-cluster-ip-range=10.0.0.0/24",
            "--endpoint-reconciler-type=none",  # nothing in this cluster connects to the Service "kubernetes"
            "--kubelet-preferred-address-types=InternalIP",
            "--allow-privileged=true",
        )
        wait(self._is_serving, _READY_SECONDS, "the API server")

    def kill_api_server(self) -> None:
        """End the API server at once, in the middle of whatever it does."""
        _kill(self._processes.pop("kube-apiserver"))

    def stop(self) -> None:
        """End everything at once. Nobody wants the data any more; the logs stay."""
        while self._processes:
            _kill(self._processes.popitem()[1])
        shutil.rmtree(self._data, ignore_errors=True)

    def _run(self, name: str, *arguments: str) -> None:
        command = [sys.executable, "-I", "-S", str(_LAUNCHER), str(os.getpid()), str(binary(name)), *arguments]
        with self._log(name).open("ab") as log:
            # A session of its own: an interrupt at the terminal is for the tests, which then stop everything.
            self._processes[name] = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)

    def _log(self, name: str) -> Path:
        return self.directory / f"{name}.log"

    def _is_serving(self) -> bool:
        self._demand_alive()
        if not self._key.exists():
            return False
        with self.client() as client:
            return client.is_ready()

    def _is_working(self, client: Client) -> bool:
        """Whether the controllers have made what every cluster has, and the nodes are there."""
        self._demand_alive()
        found = client.find("ServiceAccount", "default", "default") and client.find("ConfigMap", "kube-root-ca.crt", "default")
        return bool(found) and all(nodes.is_ready(client, name) for name in NODES)

    def _demand_alive(self) -> None:
        for name, process in self._processes.items():
            if process.poll() is not None:
                last = "\n".join(self._log(name).read_text(errors="replace").splitlines()[-_LAST_LINES:])
                raise RuntimeError(f"{name} ended with {process.returncode}:\n{last}")


def _kill(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()


def _free_ports(number: int) -> list[int]:
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(number)]
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports
