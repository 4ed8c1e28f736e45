"""What is outside of the cluster: Scalr, other web servers, a registry, a proxy and a name server, all of them stand-ins."""

import json
import re
import shutil
import socket
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import httpx
from scalr_agents.model.release import Line

from tests.cluster.processes import Processes
from tests.helpers.validated import LINES
from tests.node import network
from tests.node.machine import Machine
from tests.tools import binary

SCALR = "example.scalr.io"
OPEN_HOST = "registry.opentofu.org"
"""Any other web server."""
PROXY_HOST = "proxy.acme.internal"
PROXY_USER = "agents"
PROXY_PASSWORD = "pass-of-proxy"
PAUSE_IMAGE = "registry.k8s.io/pause:tests"
NAMES_IMAGE = "tests/names:tests"
PROBE_IMAGE = "tests/probe:tests"
"""An image with the shell and the tools of this machine."""

_RUNNER = {"legacy": "scalr/agent-runner", "current": "scalr/runner"}
_AGENT = ["python", "-m", "tacoagent.cmd"]

Event = Mapping[str, Any]
Step = Mapping[str, Any]


class World:
    """The stand-ins, in the machine's own network; the tests reach them, and the API server, by ports of loopback."""

    def __init__(self, machine: Machine, directory: Path) -> None:
        self.processes = Processes(directory)
        orders, api = (socket.create_server(("127.0.0.1", 0)) for _ in range(2))
        self.api_port: int = api.getsockname()[1]
        """The port of loopback that leads to the API server."""
        configuration = directory / "world.json"
        configuration.write_text(json.dumps(_configuration()))
        inherited = (orders.fileno(), api.fileno())
        self._http = httpx.Client(base_url=f"http://127.0.0.1:{orders.getsockname()[1]}", trust_env=False)
        arguments = [str(configuration), *map(str, inherited)]
        with orders, api:
            self.processes.run("stub-world", *arguments, within=machine.within("world"), pass_fds=inherited, until=self._is_there)

    def admit(self, token: str) -> None:
        """Make a pool of agents that have this token."""
        self._ask("PUT", f"/tokens/{token}")

    def queue(self, token: str, run: str, steps: Sequence[Step]) -> None:
        """Queue a run for an agent with this token."""
        self._ask("POST", f"/tasks/{token}", {"run": run, "stage": "plan", "steps": [dict(step) for step in steps]})

    def events(self, token: str, **fields: Any) -> list[Event]:
        """Events that agents with a token have sent to Scalr, in order; only those with these fields."""
        events: list[Event] = self._ask("GET", f"/events/{token}") or []  # Go has null for an empty list
        return [event for event in events if fields.items() <= event.items()]

    def connections(self) -> list[tuple[str, str]]:
        """Connections: source addresses, and destinations as addresses with ports or host names."""
        return [(each["from"], each["to"]) for each in self._ask("GET", "/connections")]

    def authorities(self) -> Mapping[str, str]:
        """Certificates: `public` is what images trust, `corporate` what the proxy signs with."""
        found: Mapping[str, str] = self._ask("GET", "/authorities")
        return found

    def _is_there(self) -> bool:
        try:
            return bool(self.authorities())
        except httpx.TransportError:
            return False

    def _ask(self, method: str, path: str, content: Any = None) -> Any:
        response = self._http.request(method, path, json=content)
        response.raise_for_status()
        return response.json() if response.content else None

    def stop(self) -> None:
        self._http.close()
        self.processes.stop()


def _configuration() -> dict[str, Any]:
    return {
        "agent": str(binary("stub-agent")),
        "images": {
            PAUSE_IMAGE.partition("/")[2]: {"entrypoint": ["pause"]},
            NAMES_IMAGE: {"entrypoint": ["dns", f"{network.NAMES}:53"]},
            PROBE_IMAGE: {"entrypoint": ["/bin/sh"], "files": _programs("sh", "curl", "getent", "id", "rm", "sleep", "stat")},
            **{image: _image(line) for line in LINES for image in _images(line)},
        },
        "nameServer": f"{network.NAMES}:53",
        "names": {
            SCALR: network.WEB,
            OPEN_HOST: network.WEB,
            "registry.terraform.io": network.WEB,
            "kubernetes.default.svc.cluster.local": network.API_SERVICE,
            PROXY_HOST: network.PROXY,
            "metadata.google.internal": "169.254.169.254",
        },
        "scalr": SCALR,
        "web": network.WEB,
        "registry": f"{network.REGISTRY}:5000",
        "proxy": f"{network.PROXY}:3128",
        "login": f"{PROXY_USER}:{PROXY_PASSWORD}",
        "anybody": str(network.ANYBODY_PORT),
        "apiServer": f"{network.WORLD}:{network.API_PORT}",
    }


def _programs(*names: str) -> dict[str, str]:
    """Programs of this machine, with the libraries that they are linked to, by their paths in an image."""
    found: dict[str, str] = {}
    for name in names:
        path = str(Path(str(shutil.which(name))).resolve())
        linked = subprocess.run(["ldd", path], capture_output=True, text=True, check=True).stdout
        found |= {f"bin/{name}": path} | {library.lstrip("/"): library for library in re.findall(r"(/\S+) \(0x", linked)}
    return found


def _images(line: Line) -> list[str]:
    """What the pods of a line are made of, by default."""
    runner = f"{_RUNNER[line.generation]}:{'0.2.0' if line.generation == 'current' else line.default_version}"
    return [f"scalr/agent:{line.default_version}", runner]


def _image(line: Line) -> dict[str, Any]:
    run_image = _images(line)[1]
    return {"entrypoint": _AGENT, "environment": [f"STUB_GENERATION={line.generation}", f"STUB_RUN_IMAGE={run_image}"]}
