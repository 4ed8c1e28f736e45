"""The Kubernetes provider is asked for in the pinned version. The Pulumi CLI is a stand-in."""

from pathlib import Path

import pytest

from tests import tools
from tests.helpers.pins import LAYERS, pins
from tests.tools import kubernetes_provider


@pytest.mark.parametrize(("status", "message"), [(0, ""), (1, "the Kubernetes provider cannot be downloaded: ")])
def test_the_pinned_version_is_installed(
    status: int, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pulumi = tmp_path / "pulumi"
    pulumi.write_text(f'#!/bin/sh\necho "$@" > {tmp_path}/calls\nexit {status}\n')
    pulumi.chmod(0o755)
    monkeypatch.setattr(tools, "binary", lambda name: tmp_path / name)
    kubernetes_provider.main()
    [version] = [pin.version for pin in pins(LAYERS["kubernetes"]) if pin.name == "pulumi-kubernetes"]
    assert (tmp_path / "calls").read_text() == f"plugin install resource kubernetes {version}\n"
    assert capsys.readouterr().err.startswith(message)
    assert bool(status) == bool(message)
