"""Programs are found by their pins, and errors name the command that builds them. Nothing is built here."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests import tools
from tests.tools import MODULES, Module, NotBuiltError

_REPOSITORY = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache."""
    monkeypatch.setenv("SCALR_AGENTS_TOOLS", str(tmp_path))
    return tmp_path


def test_modules_pin_the_reported_version() -> None:
    assert {module.name: module.version for module in MODULES} == {
        "kubernetes": "v1.36.3",
        "kwok": "v0.8.0",
        "helm": "v3.22.0",
        "pulumi": "v3.259.0",
        "languages": "v3.259.0",
        "yaml": "v1.38.1",
        "compose": "v2.32.4",
        "containerd": "v2.4.2",
        "cni": "v1.9.1",
        "policies": "v1.1.0",
        "prometheus": "v0.316.0",
        "metrics": "v2.20.0",
        "actionlint": "v1.7.12",
        "stubs": "",
        "aws": "v3.137.0",
        "google": "v1.20.1-0.20260828184646-f3721fb45fa3",
    }
    assert MODULES[0].ldflags == (
        "-s -w -X k8s.io/component-base/version.gitVersion=v1.36.3"
        " -X k8s.io/component-base/version.gitMajor=1 -X k8s.io/component-base/version.gitMinor=36"
    )


@pytest.mark.parametrize("module", [module for module in MODULES if module.pin], ids=lambda module: module.name)
def test_modules_list_their_programs(module: Module) -> None:
    lines = (module.directory / "go.mod").read_text().splitlines()
    named = [line.removeprefix("tool").strip() for line in lines if line.removeprefix("tool").strip() in module.programs.values()]
    assert sorted(named) == sorted(module.programs.values())


@pytest.mark.parametrize("name", [name for module in MODULES for name in module.programs])
def test_a_missing_program_names_the_build_command(name: str, cache: Path) -> None:
    assert not tools.built(name)
    with pytest.raises(NotBuiltError, match=rf"^{name} is not built: run `make {tools.target_of(name)}` \(it needs Go\)$"):
        tools.binary(name)
    [module] = [module for module in MODULES if name in module.programs]
    module.output.mkdir(parents=True)
    (module.output / name).touch()
    assert tools.built(name)
    assert tools.binary(name) == module.output / name
    assert module.output.is_relative_to(cache)


def test_unknown_and_missing_programs_differ() -> None:
    with pytest.raises(NotBuiltError, match=r"^no program 'kubectl'; there are etcd, kube-apiserver, "):
        tools.binary("kubectl")


@pytest.mark.parametrize("file", ["go.mod", "go.sum"])
def test_a_changed_pin_has_its_own_directory(file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    [kwok] = [module for module in MODULES if module.name == "kwok"]
    before = kwok.output
    shutil.copytree(kwok.directory, tmp_path / "kwok")
    monkeypatch.setattr(tools, "_HERE", tmp_path)
    assert kwok.output == before
    with (tmp_path / "kwok" / file).open("a") as pins:
        pins.write("\n")
    assert kwok.output != before


def test_without_go_there_is_one_message(tmp_path: Path) -> None:
    result = subprocess.run(
        [sys.executable, "-m", "tests.tools.build", "control-plane"],
        cwd=_REPOSITORY,
        env={**os.environ, "PATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 1
    assert result.stdout == ""
    assert result.stderr.splitlines() == [
        "Go is not on PATH; the programs that these tests run are built with it: https://go.dev/doc/install (1.21 or newer)"
    ]
