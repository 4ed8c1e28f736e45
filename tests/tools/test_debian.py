"""Packages are installed by a stand-in of apt-get, with programs in a directory that is the whole PATH."""

import os
import sys
from pathlib import Path

import pytest

from tests.tools import debian

APT_GET = f"""#!{sys.executable}
import sys
from pathlib import Path
here = Path(__file__).parent
with (here / "calls").open("a") as calls:
    print(*sys.argv[1:], file=calls)
if sys.argv[1:] == ["update"]:
    (here / "updated").touch()
    sys.exit()
name = sys.argv[-1]
if not (here / "provides" / name).exists() or (name == "runc" and not (here / "updated").exists()):
    sys.exit("E: Unable to locate package")
for program in (here / "provides" / name).read_text().split():
    (here / program).touch(mode=0o755)
"""
"""It finds `runc` only with new lists of packages."""


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine with one of the programs, for root."""
    (tmp_path / "provides").mkdir()
    for program, package in debian.PACKAGES.items():
        (tmp_path / "provides" / package).write_text(program)
    (tmp_path / "apt-get").write_text(APT_GET)
    (tmp_path / "apt-get").chmod(0o755)
    (tmp_path / "gpg").touch(mode=0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    return tmp_path


def calls(machine: Path) -> list[str]:
    return [line.rpartition(" ")[2] for line in (machine / "calls").read_text().splitlines()]


def test_only_what_is_missing_is_installed(machine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    debian.main()
    asked = [package for package in debian.PACKAGES.values() if package != "gnupg"]
    assert calls(machine) == [*asked, "update", "runc"]
    assert capsys.readouterr().err == ""
    debian.main()
    assert len(calls(machine)) == len(asked) + 2


def test_a_package_of_another_release_is_not_missed(machine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Debian 12 has the client of Docker in docker.io, and no docker-cli."""
    (machine / "provides" / "docker-cli").unlink()
    (machine / "provides" / "docker.io").write_text("docker dockerd")
    debian.main()
    assert capsys.readouterr().err == ""


def test_what_cannot_be_installed_is_said(machine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (machine / "provides" / "curl").unlink()
    debian.main()
    assert capsys.readouterr().err == "apt-get has not installed curl\n"


@pytest.mark.parametrize("lacking", ["root", "apt-get"])
def test_elsewhere_nothing_is_tried(
    lacking: str, machine: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if lacking == "root":
        monkeypatch.setattr(os, "geteuid", lambda: 1000)
    else:
        (machine / "apt-get").unlink()
    debian.main()
    assert not (machine / "calls").exists()
    assert capsys.readouterr().err.startswith("not installed, because that needs root and apt-get: cloud-init, curl, ")
