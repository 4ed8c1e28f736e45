"""The script that installs Docker, with stand-ins for what it downloads and runs, and gpg itself."""

import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest
import scalr_agents.machines

from tests.machines_for_real.machine import without

SCRIPT = Path(scalr_agents.machines.__file__).with_name("install.sh").read_text(encoding="utf-8")
FINGERPRINTS = {"ubuntu": "9DC858229FC7DD38854AE2D88D81803C0EBFCD88", "rocky": "060A61C51B558A7F742B77AAC52FEB6B621E9F35"}
KEYRINGS = {"ubuntu": "etc/apt/keyrings/docker.asc", "rocky": "etc/pki/rpm-gpg/docker.asc"}
USED = ("sh", "cat", "install", "mktemp", "rm", "gpg", "awk")
"""What a machine has."""
RECORDED = ("apt-get", "dnf", "systemctl")


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Path]:
    """New keys, in files that are named like their fingerprints."""
    if shutil.which("gpg-agent") is None or shutil.which("gpg") is None:
        without("gpg is not on PATH")
    home = tmp_path_factory.mktemp("gpg")
    home.chmod(0o700)
    for name in ("one", "other"):
        _gpg(home, "--passphrase", "", "--quick-generate-key", f"{name}@acme.internal", "ed25519", "sign", "never")
    listed = [line.split(":") for line in _gpg(home, "--with-colons", "--with-keygrip", "--list-keys").splitlines()]
    made = [words[9] for words in listed if words[0] == "fpr"]
    for fingerprint in made:
        (home / fingerprint).write_text(_gpg(home, "--armor", "--export", fingerprint))
    (home / "both").write_text("".join((home / fingerprint).read_text() for fingerprint in made))
    _gpg(home, "--armor", "--output", str(home / "ring"), "--export")
    created, grip = (next(words[index] for words in listed if words[0] == kind) for kind, index in (("pub", 5), ("grp", 9)))
    (home / "subkey").write_text(_with_subkey(home, made[1], created, grip))
    subprocess.run(["gpgconf", "--homedir", str(home), "--kill", "all"], check=False)
    return {"one": home / made[0], "other": home / made[1], "both": home / "both", "ring": home / "ring", "subkey": home / "subkey"}


def _with_subkey(home: Path, key: str, created: str, grip: str) -> str:
    """A key with another key as its subkey, which has that fingerprint: everybody can create this from a public key."""
    clock = ("--faked-system-time", f"{created}!", "--ignore-time-conflict", "--ignore-valid-from")
    words = ("--expert", "--no-tty", *clock, "--passphrase", "", "--pinentry-mode", "loopback", "--command-fd", "0", "--edit-key", key)
    answers = f"addkey\n13\n{grip}\nq\n0\nsave\n"
    subprocess.run(["gpg", "--homedir", str(home), *words], input=answers, capture_output=True, text=True, check=True)
    made = _gpg(home, "--armor", "--export", key)
    assert _gpg(home, "--with-colons", "--with-subkey-fingerprint", "--list-keys", key).count("\nfpr:") == 2
    return made


def _gpg(home: Path, *arguments: str) -> str:
    done = subprocess.run(["gpg", "--homedir", str(home), "--batch", *arguments], capture_output=True, text=True, check=True)
    return done.stdout


def ran(system: str, served: Path, machine: Path, *, trusted: str = "", lacking: str = "") -> subprocess.CompletedProcess[str]:
    """The script on a machine below a directory, whose downloads are one file. `trusted` is a fingerprint in place of Docker's."""
    programs = machine / "bin"
    for directory in ("bin", "etc/apt/sources.list.d", "etc/pki/rpm-gpg", "etc/yum.repos.d"):
        (machine / directory).mkdir(parents=True)
    (machine / "etc/os-release").write_text(f"ID={system}\nVERSION_CODENAME=jammy\n")
    for name in USED:
        if name != lacking:
            (programs / name).symlink_to(str(shutil.which(name)))
    for name in RECORDED:
        _program(programs / name, f'echo "{name} $*" >>{machine}/commands')
    _program(programs / "curl", f'echo "curl $5" >>{machine}/commands; cat {served} >"$5"')
    script = SCRIPT.replace("/etc/", f"{machine}/etc/")
    if trusted:
        script = script.replace(FINGERPRINTS[system], trusted)
    environment = {**os.environ, "PATH": str(programs)}
    return subprocess.run(["/bin/sh", "-c", script], env=environment, capture_output=True, text=True, check=False)


def _program(file: Path, script: str) -> None:
    file.write_text(f"#!/bin/sh\n{script}\n")
    file.chmod(0o755)


def _recorded(machine: Path) -> list[str]:
    return [line for line in (machine / "commands").read_text().splitlines() if not line.startswith("curl ")]


@pytest.mark.parametrize("system", FINGERPRINTS)
@pytest.mark.parametrize("served", ["one", "both", "ring"])
def test_docker_is_installed_with_its_key(system: str, served: str, keys: Mapping[str, Path], tmp_path: Path) -> None:
    """Whatever else is served with it."""
    done = ran(system, keys[served], tmp_path, trusted=keys["one"].name)
    assert done.returncode == 0, done.stderr
    installed = tmp_path / KEYRINGS[system]
    shown = _gpg(tmp_path, "--with-colons", "--show-keys", str(installed))
    assert [line.split(":")[9] for line in shown.splitlines() if line.startswith("fpr:")] == [keys["one"].name]
    commands = _recorded(tmp_path)
    assert "docker-ce docker-ce-cli containerd.io" in commands[-2]
    assert commands[-1] == "systemctl enable --now docker"
    lists = {"ubuntu": "etc/apt/sources.list.d/docker.list", "rocky": "etc/yum.repos.d/docker.repo"}
    written = (tmp_path / lists[system]).read_text()
    assert str(installed) in written
    assert ("$releasever/$basearch/stable" in written) == (system == "rocky")


@pytest.mark.parametrize("system", FINGERPRINTS)
@pytest.mark.parametrize(("served", "trusted"), [("other", ""), ("nothing", ""), ("subkey", "one")])
def test_another_key_fails_the_installation(system: str, served: str, trusted: str, keys: Mapping[str, Path], tmp_path: Path) -> None:
    """The unchanged script, with whose fingerprints only Docker has keys; and where its key is the subkey of another one."""
    fingerprint = keys[trusted].name if trusted else FINGERPRINTS[system]
    done = ran(system, keys.get(served, Path(os.devnull)), tmp_path, trusted=trusted and fingerprint)
    message = f"is not the key with fingerprint {fingerprint}, so Docker is not installed"
    assert (done.returncode, done.stderr.splitlines()[-1].endswith(message)) == (1, True)
    assert not (tmp_path / KEYRINGS[system]).exists()
    assert _recorded(tmp_path) == []


def test_without_gpg_nothing_is_installed(keys: Mapping[str, Path], tmp_path: Path) -> None:
    done = ran("ubuntu", keys["one"], tmp_path, lacking="gpg")
    assert (done.returncode, done.stderr) == (
        1,
        "scalr-agent: gpg is missing, which checks Docker's key: use an image with gpg or Docker\n",
    )
    assert not (tmp_path / "commands").exists()
