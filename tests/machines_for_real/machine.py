"""A machine for tests: namespaces of its own for network and mounts, a real Docker daemon, and both clouds on loopback. Needs root.

systemd is not there: PID 1 of a test's machine is whatever it is. `Unit` does with a unit's own lines what systemd would: it expands
specifiers, makes the runtime directory on a tmpfs, runs the commands in order, and takes a leading `-` for a failure that does not count.
"""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import pytest
from scalr_agents.machines.files import HostFile

from tests.cluster.processes import Processes, accepts
from tests.helpers.stand_ins import certificate

HERE = Path(__file__).parent
REPOSITORY = HERE.parents[1]
OWN = ("/etc/scalr-agent", "/usr/local/lib/scalr-agent", "/var/lib/scalr-agent", "/run", "/var/lib/docker")
"""Directories that are the machine's own, each a tmpfs."""
NEEDED = ("dockerd", "docker", "unshare", "nsenter", "ip", "iptables", "openssl", "go")
SERVICES_PORT = 443
SERVICES = ("secretsmanager.eu-west-1.amazonaws.com", "autoscaling.eu-west-1.amazonaws.com", "secretmanager.googleapis.com")


def missing() -> str:
    """Why there can be no such machine here, if so."""
    lacking = [program for program in NEEDED if shutil.which(program) is None]
    return f"not on PATH: {', '.join(lacking)}" if lacking else "" if os.geteuid() == 0 else "needs root"


def without(reason: str) -> None:
    """Skip with a reason, which in CI is a failure."""
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)


@dataclass(frozen=True)
class Host:
    """A machine that is running."""

    pid: int
    state: Path
    """What the clouds are to say: see `cloud`."""

    def inside(self, command: Sequence[str]) -> list[str]:
        return ["nsenter", "--target", str(self.pid), "--net", "--mount", "--uts", "--wdns=/", "--", *command]

    def run(self, *command: str, env: Mapping[str, str] | None = None) -> subprocess.CompletedProcess[str]:
        given = {**os.environ, "SSL_CERT_FILE": str(self.state / "certificate.pem"), **(env or {})}
        return subprocess.run(self.inside(command), capture_output=True, text=True, check=False, env=given)

    def output(self, *command: str) -> str:
        done = self.run(*command)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def put(self, file: HostFile) -> None:
        """A file as cloud-init writes it."""
        script = f"mkdir -p {shlex.quote(str(Path(file.path).parent))} && cat > {file.path} && chmod {file.mode} {file.path}"
        subprocess.run(self.inside(["sh", "-c", script]), input=file.content, text=True, check=True)

    def secret(self, **variables: str) -> None:
        """What the clouds' secret holds. Without variables there is none."""
        (self.state / "content").write_text(json.dumps(variables) if variables else "")


@contextmanager
def running(directory: Path) -> Iterator[Host]:
    """A machine, until the context ends."""
    state = directory / "cloud"
    state.mkdir()
    certificate(state / "certificate.pem", *(f"DNS:{name}" for name in SERVICES))
    (state / "hosts").write_text("127.0.0.1 localhost " + " ".join(SERVICES) + "\n")
    processes = Processes(directory)
    space = ["unshare", "--net", "--mount", "--uts", "--propagation", "private", "sh", "-c", "echo ready; exec sleep infinity"]
    try:
        host = Host(processes.start("space", space, until=lambda: processes.log("space").read_text()), state)
        host.secret(SCALR_AGENT_TOKEN="s3cr3t-token")
        for path in OWN:
            host.output("sh", "-c", f"mkdir -p {path} && mount -t tmpfs tmpfs {path}")
        host.output("mount", "--bind", str(state / "hosts"), "/etc/hosts")
        host.output("sh", "-c", "ip link set lo up && ip address add 169.254.169.254/32 dev lo && hostname machine-1")
        python = ["env", f"PYTHONPATH={REPOSITORY}", sys.executable]
        cloud = host.inside([*python, "-m", "tests.machines_for_real.cloud", str(state)])
        processes.start("cloud", cloud, until=lambda: accepts(SERVICES_PORT, host.inside([])))
        docker = Path(f"/proc/{host.pid}/root/run/docker.sock")
        processes.start("dockerd", host.inside(["dockerd", "--storage-driver=vfs"]), until=lambda: accepts(docker))
        try:
            _load_agent(host, directory)
            yield host
        finally:
            processes.end("dockerd")  # it ends its containers
    finally:
        processes.stop()


def _load_agent(host: Host, directory: Path) -> None:
    """The stub agent as an image, from scratch."""
    program = directory / "agent"
    build = ["go", "build", "-o", str(program), str(HERE / "stub_agent" / "main.go")]
    subprocess.run(build, check=True, capture_output=True, env={**os.environ, "CGO_ENABLED": "0"})
    with tarfile.open(directory / "agent.tar", "w") as archive:
        archive.add(program, "agent")
    host.output("docker", "import", "--change", 'ENTRYPOINT ["/agent"]', str(directory / "agent.tar"), "scalr/agent:1.4.0")


@dataclass(frozen=True)
class Unit:
    """A unit of systemd, run by its own lines."""

    host: Host
    content: str

    def commands(self, key: str) -> list[tuple[list[str], bool]]:
        """The commands of a key, and whether their failure counts."""
        found = re.findall(rf"^{key}=(.*)$", self.content, re.MULTILINE)
        return [(_words(line.lstrip("-+")), not line.startswith("-")) for line in found]

    def environment(self) -> dict[str, str]:
        assigned = re.findall(r'^Environment="(\w+)=(.*)"$', self.content, re.MULTILINE)
        return {name: value.replace("%%", "%") for name, value in assigned}

    def prepare(self) -> subprocess.CompletedProcess[str]:
        """What comes before the start; the last command that was run."""
        for name in re.findall(r"^RuntimeDirectory=(\S+)$", self.content, re.MULTILINE):
            self.host.output("install", "--directory", "--mode=0700", f"/run/{name}")
        for command, counts in self.commands("ExecStartPre"):
            done = self.host.run(*command, env=self.environment())
            if done.returncode and counts:
                return done
        return done

    @contextmanager
    def started(self) -> Iterator[IO[str]]:
        """What the unit says while it runs. It is stopped at the end of the context, if not before, and must have ended well."""
        done = self.prepare()
        assert not done.returncode or "No such container" in done.stderr, done.stderr
        [(command, _)] = self.commands("ExecStart")
        with subprocess.Popen(self.host.inside(command), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
            assert process.stdout
            try:
                yield process.stdout
            finally:
                self.stop()
                process.stdout.read()
        assert process.returncode == 0

    def stop(self) -> None:
        for command, counts in self.commands("ExecStop"):
            done = self.host.run(*command)
            assert not (counts and done.returncode), done.stderr
        for name in re.findall(r"^RuntimeDirectory=(\S+)$", self.content, re.MULTILINE):
            self.host.output("rm", "-rf", f"/run/{name}")


def _words(line: str) -> list[str]:
    """A command line as systemd splits it."""
    return [word.replace("%H", "machine-1").replace("%%", "%").replace("$$", "$") for word in shlex.split(line)]


def unit_of(host: Host, written: Sequence[HostFile], name: str = "scalr-agent.service") -> Unit:
    """Write the files of a machine, and take one of its units."""
    for file in written:
        if file.path.startswith(("/etc/scalr-agent", "/usr/local/lib")):
            host.put(file)
    return Unit(host, next(file.content for file in written if file.path.endswith(f"/{name}")))
