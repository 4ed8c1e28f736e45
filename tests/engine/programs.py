"""Programs in Python that import the components, as stacks: examples, the one in docs/programs.md, and others of the tests."""

import re
import runpy
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path

import yaml
from pulumi import automation

from tests.engine.stacks import REPOSITORY, Deployment
from tests.helpers.example_programs import EXAMPLES, settings

ON_KUBERNETES = ("existing-claim", "importing")
"""Examples in Python that need a cluster and no cloud. tests/engine/test_pool.py and test_automation_example.py run two more."""


def example(name: str, directory: Path, command: automation.PulumiCommand) -> Deployment:
    """An example with its documented configuration."""
    project = yaml.safe_load((EXAMPLES / name / "Pulumi.yaml").read_text(encoding="utf-8"))["name"]
    made = _new(directory, command, project, partial(_run, EXAMPLES / name / "__main__.py"))
    shutil.copy(EXAMPLES / name / "Pulumi.yaml", made.project)
    made.create()
    for each in settings(name):
        key = each.key if ":" in each.key else f"{project}:{each.key}"
        made.set_config({key: each.value or f"s3cr3t-{each.key}"}, secret=each.secret)
    return made


def of_the_page(directory: Path, command: automation.PulumiCommand) -> Deployment:
    """The program in docs/programs.md."""
    page = (REPOSITORY / "docs" / "programs.md").read_text(encoding="utf-8")
    [text] = re.findall(r"^```python\n(.*?AgentCrds\(.*?)^```", page, re.DOTALL | re.MULTILINE)
    made = of(directory, command, partial(_run, directory / "program.py"))
    (directory / "program.py").write_text(text, encoding="utf-8")
    made.set_config({"program:paymentsToken": "s3cr3t"}, secret=True)
    return made


def of(directory: Path, command: automation.PulumiCommand, program: Callable[[], None]) -> Deployment:
    """A program of the tests: a function of a module."""
    made = _new(directory, command, "program", program)
    (made.project / "Pulumi.yaml").write_text("name: program\nruntime: python\n", encoding="utf-8")
    made.create()
    return made


def _new(directory: Path, command: automation.PulumiCommand, project: str, program: Callable[[], None]) -> Deployment:
    made = Deployment("dev", directory, command, program=program, project_name=project)
    made.project.mkdir(parents=True)
    return made


def _run(program: Path) -> None:
    runpy.run_path(str(program))
