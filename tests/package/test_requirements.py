"""What `pulumi install` reads, installed by the pip of Python 3.11, by the newest pip and by uv."""

import re
import shutil
import subprocess
import venv
from pathlib import Path

import pytest

from tests.helpers.pins import DEPLOYED, LAYERS

REPOSITORY = Path(__file__).parents[2]
PIP_OF_PYTHON_311 = "pip==23.2"


@pytest.fixture(params=[PIP_OF_PYTHON_311, "pip", "uv"])
def command(request: pytest.FixtureRequest, tmp_path: Path) -> list[str]:
    """The command of an installer, in a fresh environment in which it installs."""
    venv.create(tmp_path / "venv", with_pip=True)
    python = str(tmp_path / "venv" / "bin" / "python")
    subprocess.run([python, "-m", "pip", "--quiet", "install", "--upgrade", request.param], check=True)
    return [python, "-m", *(["uv", "pip", "install", "--python", python] if request.param == "uv" else ["pip", "install", "--no-compile"])]


@pytest.mark.parametrize("directory", [".", "components"])
def test_the_requirements_are_installed_and_the_components_start(command: list[str], directory: str, tmp_path: Path) -> None:
    done = subprocess.run([*command, "-r", "requirements.txt"], cwd=REPOSITORY / directory, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    name = f"import runpy; print(runpy.run_path({str(REPOSITORY / 'components')!r})['NAME'])"
    started = subprocess.run([command[0], "-c", name], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert started.stdout == "scalr-agents\n", started.stderr


def test_an_unpinned_file_is_refused(command: list[str], tmp_path: Path) -> None:
    shutil.copy(REPOSITORY / "requirements.txt", tmp_path)
    (tmp_path / "requirements").mkdir()
    for layer in DEPLOYED:
        (tmp_path / "requirements" / f"{layer}.txt").write_text(re.sub("sha256:[0-9a-f]{64}", f"sha256:{'0' * 64}", LAYERS[layer], count=2))
    done = subprocess.run([*command, "-r", "requirements.txt"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert f"sha256:{'0' * 64}" in done.stdout + done.stderr or f"sha256 {'0' * 64}" in done.stdout + done.stderr
