"""A private Kubernetes control plane: etcd, API server, controllers and scheduler.

It keeps everything in one directory, and ends with the process that started it. Authentication and authorization are real: RBAC, tokens of
service accounts, and one token of an administrator.
"""

import json
import secrets
import shutil
import socket
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.cluster.client import Client
from tests.cluster.processes import Processes, Running, accepts


@dataclass(frozen=True)
class Site:
    """Where a control plane runs, and the settings of its API server that depend on this."""

    url: str
    """The API, for the tests."""
    own_url: str
    """The API, for the programs of the cluster."""
    port: int
    etcd_ports: Sequence[int]
    api_server: Sequence[str]
    """Arguments of the API server."""
    within: Sequence[str] = ()
    """A command that runs others in namespaces of their own."""


class ControlPlane(Running):
    """A running control plane without any node."""

    def __init__(self, directory: Path, site: Site | None = None) -> None:
        self.directory = directory
        self.site = site or _loopback()
        self.url = self.site.url
        self.kubeconfig = directory / "kubeconfig"
        self.authority = directory / "certificates" / "apiserver.crt"
        """The certificate that the API server is verified with."""
        self.key = self.authority.with_suffix(".key")
        self.tokens = {"admin": secrets.token_hex(16)} | {user: secrets.token_hex(16) for user in self.users()}
        self.processes = Processes(directory)
        self._data = directory / "etcd"
        self._etcd, self._peers = (f"http://127.0.0.1:{port}" for port in self.site.etcd_ports)
        try:
            self.start()
        except BaseException:
            self.stop()
            raise

    def users(self) -> dict[str, str]:
        """Groups of users beside the administrator."""
        return {}

    def client(self) -> Client:
        """A client of the administrator."""
        return Client(self.url, self.tokens["admin"], self.authority)

    def pids(self) -> list[int]:
        """The processes of the cluster."""
        return self.processes.pids()

    def start(self) -> None:
        """Start everything, and wait until it works."""
        self._write_files()
        etcd = [f"--data-dir={self._data}", *self._etcd_addresses(), "--unsafe-no-fsync", "--log-level=warn"]
        self.run("etcd", *etcd, until=lambda: accepts(self.site.etcd_ports[0], self.site.within))
        self.start_api_server()
        config = self.write_kubeconfig("admin")
        self.run(
            "kube-controller-manager",
            f"--kubeconfig={config}",
            f"--service-account-private-key-file={self.key}",
            f"--root-ca-file={self.authority}",
            "--use-service-account-credentials",
            "--controllers=*,-nodeipam",
            "--horizontal-pod-autoscaler-sync-period=1s",
            "--horizontal-pod-autoscaler-cpu-initialization-period=0s",
            "--horizontal-pod-autoscaler-initial-readiness-delay=0s",
            "--leader-elect=false",
            "--secure-port=0",
        )
        self.run("kube-scheduler", f"--kubeconfig={config}", "--leader-elect=false", "--secure-port=0")

    def wait_for(self, client: Client) -> None:
        """Wait until the cluster works."""
        self.processes.wait(lambda: self.is_working(client), "the control plane")

    def is_working(self, client: Client) -> bool:
        """Whether the controllers have made what every cluster has."""
        return bool(client.find("ServiceAccount", "default", "default") and client.find("ConfigMap", "kube-root-ca.crt", "default"))

    def start_api_server(self) -> None:
        """Start the API server, at the same address and with the same data as before, and wait until it is ready."""
        self.run(
            "kube-apiserver",
            f"--etcd-servers={self._etcd}",
            f"--secure-port={self.site.port}",
            f"--cert-dir={self.authority.parent}",
            f"--token-auth-file={self.directory / 'tokens.csv'}",
            "--service-account-issuer=https://kubernetes.default.svc",
            f"--service-account-key-file={self.key}",  # the key of its own certificate, which it makes itself
            f"--service-account-signing-key-file={self.key}",
            "--kubelet-preferred-address-types=InternalIP",
            "--allow-privileged=true",
            *self.site.api_server,
            until=self._is_serving,
        )

    def kill_api_server(self) -> None:
        """Kill the API server."""
        self.processes.kill("kube-apiserver")

    def stop(self) -> None:
        """Kill all processes. The data is not needed any more; the logs stay."""
        self.processes.stop()
        shutil.rmtree(self._data, ignore_errors=True)

    def run(self, name: str, *arguments: str, until: Callable[[], object] | None = None) -> None:
        """Start a program beside the others, and wait until it answers."""
        self.processes.run(name, *arguments, within=self.site.within, until=until)

    def write_kubeconfig(self, user: str) -> Path:
        """The kubeconfig of a program of the cluster."""
        path = self.directory / f"{user}.kubeconfig"
        path.write_text(self._kubeconfig(user, self.site.own_url))
        return path

    def _kubeconfig(self, user: str, url: str) -> str:
        cluster = {"server": url, "certificate-authority": str(self.authority)}
        return json.dumps(
            {
                "apiVersion": "v1",
                "kind": "Config",
                "clusters": [{"name": "tests", "cluster": cluster}],
                "users": [{"name": user, "user": {"token": self.tokens[user]}}],
                "contexts": [{"name": "tests", "context": {"cluster": "tests", "user": user}}],
                "current-context": "tests",
            }
        )

    def _write_files(self) -> None:
        self.directory.mkdir(parents=True, exist_ok=True)
        groups = {"admin": "system:masters"} | self.users()
        lines = [f"{token},{user},{user},{groups[user]}\n" for user, token in self.tokens.items()]
        (self.directory / "tokens.csv").write_text("".join(lines))
        self.kubeconfig.write_text(self._kubeconfig("admin", self.url))

    def _etcd_addresses(self) -> list[str]:
        return [
            f"--listen-client-urls={self._etcd}",
            f"--advertise-client-urls={self._etcd}",
            f"--listen-peer-urls={self._peers}",
            f"--initial-advertise-peer-urls={self._peers}",
            f"--initial-cluster=default={self._peers}",
        ]

    def _is_serving(self) -> bool:
        if not self.key.exists():
            return False
        with self.client() as client:
            return client.is_ready()


def _loopback() -> Site:
    """This machine, at ports that are free."""
    etcd, peers, port = free_ports(3)
    url = f"https://127.0.0.1:{port}"
    return Site(
        url=url,
        own_url=url,
        port=port,
        etcd_ports=(etcd, peers),
        api_server=(
            "--bind-address=127.0.0.1",
            "--advertise-address=127.0.0.1",
            "--authorization-mode=RBAC",
            "--service-cluster-ip-range=10.0.0.0/24",
            "--endpoint-reconciler-type=none",  # nothing in this cluster connects to the Service "kubernetes"
        ),
    )


def free_ports(number: int) -> list[int]:
    """Unused ports of loopback."""
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(number)]
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports
