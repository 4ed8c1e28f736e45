"""No test module imports from another one: what several of them need is in a module without tests."""

import ast
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).parent


def imported(source: str) -> Iterator[str]:
    """Dotted names of what a module imports, wherever in it."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{'.' * node.level}{node.module or ''}.{alias.name}" for alias in node.names)


def of_tests(source: str) -> list[str]:
    return [name for name in imported(source) if any(part.startswith("test_") for part in name.split("."))]


def test_no_module_imports_from_a_test_module() -> None:
    found = {str(file.relative_to(HERE)): of_tests(file.read_text(encoding="utf-8")) for file in HERE.rglob("*.py")}
    assert {file: names for file, names in found.items() if names} == {}


def test_imports_from_test_modules_are_found() -> None:
    program = "import tests.test_a\nfrom tests.test_b import C\nfrom tests import test_c, samples\ndef f():\n    from .test_d import D\n"
    assert of_tests(program) == ["tests.test_a", "tests.test_b.C", "tests.test_c", ".test_d.D"]
