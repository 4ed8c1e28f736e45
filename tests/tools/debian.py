"""Installs Debian's packages with the programs that `make test-machines` and `make test-node` run: `make debian-packages`.

A program that is there stays as it is, whoever has installed it. What cannot be installed is no error: the tests say what is missing.
"""

import os
import shutil
import subprocess
import sys

PACKAGES = {
    "cloud-init": "cloud-init",
    "curl": "curl",
    "docker": "docker-cli",
    "dockerd": "docker.io",
    "gpg": "gnupg",
    "ip": "iproute2",
    "iptables": "iptables",
    "openssl": "openssl",
    "runc": "runc",
    "shellcheck": "shellcheck",
    "systemd-analyze": "systemd",
}
"""By the program that is looked for."""


def main() -> None:
    """Install what is missing, with the lists of packages that are there, then with new ones."""
    if not (packages := missing()):
        return
    if os.geteuid() or shutil.which("apt-get") is None:
        print(f"not installed, because that needs root and apt-get: {', '.join(packages)}", file=sys.stderr)
        return
    _install(packages)
    if missing() and _apt_get("update"):
        _install(missing())
    if packages := missing():
        print(f"apt-get has not installed {', '.join(packages)}", file=sys.stderr)


def missing() -> list[str]:
    """The packages whose programs are not on PATH."""
    return [package for program, package in PACKAGES.items() if shutil.which(program) is None]


def _install(packages: list[str]) -> None:
    """One by one: no release of Debian or Ubuntu has all of them."""
    for package in packages:
        _apt_get("install", "-y", "--no-install-recommends", package)


def _apt_get(*arguments: str) -> bool:
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    return subprocess.run(["apt-get", *arguments], env=environment, capture_output=True, check=False).returncode == 0


if __name__ == "__main__":
    main()
