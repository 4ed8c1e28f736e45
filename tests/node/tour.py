"""The checks of a run in its pod: identity, writable paths, content of the cache, connections."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from tests.cluster.client import Manifest
from tests.node.agents import AGENT_K8S_HOME, Agent, Run
from tests.node.world import OPEN_HOST, Step

DATA, CACHE = "/var/lib/scalr-agent/data", "/var/lib/scalr-agent/cache"
WORKER_WRITES = (f"{DATA}/by-worker", f"{CACHE}/by-worker", "/tmp/by-worker")
RUN_WRITES: Mapping[str, Sequence[str]] = {
    "agent-job": ("/opt/workdir/made/file", "/opt/data/made/file", "/opt/providers/made/file", "/tmp/made/file"),
    "agent-local": (f"{DATA}/made/file", f"{CACHE}/made/file", "/tmp/made/file"),
    "agent-k8s": (f"{AGENT_K8S_HOME}/made/file",),
}
"""Where a run can write."""
CACHED: Mapping[str, Mapping[str, str]] = {
    "legacy": {f"{CACHE}/bin/tool": "/opt/bin/tool", f"{CACHE}/providers/aws": "/opt/plugin-cache/aws"},
    "current": {f"{CACHE}/binaries/tool": "/opt/binary-cache/tool", f"{CACHE}/providers/aws": "/opt/plugin-cache/aws"},
}
"""What a worker of agent-job puts into the cache, and where its run finds it."""
LOOP = "/usr/bin/runner/exec-loop"
"""A file of the agent that comes as an image volume, on the current line."""

METADATA = (
    "169.254.169.254:80",  # AWS, Azure, GCP
    "169.254.169.252:80",  # GKE without Dataplane V2: where nodes redirect the one above to
    "169.254.42.42:80",  # Scaleway
    "168.63.129.16:80",  # Azure's WireServer
    "100.100.100.200:80",  # Alibaba Cloud
    "[fd00:ec2::254]:80",
    "[fd20:ce::254]:80",
)
NFS = ("10.20.0.30:2049", "10.20.0.30:111", "[2001:db8::1]:2049")
OTHERS = (
    "169.254.169.254:53",  # GKE's Cloud DNS
    "169.254.20.10:53",  # DNS of the node
    "169.254.170.23:80",  # EKS Pod Identity
    "10.20.0.30:443",
    "192.0.2.1:22",
    "192.0.2.1:8080",
    "[2001:db8::1]:443",
)


class Tour(NamedTuple):
    """A finished tour."""

    run: Run
    pod: Manifest
    """The run's pod."""
    results: Mapping[str, Any]

    @property
    def agent(self) -> Agent:
        return self.run.agent


def tour(agent: Agent) -> Tour:
    run = agent.run(*steps(agent))
    pod = run.pod()
    results = run.results()
    return Tour(run, agent.cluster.current(pod), results)


def connect(opened: Sequence[str] = (), refused: Sequence[str] = (), place: str = "") -> list[Step]:
    """Connect to addresses. No response within three seconds counts as refused; the timeout is longer where a response is required."""
    waits = ((opened, 20), (refused, 3))
    return [{"in": place, "do": "connect", "to": [*addresses], "seconds": seconds} for addresses, seconds in waits if addresses]


def steps(agent: Agent) -> list[Step]:
    chart = agent.line.chart
    opened, refused = ([*OTHERS], [*METADATA, *NFS]) if chart == "agent-job" else ([*OTHERS, *NFS], [*METADATA])
    everywhere: list[Step] = [
        {"do": "identity"},
        {"do": "write", "paths": [*RUN_WRITES[chart]]},
        *connect(opened, refused),
        {"do": "fetch", "to": [f"https://{OPEN_HOST}"], "seconds": 10},
    ]
    if chart != "agent-job":
        return everywhere
    made = CACHED[agent.line.generation]
    loop = [LOOP] if agent.line.generation == "current" else []
    return [
        {"in": "worker", "do": "write", "paths": [*made, *WORKER_WRITES]},
        *everywhere,
        {"do": "read", "paths": [*made.values()]},
        {"do": "remove", "paths": [*made.values(), *loop]},
    ]
