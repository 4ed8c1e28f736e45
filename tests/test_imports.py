"""What is imported when: the functional core never waits for Pulumi, and nothing is imported before it is used."""

import ast
import json
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest
import scalr_agents

PACKAGE = Path(scalr_agents.__file__).parent
MODULES = sorted(PACKAGE.rglob("*.py"))
CORE = [path for path in MODULES if PACKAGE / "resources" not in path.parents]


def modules_after(program: str) -> set[str]:
    """Top-level modules that are loaded when a program ends. Its garbage is not collected, as in the command line."""
    code = f"import gc, sys; gc.disable()\ntry:\n    {program}\nfinally:\n    import json; print('\\n' + json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=PACKAGE.parent.parent)
    assert "Traceback" not in done.stderr, done.stderr
    return {name.partition(".")[0] for name in json.loads(done.stdout.splitlines()[-1])}


@pytest.mark.parametrize(
    "program",
    [
        "import scalr_agents",
        "from scalr_agents import names; names('agent-job', 'runs', 'scalr')",
        "from scalr_agents import render; render('agent-job', {'agent': {'token': 'x'}}, release='runs', namespace='scalr')",
        "from scalr_agents.cli import main; main(['render'], standalone_mode=False)",
        "from scalr_agents.cli import main; main(['check', 'dev'], standalone_mode=False)",
        "from scalr_agents.cli import main; main(['schema'], standalone_mode=False)",
        "from scalr_agents.helm import adopt; adopt.take_over({}, chart='agent-job', release='runs', namespace='scalr')",
    ],
)
def test_the_core_runs_without_pulumi(program: str) -> None:
    assert {name for name in modules_after(program) if "pulumi" in name} == set()


def test_importing_the_package_imports_nothing() -> None:
    assert modules_after("import scalr_agents") & {"pydantic", "yaml", "click", "pulumi"} == set()


def test_components_do_not_import_the_typed_classes() -> None:
    assert "pulumi_kubernetes" not in modules_after("import scalr_agents.resources.deploy")


CLOUDS = {"pulumi_aws", "pulumi_gcp"}
OF_NO_CLOUD = [{}, {"shared": {"claim": "nfs"}}, {"shared": {"storageClass": {"name": "nfs"}}}]


@pytest.mark.parametrize(
    ("stacks", "imported"),
    [
        (OF_NO_CLOUD, set()),
        ([{"shared": {"efs": {"eksCluster": "prod"}}}], {"pulumi_aws"}),
        ([{"shared": {"filestore": {"location": "europe-west1-b"}}}], {"pulumi_gcp"}),
    ],
    ids=["none", "aws", "gcp"],
)
def test_the_sdk_of_a_cloud_is_imported_for_a_cache_of_that_cloud(stacks: list[dict[str, object]], imported: set[str]) -> None:
    errors = f"[stack_with(caches).error for caches in {stacks}]"
    program = f"from tests.helpers.programs import stack_with; assert {errors} == {[None] * len(stacks)}"
    assert modules_after(program) & CLOUDS == imported


@pytest.mark.parametrize(
    ("machine", "imported"),
    [
        ({"docker": {}}, set()),
        ({"ec2": {"subnets": ["subnet-0a"], "instanceType": "t3.large"}}, {"pulumi_aws"}),
        ({"gce": {"region": "europe-west1", "subnetwork": "agents", "machineType": "e2-standard-2"}}, {"pulumi_gcp"}),
    ],
)
def test_the_sdk_of_a_cloud_is_imported_for_machines_of_that_cloud(machine: dict[str, object], imported: set[str]) -> None:
    secrets = {} if "docker" in machine else {"it": {"token": "t"}}
    given = f"{{}}, {{}}, machines={{'it': {machine}}}, secrets={secrets}"
    program = f"from tests.helpers.programs import stack_with; assert stack_with({given}).error is None"
    assert modules_after(program) & CLOUDS == imported


@pytest.mark.parametrize("command", ["render", "check", "images", "template"])
def test_doctor_is_imported_only_by_its_command(command: str) -> None:
    """It needs a client of the Kubernetes API, whose import takes longer than all of another command."""
    arguments = {"template": ["template", "agent-job", "--set", "agent.token=x"]}.get(command, [command, "dev"])
    code = f"import sys; from scalr_agents.cli import main; main({arguments}, standalone_mode=False)"
    loaded = "print([name for name in sys.modules if name.split('.')[0] == 'kubernetes' or name.startswith('scalr_agents.doctor')])"
    program = f"try:\n    {code}\nexcept SystemExit: pass\n{loaded}"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=PACKAGE.parent.parent)
    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize("path", CORE, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_only_the_folder_of_resources_imports_pulumi(path: Path) -> None:
    imported = [
        name
        for node in ast.walk(ast.parse(path.read_text()))
        for name in ([alias.name for alias in node.names] if isinstance(node, ast.Import) else [getattr(node, "module", "") or ""])
    ]
    assert [name for name in imported if name.startswith("pulumi")] == []


def test_every_module_can_be_imported_first() -> None:
    """Modules that import each other, at their top level, work or fail depending on which one is first."""
    names = {".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__"): path for path in MODULES}
    needed = {name: set(_imported(ast.parse(path.read_text()).body, set(names))) - {name} for name, path in names.items()}
    assert needed["scalr_agents.resources.deploy"] >= {"scalr_agents.stack", "scalr_agents.stack.source"}
    TopologicalSorter(needed).prepare()  # raises CycleError with the circle


def _imported(statements: Iterable[ast.stmt], modules: set[str]) -> Iterator[str]:
    """The modules of the package that are imported when a module runs, not when its functions do or a type checker reads it."""
    for statement in statements:
        match statement:
            case ast.Import():
                yield from (alias.name for alias in statement.names if alias.name in modules)
            case ast.ImportFrom():
                for alias in statement.names:
                    whole = f"{statement.module}.{alias.name}"
                    yield from {whole if whole in modules else str(statement.module)} & modules
            case ast.If(test=ast.Name(id="TYPE_CHECKING")):
                yield from _imported(statement.orelse, modules)
            case ast.If() | ast.Try() | ast.With():
                yield from _imported(statement.body, modules)


@pytest.mark.parametrize(("name", "cloud"), [("EfsCache", "aws"), ("FilestoreCache", "gcp")])
def test_a_component_of_a_cloud_says_what_to_install(name: str, cloud: str) -> None:
    program = f"import sys; sys.modules['pulumi_{cloud}'] = None; import scalr_agents; scalr_agents.{name}"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    (needed,) = tomllib.loads((PACKAGE.parent / "pyproject.toml").read_text())["project"]["optional-dependencies"][cloud]
    advice = f"run: {sys.executable} -m pip install '{needed}'"
    assert done.stderr.splitlines()[-1] == f"ModuleNotFoundError: {name} needs pulumi_{cloud}: {advice}"


def test_public_names_are_found_and_others_are_not() -> None:
    assert [name for name in scalr_agents.__all__ if getattr(scalr_agents, name, None) is None] == []
    with pytest.raises(AttributeError, match="has no attribute 'AgentJobs'"):
        scalr_agents.__getattr__("AgentJobs")
