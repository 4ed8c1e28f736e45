"""The programs under `examples/` run unchanged, with the configuration that they document."""

import json
import os
import re
import runpy
import shutil
import subprocess
import sys
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

import pytest
import yaml
from scalr_agents.resources.deploy import deploy

from tests.helpers import schemas
from tests.helpers.command_line import cli
from tests.helpers.example_programs import EXAMPLES, PROGRAMS, settings
from tests.helpers.recording import Recording, Secret, leaves, opened, run

SECRET = "s3cr3t"
OIDC = "arn:aws:iam::111122223333:oidc-provider/oidc.eks.eu-west-1.amazonaws.com/id/0A1B"


@cache
def ran(example: str, **more: str) -> Recording:
    """The program, with what its own `pulumi config set` commands set. The CLI would ask for a value that they lack."""
    told = settings(example)
    given = {each.key: each.value or f"{SECRET}-{each.key}" for each in told} | more
    return run(
        lambda: _run(example),
        configuration={key if ":" in key else f"scalr-agents:{key}": value for key, value in given.items()},
        secret_keys=tuple(f"scalr-agents:{each.key}" for each in told if each.secret),
    )


def _run(example: str) -> None:
    runpy.run_path(str(EXAMPLES / example / "__main__.py"))


def assert_sound(recording: Recording) -> None:
    """It ran without a warning, a cluster would take its objects, and secrets are nowhere in plain."""
    assert recording.error is None
    assert recording.log == []
    objects = [opened(resource.inputs) for resource in recording.resources if resource.type.startswith("kubernetes:")]
    assert "ServiceAccount" in {manifest["kind"] for manifest in objects} or recording.of_type("scalr-agents:index:Ec2Agents")
    for manifest in objects:
        schemas.assert_valid(manifest)
    inputs = {resource.name: resource.inputs for resource in recording.resources}
    everything = leaves({"inputs": inputs, "outputs": recording.outputs, "exports": recording.exports})
    found = [(path, leaf) for path, leaf in everything if SECRET in str(leaf)]
    assert found
    assert [path for path, leaf in found if not isinstance(leaf, Secret)] == []


def test_every_example_is_listed() -> None:
    directories = {path.name for path in EXAMPLES.iterdir() if path.is_dir()}
    page = (EXAMPLES.parent / "docs" / "programs.md").read_text(encoding="utf-8")
    assert [name for name in directories if f"(../examples/{name})" not in page] == []


@pytest.mark.parametrize("example", PROGRAMS)
def test_an_example_runs(example: str) -> None:
    assert_sound(ran(example))


@pytest.mark.parametrize(
    ("example", "more"), [("importing", {}), ("caches-aws", {}), ("caches-aws", {"oidcProviderArn": OIDC}), ("caches-gcp", {})]
)
def test_an_account_has_no_empty_annotation(example: str, more: dict[str, str]) -> None:
    recording = ran(example, **more)
    assert recording.error is None
    account = next(resource for resource in recording.resources if resource.inputs.get("kind") == "ServiceAccount")
    assert all(account.inputs["metadata"].get("annotations", {"none": "given"}).values())


def test_the_machines_example_creates_two_groups() -> None:
    recording = ran("machines-aws")
    assert recording.exports["groups"] == ["scalr-agents-test-runs", "scalr-agents-test-vcs"]


@pytest.mark.parametrize("example", [path.parent.name for path in sorted(EXAMPLES.glob("*/test_program.py"))])
def test_the_tests_of_an_example_pass(example: str) -> None:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir=.", "-c", os.devnull]
    done = subprocess.run(command, cwd=EXAMPLES / example, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("example", ["eks", "gke"])
def test_agents_for_runs_and_vcs_share_neither_nodes_nor_a_namespace(example: str) -> None:
    recording = ran(example)
    deployments = {each.inputs["metadata"]["namespace"]: each.inputs["spec"] for each in recording.of_type("kubernetes:apps/v1:Deployment")}
    pods = {namespace: spec["template"]["spec"] for namespace, spec in deployments.items()}
    [tasks] = recording.of_type("kubernetes:scalr.io/v1:AgentTask")
    pods |= {"tasks": tasks.inputs["spec"]["jobTemplate"]["spec"]["template"]["spec"]}
    assert {name: pod["nodeSelector"] for name, pod in pods.items()} == {
        "scalr-runs": {"pool": "runs"},
        "scalr-vcs": {"pool": "vcs"},
        "tasks": {"pool": "runs"},
    }
    nodes = [*recording.of_type("aws:eks/nodeGroup:NodeGroup"), *recording.of_type("gcp:container/nodePool:NodePool")]
    made = [each.inputs.get("nodeConfig", each.inputs) for each in nodes]
    taints = {each["labels"]["pool"]: [taint["value"] for taint in each["taints"]] for each in made}
    assert taints == {"runs": ["runs"], "vcs": ["vcs"]}
    tolerated = {name: {each["value"] for each in pod["tolerations"]} for name, pod in pods.items()}
    assert tolerated == {"scalr-runs": {"runs"}, "scalr-vcs": {"vcs"}, "tasks": {"runs"}}


def test_the_identity_of_runs_on_eks_and_gke_is_that_of_their_account() -> None:
    [association] = ran("eks").of_type("aws:eks/podIdentityAssociation:PodIdentityAssociation")
    assert (association.inputs["namespace"], association.inputs["serviceAccount"]) == ("scalr-runs", "runs-agent-job")
    member = ran("gke")["runs-viewer"].inputs["member"]
    assert member.endswith("/acme-infra.svc.id.goog/subject/ns/scalr-runs/sa/runs-agent-job")


def test_the_existing_claim_example_mounts_the_claim() -> None:
    recording = ran("existing-claim")
    deployment = recording["payments-controller-deployment"].inputs["spec"]["template"]["spec"]
    assert {"claimName": "scalr-cache"} in [volume.get("persistentVolumeClaim") for volume in deployment["volumes"]]
    assert recording.of_type("kubernetes:core/v1:PersistentVolumeClaim") == []


def test_the_esc_environment_sets_the_tokens() -> None:
    """ESC itself is a service: here each reference to a secret of the store becomes a token."""
    environment = yaml.safe_load((EXAMPLES / "esc" / "environment.yaml").read_text(encoding="utf-8"))["values"]
    stack = yaml.safe_load((EXAMPLES / "esc" / "Pulumi.prod.yaml").read_text(encoding="utf-8"))
    secrets = environment["aws"]["tokens"]["fn::open::aws-secrets"]["get"]
    given = json.dumps(environment["pulumiConfig"]["scalr-agents:secrets"])
    opened_here = re.sub(r"\$\{aws\.tokens\.(\w+)\}", lambda found: f"{SECRET}-{secrets[found[1]]['secretId']}", given)
    configuration = {key: json.dumps(value) for key, value in stack["config"].items()} | {"scalr-agents:secrets": opened_here}
    assert environment["pulumiConfig"].keys() == {"scalr-agents:secrets"}
    recording = run(lambda: deploy(EXAMPLES.parent), configuration=configuration, secret_keys=("scalr-agents:secrets",))
    assert_sound(recording)
    made = [opened(secret.inputs) for secret in recording.of_type("kubernetes:core/v1:Secret")]
    assert {secret["metadata"]["namespace"]: secret["stringData"]["token"] for secret in made} == {
        "scalr-payments": f"{SECRET}-scalr/payments/token",
        "scalr-vcs": f"{SECRET}-scalr/vcs/token",
    }


@pytest.fixture(scope="module")
def automation() -> dict[str, Any]:
    return runpy.run_path(str(EXAMPLES / "automation" / "deploy.py"), run_name="deploy")


def test_every_environment_of_the_automation_example_runs(automation: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    program: Callable[[str], None] = automation["agents"]
    replicas = {}
    for name, environment in automation["ENVIRONMENTS"].items():
        monkeypatch.setenv(automation["token_variable"](name), f"{SECRET}-{name}")
        recording = run(partial(program, name))
        assert_sound(recording)
        assert recording["cluster"].inputs["context"] == environment.context
        assert opened(recording["runs-controller-token-secret"].inputs)["stringData"]["token"] == f"{SECRET}-{name}"
        replicas[name] = recording["runs-controller-deployment"].inputs["spec"]["replicas"]
    assert replicas == {"dev": 1, "prod": 2}


def test_the_gitops_manifests_are_current_and_valid_without_secrets(tmp_path: Path) -> None:
    shutil.copytree(EXAMPLES / "gitops", tmp_path, dirs_exist_ok=True)
    shutil.rmtree(tmp_path / "manifests")
    readme = (tmp_path / "README.md").read_text(encoding="utf-8")
    for command in re.findall(r"^scalr-agents (.*)", readme, re.MULTILINE):
        done = cli(*command.split(), directory=tmp_path)
        assert done.returncode == 0, done.stderr
        assert "warning" not in done.stderr.replace("0 warnings", "")
    rendered = _texts(tmp_path / "manifests")
    assert _texts(EXAMPLES / "gitops" / "manifests") == rendered, "render them again, as the README says"
    manifests = [manifest for name, text in rendered.items() if name.endswith(".yaml") for manifest in yaml.safe_load_all(text)]
    for manifest in manifests:
        schemas.assert_valid(manifest)
    kinds = {manifest["kind"] for manifest in manifests}
    assert {"Deployment", "ExternalSecret", "Namespace"} <= kinds
    assert "Secret" not in kinds


def _texts(directory: Path) -> dict[str, str]:
    return {file.name: file.read_text(encoding="utf-8") for file in directory.iterdir()}


def test_argo_cd_and_flux_refer_to_the_manifests() -> None:
    [application] = yaml.safe_load_all((EXAMPLES / "gitops" / "argocd.yaml").read_text(encoding="utf-8"))
    repository, kustomization = yaml.safe_load_all((EXAMPLES / "gitops" / "flux.yaml").read_text(encoding="utf-8"))
    directory = EXAMPLES / "gitops" / "manifests"
    assert EXAMPLES.parent / application["spec"]["source"]["path"] == directory
    assert EXAMPLES.parent / kustomization["spec"]["path"] == directory
    source = {"kind": repository["kind"], "name": repository["metadata"]["name"]}
    assert kustomization["spec"]["sourceRef"] == source
    assert kustomization["metadata"]["namespace"] == repository["metadata"]["namespace"]
