"""The examples in other languages, run by the real engine with the real component host, do what the one in Python does."""

import base64
import json
import re
import runpy
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.recording import Recording, opened, run
from tests.languages import node
from tests.languages.projects import EXAMPLES, SETTINGS, TOKEN, Project

LANGUAGES = ["go", "typescript", "yaml"]
KUBERNETES = version("pulumi-kubernetes")


@dataclass
class Deployed:
    """An example's stack, from its first `pulumi up` to `pulumi destroy`, and to the next `pulumi up`."""

    objects: dict[str, dict[str, Any]]
    """What it has made in the cluster."""
    provider: dict[str, Any]
    outputs: dict[str, Any]
    state: str
    output: str
    """All that was printed, and the engine's events."""
    left: dict[str, dict[str, Any]]
    """What is in the cluster after it."""
    again: dict[str, dict[str, Any]]
    """What is in the cluster after another `pulumi up`."""


@pytest.fixture(scope="module", params=LANGUAGES)
def deployed(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Deployed:
    language: str = request.param
    if language == "typescript":
        request.getfixturevalue("node_modules")
    if language == "go" and shutil.which("go") is None:
        pytest.skip("Go is not on PATH")
    project = Project.of(language, tmp_path_factory.mktemp(language))
    output = []
    for options in ((), ("--expect-no-changes",)):
        done = project.up(*options)
        assert done.returncode == 0, done.stdout + done.stderr
        output.append(done.stdout + done.stderr)
    objects = dict(project.cluster.objects)
    provider = next(call.inputs for call in project.cluster.calls if call.operation == "configure")
    outputs, state = project.outputs(), project.state()
    done = project.destroy()
    assert done.returncode == 0, done.stdout + done.stderr
    output += [done.stdout, done.stderr]
    left = dict(project.cluster.objects)
    done = project.up()
    assert done.returncode == 0, done.stdout + done.stderr
    return Deployed(objects, dict(provider), outputs, state, "".join([*output, done.stdout, done.stderr]), left, project.cluster.objects)


def _importing() -> None:
    runpy.run_path(str(EXAMPLES / "importing" / "__main__.py"))


@cache
def twin() -> Recording:
    """What the example in Python registers."""
    settings = {f"scalr-agents:{key}": value for key, value in {**SETTINGS, "token": TOKEN}.items()}
    return run(_importing, configuration=settings, secret_keys=("scalr-agents:token",))


def _by_name(manifests: Iterable[dict[str, Any]]) -> dict[tuple[str, str], dict[str, Any]]:
    return {(manifest["kind"], manifest["metadata"]["name"]): manifest for manifest in manifests}


def test_the_cluster_has_the_objects_of_the_python_program(deployed: Deployed) -> None:
    registered = [opened(resource.inputs) for resource in twin().resources if resource.type.startswith("kubernetes:")]
    assert _by_name(deployed.objects.values()) == _by_name(registered)
    settings = twin()["cluster"].inputs
    assert {key: str(deployed.provider[key]).lower() for key in settings} == settings
    assert deployed.outputs == twin().exports


def test_the_token_is_only_in_its_secret(deployed: Deployed) -> None:
    assert [key for key, manifest in deployed.objects.items() if TOKEN in str(manifest)] == ["Secret/scalr-payments/payments-agent-job"]
    for text in (deployed.output, deployed.state):
        assert "payments-controller-token-secret" in text
        assert [form for form in (TOKEN, base64.b64encode(TOKEN.encode()).decode()) if form in text] == []


def test_only_definitions_outlive_the_stack(deployed: Deployed) -> None:
    assert set(deployed.left) == {f"CustomResourceDefinition//{name}.scalr.io" for name in ("atasks", "agenttasktemplates")}
    assert deployed.again == deployed.objects


@pytest.mark.parametrize(
    ("given", "mistake", "message"),
    [
        ("minReadySeconds:", "minReadySecond:", "Property minReadySecond does not exist on 'scalr-agents:index:AgentJobAgentValues'"),
        ("limits:", "limts:", "error: values.task.runner.resources.limts: unknown field 'limts' (ResourceRequirements of Kubernetes"),
    ],
    ids=["by Pulumi", "by the component"],
)
def test_a_mistake_in_yaml_is_found_before_anything_is_created(given: str, mistake: str, message: str, tmp_path: Path) -> None:
    project = Project.of("yaml", tmp_path)
    program = project.directory / "Pulumi.yaml"
    program.write_text(program.read_text(encoding="utf-8").replace(given, mistake), encoding="utf-8")
    done = project.pulumi("preview", check=False)
    assert done.returncode
    assert message in done.stdout + done.stderr
    assert "Traceback" not in done.stdout + done.stderr
    assert project.cluster.objects == {}


def test_a_transform_leaves_the_number_of_placeholders_to_an_autoscaler(node_modules: Path, tmp_path: Path) -> None:
    """The one on the page: `null` does not reach a component from here."""
    page = (EXAMPLES.parent / "docs" / "operations.md").read_text(encoding="utf-8")
    [transforms] = re.findall(r"^```typescript\n(transforms: .*?)^```", page, re.MULTILINE | re.DOTALL)
    project = Project.of("typescript", tmp_path)
    program = project.directory / "index.ts"
    text = program.read_text(encoding="utf-8").replace("task: {", "task: { buffer: { replicas: 1 },")
    program.write_text(text.replace("dependsOn: [crds, namespace] }", f"dependsOn: [crds, namespace], {transforms} }}"), encoding="utf-8")
    done = project.up()
    assert done.returncode == 0, done.stdout + done.stderr
    placeholders = project.cluster.objects["Deployment/scalr-payments/payments-agent-job-buffer"]
    assert {"replicas", "template"} & placeholders["spec"].keys() == {"template"}


def test_the_programs_require_the_tested_versions() -> None:
    here = json.loads((Path(node.__file__).with_name("package.json")).read_text(encoding="utf-8"))["dependencies"]
    about = json.loads((EXAMPLES / "typescript" / "package.json").read_text(encoding="utf-8"))
    named = about["dependencies"] | about["devDependencies"]
    assert {name: here.get(name) for name in named} == named | {"@pulumi/scalr-agents": None}
    assert here["@pulumi/kubernetes"] == KUBERNETES
    assert f'pulumi.Version("{KUBERNETES}")' in (EXAMPLES / "go" / "main.go").read_text(encoding="utf-8")
    assert f"{{version: {KUBERNETES}}}" in (EXAMPLES / "yaml" / "Pulumi.yaml").read_text(encoding="utf-8")
