"""`make sdks` generates an SDK for each language that has an example, and each knows where the plugin is."""

import json
from pathlib import Path

import pytest
import scalr_agents

from tests import sdks
from tests.helpers import sdk
from tests.languages.projects import EXAMPLES

ADDRESS = "github://api.github.com/acme/scalr-agents"
KNOWS = {
    "csharp": "pulumi-plugin.json",
    "go": "scalragents/pulumi-plugin.json",
    "java": "src/main/java/com/pulumi/scalragents/AgentJob.java",
    "typescript": "package.json",
}


@pytest.fixture
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(sdks, "DIRECTORY", tmp_path / "sdks")
    return tmp_path / "sdks"


def test_each_sdk_has_the_version_and_the_address(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLUGIN_DOWNLOAD_URL", ADDRESS)
    sdks.main()
    assert {each.name for each in directory.iterdir()} == set(sdk.LANGUAGES) == set(KNOWS)
    for language, file in KNOWS.items():
        assert (EXAMPLES / language).is_dir()
        assert ADDRESS in (directory / language / file).read_text(encoding="utf-8"), language
    about = json.loads((directory / "csharp" / "pulumi-plugin.json").read_text(encoding="utf-8"))
    assert about == {"resource": True, "name": "scalr-agents", "server": ADDRESS, "version": scalr_agents.__version__}


def test_a_wrong_address_is_refused(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLUGIN_DOWNLOAD_URL", "acme")
    with pytest.raises(SystemExit, match=r"^PLUGIN_DOWNLOAD_URL: not an address"):
        sdks.main()
    assert not directory.exists()
