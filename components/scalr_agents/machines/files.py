"""The files of a machine, and the commands that put them into effect."""

import re
import shlex
from functools import cache
from importlib import resources
from typing import NamedTuple

from scalr_agents.machines import CloudNames, Machine, environment, units
from scalr_agents.machines.settings import Package
from scalr_agents.machines.units import AGENT, DRAIN, ENVIRONMENT_FILE, HOST_PROGRAM
from scalr_agents.model.texts import lines

_UNITS = "/etc/systemd/system"
_INSTALL = "/usr/local/lib/scalr-agent/install"
_TRUST = "/usr/local/lib/scalr-agent/trust"
_APT_KEY = "/etc/apt/keyrings/scalr.asc"
_FETCHING_SECONDS = 600
"""How long a new machine tries to read its certificates before it goes on without. Its role may take a while to take effect."""


class HostFile(NamedTuple):
    """A file on the machine."""

    path: str
    content: str
    mode: str = "0644"


def files(machine: Machine, names: CloudNames) -> list[HostFile]:
    """All files of the agent on the machine. None of them contains a secret."""
    bundle = "" if machine.fetches_certificates else machine.shared.ca_bundle
    return [
        *([HostFile(environment.CA_FILE, bundle.removesuffix("\n") + "\n")] if bundle else []),
        HostFile(ENVIRONMENT_FILE, lines([f"{name}={value}" for name, value in _for_files(machine).items()])),
        *([HostFile(HOST_PROGRAM, program("on_machine.py", machine.platform), "0755")] if machine.platform != "own" else []),
        *(_docker_files(machine, names) if machine.in_docker else _package_files(machine, names)),
        *([HostFile(f"{_UNITS}/{DRAIN}", units.drain(machine, names))] if machine.can_drain else []),
    ]


def _docker_files(machine: Machine, names: CloudNames) -> list[HostFile]:
    proxied = [HostFile(f"{_UNITS}/docker.service.d/proxy.conf", units.proxy_drop_in(machine))] if environment.proxy(machine) else []
    return [*proxied, HostFile(f"{_UNITS}/{AGENT}", units.agent(machine, names))]


def _package_files(machine: Machine, names: CloudNames) -> list[HostFile]:
    drop_ins = f"{_UNITS}/{AGENT}.d"
    return [
        *(_repository(machine.agent.package) if machine.agent.package else []),
        HostFile(f"{drop_ins}/agent.conf", units.package_drop_in(machine, names)),
        *([HostFile(f"{drop_ins}/proxy.conf", units.proxy_drop_in(machine))] if environment.proxy(machine) else []),
    ]


def _repository(package: Package) -> list[HostFile]:
    if package.apt:
        return [HostFile("/etc/apt/sources.list.d/scalr.list", lines([f"deb [signed-by={_APT_KEY}] {package.apt}"]))]
    checked = ["gpgcheck=1", f"gpgkey={package.key}"]
    entries = ["[scalr]", "name=scalr", f"baseurl={package.yum}", "enabled=1", *checked]
    return [HostFile("/etc/yum.repos.d/scalr.repo", lines(entries))]


def _for_files(machine: Machine) -> dict[str, str]:
    """The agent's variables. Docker reads the text after the equals sign literally, systemd requires quotes."""
    given = environment.variables(machine)
    if machine.in_docker:
        return given
    escaped = {name: value.replace("\\", "\\\\").replace('"', '\\"') for name, value in given.items()}
    return {name: f'"{value}"' for name, value in escaped.items()}


def setup(machine: Machine) -> list[HostFile]:
    """The scripts that prepare a new machine."""
    install = HostFile(_INSTALL, program("install.sh" if machine.in_docker else "install-package.sh"), "0755")
    return [install, *([HostFile(_TRUST, program("trust.sh"), "0755")] if _trusts(machine) else [])]


def setup_commands(machine: Machine, names: CloudNames) -> list[list[str]]:
    """The commands that run these scripts, in order: certificates first, because a proxy may use them for downloads."""
    proxy = [f"{name.lower()}={value}" for name, value in environment.proxy(machine).items()]  # apt reads only lower-case names
    package = machine.agent.package or Package()
    package_key = [] if machine.in_docker else [f"SCALR_PACKAGE_KEY={package.key}"]
    version = [package.version] if package.version and not machine.in_docker else []
    trusted = [*_fetched(machine, names, proxy), [_TRUST, environment.CA_FILE]] if _trusts(machine) else []
    return [*trusted, [*(["env", *proxy, *package_key] if proxy or package_key else []), _INSTALL, *version]]


def _fetched(machine: Machine, names: CloudNames, proxy: list[str]) -> list[list[str]]:
    """The command that reads the certificates for the whole machine. The agent's unit reads them again at every start."""
    if not machine.fetches_certificates:
        return []
    fetch = shlex.join([HOST_PROGRAM, "certificates", names.secret, environment.CA_FILE])
    waiting = ["timeout", str(_FETCHING_SECONDS), "sh", "-c", f"until {fetch}; do sleep 5; done"]
    return [[*(["env", *(each for each in proxy if not each.startswith("http_"))] if proxy else []), *waiting]]


def commands(machine: Machine) -> list[list[str]]:
    """The commands that put the files into effect, in order: Docker gets the proxy and the certificates before it pulls images."""
    drained = [["systemctl", "enable", "--now", DRAIN]] if machine.can_drain else []
    if machine.in_docker:
        restarted = [["systemctl", "restart", "docker"]] if environment.proxy(machine) or _trusts(machine) else []
        return [["systemctl", "daemon-reload"], *restarted, ["systemctl", "enable", "--now", AGENT], *drained]
    return [
        *(_proxy_of_package() if environment.proxy(machine) else []),
        *([["scalr-agent", "configure", "--user=root"]] if machine.agent.root else []),
        ["systemctl", "daemon-reload"],
        ["systemctl", "restart", "scalr-docker"],
        *([units.EMBEDDED_DOCKER, *command.split()] for command in units.named_task_image(machine)),
        ["systemctl", "enable", AGENT],
        ["systemctl", "restart", AGENT],
        *drained,
    ]


def _trusts(machine: Machine) -> bool:
    """Whether the whole machine trusts the certificates, not only runs."""
    return bool(machine.shared.ca_bundle) and machine.agent.ca_scope == "global"


def _proxy_of_package() -> list[list[str]]:
    """Link the proxy settings of the package's Docker to those of the agent, so that both are always the same."""
    directory = f"{_UNITS}/scalr-docker.service.d"
    return [["mkdir", "-p", directory], ["ln", "-sf", f"{_UNITS}/{AGENT}.d/proxy.conf", f"{directory}/proxy.conf"]]


@cache
def program(name: str, platform: str = "") -> str:
    """A program for machines without comments, docstrings, and parts for other platforms, because EC2 limits the size of user data."""
    text = resources.files("scalr_agents.machines").joinpath(name).read_text(encoding="utf-8")
    parts = re.split(r"^# (?:Only (\w+)|All)\.\n", f"# All.\n{text}", flags=re.MULTILINE)
    text = "".join(part for only, part in zip(parts[1::2], parts[2::2], strict=True) if only in (None, platform))
    return re.sub(r'^(?: *"""[^"]*"""\n| *# .*\n)', "", text, flags=re.MULTILINE)
