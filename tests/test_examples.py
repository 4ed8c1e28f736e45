"""The programs under `examples/` run as they are."""

import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.recording import run

EXAMPLES = Path(__file__).parents[1] / "examples"
CONFIG = {
    "context": "prod",
    "cluster": "prod",
    "url": "https://acme.scalr.io",
    "token": "s3cr3t-token",
    "zone": "europe-west1-b",
    "network": "default",
    "nodes": "10.132.0.0/20",
}
OIDC = "arn:aws:iam::111122223333:oidc-provider/oidc.eks.eu-west-1.amazonaws.com/id/0A1B"


@pytest.mark.parametrize(
    ("example", "more", "resources"),
    [
        ("importing", {}, 19),
        ("caches-aws", {}, 40),
        ("caches-aws", {"oidcProviderArn": OIDC}, 39),
        ("caches-gcp", {}, 26),
    ],
)
def test_an_example_runs(example: str, more: dict[str, str], resources: int) -> None:
    configuration = {f"scalr-agents:{key}": value for key, value in {**CONFIG, **more}.items()} | {"gcp:project": "acme-prod"}

    def program() -> None:
        runpy.run_path(str(EXAMPLES / example / "__main__.py"))

    recording = run(program, configuration=configuration, secret_keys=("scalr-agents:token",))
    assert recording.error is None
    assert recording.log == []
    assert len(recording.resources) == resources
    account = next(resource for resource in recording.resources if resource.inputs.get("kind") == "ServiceAccount")
    assert all(account.inputs["metadata"].get("annotations", {"none": "given"}).values())


def test_the_example_of_machines_runs() -> None:
    given = {"vpcId": "vpc-0a1b", "routeTableId": "rtb-0a1b", "url": CONFIG["url"], "token": "s3cr3t-token", "vcsToken": "s3cr3t-vcs"}

    def program() -> None:
        runpy.run_path(str(EXAMPLES / "machines-aws" / "__main__.py"))

    recording = run(
        program,
        configuration={f"scalr-agents:{key}": value for key, value in given.items()},
        secret_keys=("scalr-agents:token", "scalr-agents:vcsToken"),
    )
    assert recording.error is None
    assert recording.log == []
    assert len(recording.resources) == 27
    assert recording.exports["groups"] == ["scalr-agents-test-runs", "scalr-agents-test-vcs"]


def test_every_example_is_tried() -> None:
    assert sorted(path.parent.name for path in EXAMPLES.glob("*/__main__.py")) == ["caches-aws", "caches-gcp", "importing", "machines-aws"]


def test_the_test_of_an_example_passes_where_a_user_has_copied_it(tmp_path: Path) -> None:
    shutil.copytree(EXAMPLES / "importing", tmp_path, dirs_exist_ok=True)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert "3 passed" in done.stdout
    program = tmp_path / "__main__.py"
    program.write_text(program.read_text().replace("activeDeadlineSeconds", "activeDeadlineSecond"))
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "values.task.job.activeDeadlineSecond: unknown key 'activeDeadlineSecond'; did you mean 'activeDeadlineSeconds'?" in done.stdout
