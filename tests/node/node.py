"""A cluster with one node that really runs pods: kubelet, kube-proxy, containerd, and an engine that enforces NetworkPolicies."""

import json
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from tests.cluster import nodes
from tests.cluster.client import Client
from tests.cluster.control_plane import ControlPlane, Site
from tests.node import network
from tests.node.machine import Machine
from tests.node.world import NAMES_IMAGE, PAUSE_IMAGE, World
from tests.tools import binary

grpc = import_module("grpc")  # it has no annotations

NAME = "node"
_USER = f"system:node:{NAME}"
_PORTS = (2379, 2380)
_NAMES = {"name": "names", "namespace": "kube-system"}
_CONTAINERD = "/run/containerd/containerd.sock"
_VERSION = "/runtime.v1.RuntimeService/Version"
"""A method of the CRI, the protocol between kubelet and containerd."""
_ANSWER_SECONDS = 5
_CONTAINERD_CONFIG = """
version = 3
root = "/var/lib/containerd"
state = "/run/containerd"

[plugins."io.containerd.cri.v1.images"]
  pinned_images = {{sandbox = "{pause}"}}
  registry.config_path = "{registries}"

[plugins."io.containerd.cri.v1.runtime"]
  disable_apparmor = true
  restrict_oom_score_adj = true  # lowering a score takes a capability that containers of CI systems lack
  cni.bin_dirs = ["{plugins}"]
  cni.conf_dir = "{networks}"
  cni.use_internal_loopback = true

[plugins."io.containerd.cri.v1.runtime".containerd.runtimes.runc]
  runtime_type = "io.containerd.runc.v2"
  runtime_path = "{shim}"
"""


class NodeCluster(ControlPlane):
    """A cluster in a machine of its own."""

    def __init__(self, directory: Path, machine: Machine, world: World) -> None:
        self.machine = machine
        site = Site(
            url=f"https://localhost:{world.api_port}",
            own_url=f"https://{network.WORLD}:{network.API_PORT}",
            port=network.API_PORT,
            etcd_ports=_PORTS,
            api_server=(
                f"--advertise-address={network.WORLD}",
                "--authorization-mode=Node,RBAC",
                f"--service-cluster-ip-range={','.join(network.SERVICES)}",
            ),
            within=machine.within("world"),
        )
        super().__init__(directory, site)

    def users(self) -> dict[str, str]:
        return {_USER: "system:nodes"}

    def start(self) -> None:
        super().start()
        self._run_in_node("containerd", "--config", str(self._write("containerd.toml", self._containerd())), until=self._runs_containers)
        self.start_policies()
        self._run_in_node(
            "kube-proxy",
            f"--config={self._write('proxy.json', self._proxy())}",
            f"--hostname-override={NAME}",
        )
        self._run_in_node(
            "kubelet",
            f"--config={self._write('kubelet.json', _kubelet(self.machine, self._write('resolv.conf', f'nameserver {network.NAMES}')))}",
            f"--kubeconfig={self.write_kubeconfig(_USER)}",
            f"--hostname-override={NAME}",
            f"--node-ip={network.NODE}",
            "--root-dir=/var/lib/kubelet",
        )
        with self.client() as client:
            self.wait_for(client)
            _start_names(client)

    def is_working(self, client: Client) -> bool:
        return super().is_working(client) and bool(client.find("Node", NAME)) and nodes.is_ready(client, NAME)

    def start_policies(self) -> None:
        """Start the policy engine. Pods cannot connect before it runs."""
        self._run_in_node(
            "kube-network-policies",
            f"--kubeconfig={self.directory / 'admin.kubeconfig'}",
            f"--hostname-override={NAME}",
            *network.policy_arguments(),
            until=self._decides_on_packets,
        )

    def kill(self, pod: Mapping[str, Any], container: str) -> None:
        """End the first process of a running container at once, as the kernel does when it needs memory."""
        [running] = [each["containerID"] for each in pod["status"]["containerStatuses"] if each["name"] == container]
        process = f"/run/containerd/io.containerd.runtime.v2.task/k8s.io/{running.removeprefix('containerd://')}/init.pid"
        self.machine.run("sh", "-c", f"kill -KILL $(cat {process})")

    def _run_in_node(self, name: str, *arguments: str, until: Callable[[], object] | None = None) -> None:
        self.processes.run(name, *arguments, within=self.machine.within("node"), until=until)

    def _runs_containers(self) -> bool:
        """Whether containerd answers the first request of a kubelet, which exits without a response."""
        with grpc.insecure_channel(f"unix:{self.machine.path(_CONTAINERD)}") as channel:
            try:
                return bool(channel.unary_unary(_VERSION)(b"", timeout=_ANSWER_SECONDS))
            except grpc.RpcError:
                return False

    def _decides_on_packets(self) -> bool:
        """Whether a process reads the packets that the network's rules queue."""
        queues = self.machine.run("cat", "/proc/net/netfilter/nfnetlink_queue", network="node")
        return any(line.split()[0] == str(network.QUEUE) for line in queues.splitlines())

    def _containerd(self) -> str:
        registries, networks, plugins = (self.directory / name for name in ("registries", "networks", "plugins"))
        self._write("registries/_default/hosts.toml", f'server = "http://{network.REGISTRY}:5000"\n')
        self._write("networks/pods.conflist", json.dumps(_pod_network()))
        plugins.mkdir()
        for name in ("ptp", "host-local"):
            (plugins / name).symlink_to(binary(name))
        shim = binary("containerd-shim-runc-v2")
        return _CONTAINERD_CONFIG.format(pause=PAUSE_IMAGE, registries=registries, plugins=plugins, networks=networks, shim=shim)

    def _proxy(self) -> str:
        return json.dumps(
            {
                "apiVersion": "kubeproxy.config.k8s.io/v1alpha1",
                "kind": "KubeProxyConfiguration",
                "mode": "iptables",
                "clientConnection": {"kubeconfig": str(self.directory / "admin.kubeconfig")},
                "clusterCIDR": ",".join(network.PODS),
                "conntrack": {"maxPerCore": 0, "min": 0},  # the limit is the kernel's, not the namespace's
                "nodePortAddresses": ["primary"],
            }
        )

    def _write(self, name: str, content: str) -> Path:
        path = self.directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
        return path


def _kubelet(machine: Machine, resolv_conf: Path) -> str:
    return json.dumps(
        {
            "apiVersion": "kubelet.config.k8s.io/v1beta1",
            "kind": "KubeletConfiguration",
            "address": network.NODE,
            "authentication": {"anonymous": {"enabled": True}, "webhook": {"enabled": False}},
            "authorization": {"mode": "AlwaysAllow"},
            "cgroupDriver": "cgroupfs",
            "cgroupRoot": f"/{machine.cgroup}",
            "clusterDNS": [network.NAMES_SERVICE],
            "clusterDomain": "cluster.local",
            "containerRuntimeEndpoint": f"unix://{_CONTAINERD}",
            "evictionHard": {"memory.available": "1Mi", "nodefs.available": "1%", "imagefs.available": "1%", "nodefs.inodesFree": "1%"},
            "failCgroupV1": False,
            "failSwapOn": False,
            "makeIPTablesUtilChains": False,
            "resolvConf": str(resolv_conf),
            "registerNode": True,
            "volumeStatsAggPeriod": "2s",
            "volumePluginDir": "/var/lib/kubelet/plugins",
        }
    )


def _pod_network() -> dict[str, Any]:
    """Each pod has a wire of its own to the node, which forwards: the node's rules apply to all packets between pods."""
    ranges = [[{"subnet": pods}] for pods in network.PODS]
    routes = [{"dst": "0.0.0.0/0"}, {"dst": "::/0"}]
    plugin = {"type": "ptp", "ipam": {"type": "host-local", "ranges": ranges, "routes": routes, "dataDir": "/run/addresses"}}
    return {"cniVersion": "1.0.0", "name": "pods", "plugins": [plugin]}


def _start_names(client: Client) -> None:
    """The cluster's own name server, a pod like that of any cluster."""
    labels = {"k8s-app": "kube-dns"}
    ports = [{"name": protocol.lower(), "port": 53, "protocol": protocol} for protocol in ("UDP", "TCP")]
    service = {"clusterIP": network.NAMES_SERVICE, "selector": labels, "ports": ports}
    container = {"name": "names", "image": NAMES_IMAGE}
    client.create({"apiVersion": "v1", "kind": "Service", "metadata": _NAMES, "spec": service})
    metadata = {**_NAMES, "labels": labels}
    client.create({"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {"containers": [container], "dnsPolicy": "Default"}})
