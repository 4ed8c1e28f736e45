"""The example of the Automation API, run by the real engine as its README says."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from pulumi import automation

from tests.engine.cluster import Cluster
from tests.engine.provider import serving
from tests.engine.stacks import REPOSITORY

TOKENS = {"SCALR_TOKEN_DEV": "s3cr3t-of-dev", "SCALR_TOKEN_PROD": "s3cr3t-of-prod"}


def test_an_environment_is_deployed_destroyed_and_deployed_again(command: automation.PulumiCommand, tmp_path: Path) -> None:
    example, backend = tmp_path / "automation", tmp_path / "backend"
    shutil.copytree(REPOSITORY / "examples" / "automation", example)
    backend.mkdir()
    cluster = Cluster()
    with serving(cluster) as ports:
        environment = {
            **os.environ,
            "PATH": f"{Path(command.command).parent}{os.pathsep}{os.environ['PATH']}",
            "PULUMI_HOME": str(tmp_path / "home"),
            "PULUMI_BACKEND_URL": backend.as_uri(),
            "PULUMI_CONFIG_PASSPHRASE": "correct horse",
            "PULUMI_DEBUG_PROVIDERS": ports,
            "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION": "true",
            "PULUMI_SKIP_UPDATE_CHECK": "true",
            **TOKENS,
        }

        def deploy(*words: str) -> str:
            process = [sys.executable, str(example / "deploy.py"), *words]
            done = subprocess.run(process, env=environment, capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stdout + done.stderr
            return done.stdout + done.stderr

        printed = deploy("up", "dev")
        assert cluster.objects["Deployment/scalr-runs/runs-agent-job"]["spec"]["replicas"] == 1
        cluster.calls.clear()
        printed += deploy("up", "dev")
        assert {call.operation for call in cluster.calls} == {"configure"}
        state = "".join(file.read_text() for file in backend.rglob("*.json"))
        for words in (["destroy", "dev"], ["up", "dev"], ["destroy", "dev"]):
            printed += deploy(*words)
            there = {key.partition("/")[0] for key in cluster.objects}
            assert ("Deployment" in there, "CustomResourceDefinition" in there) == (words[0] == "up", True)
    assert there == {"CustomResourceDefinition"}
    assert "Deployment" in state
    assert [token for token in TOKENS.values() if token in state + printed] == []
