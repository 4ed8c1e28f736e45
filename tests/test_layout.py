"""Where helpers of tests are: in modules without tests, and in `helpers` if several folders import them."""

import ast
from collections import defaultdict
from collections.abc import Mapping
from functools import cache
from pathlib import Path

HERE = Path(__file__).parent
OUTSIDE_OF_HELPERS = {
    "tests.tools": "builds the programs that tests run, and has tests of its own",
    "tests.definitions": "holds definitions of other projects",
    "tests.cluster": "runs the control plane on which engine, node and clouds build",
    "tests.engine": "runs the engine on which node, clouds and languages build",
    "tests.package.schema": "writes the schema of the package, which pages and SDKs are made from",
}
"""Folders and modules that several folders import, with the reason why they are not in `helpers`."""


@cache
def imported(source: str) -> list[str]:
    """Dotted names of what a module imports, wherever in it."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            found += [f"{'.' * node.level}{node.module or ''}.{alias.name}" for alias in node.names]
    return found


def of_tests(source: str) -> list[str]:
    return [name for name in imported(source) if any(part.startswith("test_") for part in name.split("."))]


def test_no_module_imports_from_a_test_module() -> None:
    found = {module: of_tests(source) for module, source in modules().items()}
    assert {module: names for module, names in found.items() if names} == {}


def test_imports_from_test_modules_are_found() -> None:
    program = "import tests.test_a\nfrom tests.test_b import C\nfrom tests import test_c, samples\ndef f():\n    from .test_d import D\n"
    assert of_tests(program) == ["tests.test_a", "tests.test_b.C", "tests.test_c", ".test_d.D"]


@cache
def modules() -> dict[str, str]:
    """The sources of all modules of tests by dotted name."""
    files = {file.relative_to(HERE.parent).with_suffix(""): file for file in HERE.rglob("*.py")}
    return {".".join(path.parts).removesuffix(".__init__"): file.read_text(encoding="utf-8") for path, file in files.items()}


def folder(module: str) -> str:
    """The folder of a module, empty for those directly in `tests`."""
    parts = module.split(".")
    return parts[1] if len(parts) > 2 or (HERE / parts[-1]).is_dir() else ""


def shared(sources: Mapping[str, str]) -> dict[str, list[str]]:
    """The modules that two or more other folders import, with these folders. Modules directly in `tests` are programs, not helpers."""
    found = defaultdict(set)
    for user, source in sources.items():
        for name in imported(source):
            module = name if name in sources else name.rpartition(".")[0]
            if module in sources and folder(module) not in {"", "helpers", folder(user)}:
                found[module].add(folder(user))
    return {module: sorted(folders) for module, folders in found.items() if len(folders) > 1}


def listed(module: str) -> list[str]:
    """The entry of the list that a module is of, if any."""
    return [entry for entry in OUTSIDE_OF_HELPERS if f"{module}.".startswith(f"{entry}.")]


def test_modules_that_several_folders_import_are_in_helpers() -> None:
    assert {module: folders for module, folders in shared(modules()).items() if not listed(module)} == {}


def test_every_exception_is_needed() -> None:
    assert {entry for module in shared(modules()) for entry in listed(module)} == OUTSIDE_OF_HELPERS.keys()


def test_shared_modules_are_found() -> None:
    sources = {
        "tests.stack.plain": "",
        "tests.stack.caches": "from tests.stack import plain",
        "tests.helpers.samples": "",
        "tests.test_a": "from tests.stack.plain import load\nfrom tests.helpers.samples import URL",
        "tests.helm.test_b": "def f():\n    from tests.stack import plain, caches",
        "tests.live.test_c": "import tests.stack.plain\nimport tests.helpers.samples",
    }
    assert shared(sources) == {"tests.stack.plain": ["", "helm", "live"]}
