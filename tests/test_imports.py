"""What is imported when: the functional core never waits for Pulumi, and nothing is imported before it is used."""

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path
from typing import NamedTuple

import pytest
import scalr_agents
from scalr_agents.charts import CHARTS

from tests.helpers.imported import modules_after, of_libraries

PACKAGE = Path(scalr_agents.__file__).parent
MODULES = sorted(PACKAGE.rglob("*.py"))
CORE = [path for path in MODULES if PACKAGE / "resources" not in path.parents]


def _command(*arguments: str) -> str:
    return f"from scalr_agents.cli import main; main({list(arguments)}, standalone_mode=False)"


def test_the_core_runs_without_pulumi_and_clusters() -> None:
    """What reads a cluster needs a client of the Kubernetes API, whose import takes longer than all of another command."""
    imported, *steps = modules_after(
        "import scalr_agents",
        "from scalr_agents import names; names('agent-job', 'runs', 'scalr')",
        "from scalr_agents import render; render('agent-job', {'agent': {'token': 'x'}}, release='runs', namespace='scalr')",
        "from scalr_agents.migration import adopt; adopt.take_over({}, chart='agent-job', release='runs', namespace='scalr')",
        _command("render", "dev"),
        _command("check", "dev"),
        _command("images", "dev"),
        _command("schema"),
        _command("template", "agent-job", "--set", "agent.token=x"),
    )
    assert of_libraries(imported) & {"pydantic", "yaml", "click", "pulumi"} == set()
    of_clusters = ("kubernetes", "scalr_agents.cluster", "scalr_agents.doctor", "scalr_agents.day2")
    late = [
        name for name in steps[-1] if "pulumi" in name.partition(".")[0] or any(f"{name}.".startswith(f"{each}.") for each in of_clusters)
    ]
    assert late == []
    assert "scalr_agents.stack.schema" in steps[-1]


def test_only_the_folder_of_resources_imports_pulumi() -> None:
    """Not even for a type checker."""
    imports = re.compile(r"^\s*(import|from) pulumi", re.MULTILINE)
    assert [str(path.relative_to(PACKAGE)) for path in CORE if imports.search(path.read_text())] == []


def test_services_of_clouds_are_imported_one_by_one() -> None:
    """mypy does not read the modules that import all of them, so that nothing that is used through these is checked."""
    whole = re.compile(r"^\s*import pulumi_(aws|gcp)\b", re.MULTILINE)
    assert [str(path.relative_to(PACKAGE)) for path in MODULES if whole.search(path.read_text())] == []


FLOORS = {
    "model": 0,
    **dict.fromkeys(("charts", "caches", "machines", "output", "printing"), 1),
    "stack": 2,
    **dict.fromkeys(("observability", "cluster"), 3),
    **dict.fromkeys(("migration", "doctor"), 4),
    **dict.fromkeys(("day2", "resources"), 5),
    "cli": 6,
}
"""Where folders and modules of the package stand. Each imports only what stands below it, and its own folder."""
WITHOUT_STACK = "for commands without a stack"
IN_FUNCTIONS: dict[str, dict[str, tuple[int, str]]] = {
    "cli": {"stack.schema": (86, "for all commands but `schema`: all models are built")},
    "cli.loading": {
        "stack": (28, WITHOUT_STACK),
        "stack.caches": (46, "for commands without a stack; 16 for stacks without caches"),
        "stack.machines": (46, "for commands without a stack; 20 for stacks without machines"),
        "stack.positions": (26, WITHOUT_STACK),
        "stack.secrets": (25, WITHOUT_STACK),
        "stack.source": (25, WITHOUT_STACK),
    },
    "cli.stacks": {
        "observability": (31, WITHOUT_STACK),
        "stack.graph": (30, WITHOUT_STACK),
        "stack.hosts": (27, WITHOUT_STACK),
        "stack.source": (25, WITHOUT_STACK),
    },
    "cli.clusters": {
        "doctor.command": (65, "for all commands but `doctor`"),
        "cluster.api": (60, "for all commands without a cluster"),
        "cluster.kubeconfig": (60, "for all commands without a cluster"),
        "day2.impact": (90, "for all commands but `impact`"),
        "day2.logs": (65, "for all commands but `logs`"),
        "day2.status": (65, "for all commands but `status`"),
    },
    "__main__": {"cli": (19, "pydantic does not look for plugins, which is set before it is imported")},
    "cluster.api": {
        "urllib3": (26, "for stacks with errors; may not be installed"),
        "kubernetes.client": (100, "as urllib3"),
    },
    "cluster.kubeconfig": {
        "kubernetes.client": (100, "may not be installed"),
        "kubernetes.config": (96, "may not be installed"),
    },
    "stack": {
        "stack.caches": (16, "for stacks without caches"),
        "stack.machines": (20, "for stacks without machines"),
    },
    "migration.commands": {
        "migration.alpha": (19, "for all commands but `convert-values`"),
        "migration.adopt": (11, "for all commands but `adopt`"),
        "migration.adopt.release": (11, "for all commands but `adopt`"),
        "stack.source": (8, WITHOUT_STACK),
    },
    "resources.deploy_machines": {
        "resources.aws.ec2_agents": (269, "for stacks without machines on AWS: the SDK"),
        "resources.gcp.gce_agents": (448, "for stacks without machines on Google Cloud: the SDK"),
    },
}
"""All imports inside functions, of any package, with the milliseconds that each saves, and for whom."""
LEAST_SAVED = 5
BY_NAME = {"", "charts", "caches", "resources.deploy"}
"""The modules that import others by name: public names, charts, kinds of caches and what creates them."""


class Import(NamedTuple):
    """An import by a module of the package. Modules of the package are named without it."""

    by: str
    of: str
    in_function: bool


def _name(path: Path) -> str:
    return ".".join(path.relative_to(PACKAGE).with_suffix("").parts).removesuffix("__init__").removesuffix(".")


NAMES = {_name(path): path for path in MODULES}


def _imports(by: str, tree: ast.AST, *, in_function: bool = False) -> Iterator[Import]:
    """The imports of a module, wherever they are, but for those that only a type checker reads."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            continue
        found = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, "relative import"
            wholes = [(f"{node.module}.{alias.name}", str(node.module)) for alias in node.names]
            found = [whole if whole.removeprefix("scalr_agents.") in NAMES else module for whole, module in wholes]
        for name in found:
            yield Import(by, name.removeprefix("scalr_agents."), in_function)
        yield from _imports(by, node, in_function=in_function or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda))


@pytest.fixture(scope="module")
def all_imports() -> set[Import]:
    return {each for name, path in NAMES.items() for each in _imports(name, ast.parse(path.read_text())) if each.of != name}


@pytest.fixture(scope="module")
def imports(all_imports: set[Import]) -> set[Import]:
    """Those of modules of the package."""
    return {each for each in all_imports if each.of in NAMES}


def test_imports_lead_down(imports: set[Import]) -> None:
    """What stands above is not imported from below, also not inside of functions."""
    assert {name.partition(".")[0] for name in NAMES} - {"", "__main__"} == set(FLOORS)
    wrong = []
    for each in imports:
        by, of = each.by.partition(".")[0], each.of.partition(".")[0]
        if by not in ("", "__main__", of) and FLOORS[by] <= FLOORS[of]:
            wrong.append(each)
    assert wrong == []


def test_what_charts_share_knows_no_chart(imports: set[Import]) -> None:
    rooms = [f"charts.{chart.replace('-', '_')}" for chart in CHARTS]

    def room(name: str) -> str:
        return next((room for room in rooms if f"{name}.".startswith(f"{room}.")), "")

    assert [each for each in imports if each.by.startswith("charts.shared") and room(each.of)] == []
    assert [each for each in imports if room(each.by) and room(each.of) not in ("", room(each.by))] == []


def test_modules_do_not_import_each_other(imports: set[Import]) -> None:
    """Modules in a circle work or fail depending on which one is first. Imports inside functions only hide a circle."""
    needed: dict[str, set[str]] = {name: set() for name in NAMES}
    for each in imports:
        needed[each.by].add(each.of)
    assert needed["resources.deploy"] >= {"stack", "stack.source"}
    TopologicalSorter(needed).prepare()  # raises CycleError with the circle


def test_imports_inside_functions_are_listed_with_what_they_save(all_imports: set[Import]) -> None:
    found: dict[str, set[str]] = {}
    for each in all_imports:
        if each.in_function:
            found.setdefault(each.by, set()).add(each.of)
    assert found == {by: set(imported) for by, imported in IN_FUNCTIONS.items()}
    assert [row for rows in IN_FUNCTIONS.values() for row in rows.values() if row[0] < LEAST_SAVED] == []


def test_modules_are_imported_by_name_where_they_are_found_by_name() -> None:
    """Elsewhere, an import of which only the name is known would hide from the other tests."""
    assert {name for name, path in NAMES.items() if {"import_module", "__import__"} & set(re.findall(r"\w+", path.read_text()))} == BY_NAME


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
