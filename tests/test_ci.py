"""A step of `.ci/run` begins only after what it uses is there."""

import subprocess

import pytest

from tests.ci import REPOSITORY, STEPS, Step

SETUP = ".venv/.docs"
BUILDERS = {f"tests.tools.build {name}": name for name in ("control-plane", "clouds", "node")}
BY_NAME = {step.name: step for step in STEPS}


def commands(step: Step) -> str:
    """What it runs, with the commands of the targets that it makes."""
    if step.command[0] != "make":
        return " ".join(step.command)
    return subprocess.run([*step.command, "--dry-run", "--always-make"], cwd=REPOSITORY, check=True, capture_output=True, text=True).stdout


def before(step: Step) -> set[str]:
    return set(step.needs).union(*(before(BY_NAME[name]) for name in step.needs))


@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.name)
def test_a_step_waits_for_what_it_uses(step: Step) -> None:
    text = commands(step)
    used = {name for command, name in BUILDERS.items() if command in text} | ({SETUP} if ".venv/" in text else set())
    assert used - {step.name} <= before(step)


def test_a_step_stands_below_those_that_it_needs() -> None:
    for index, step in enumerate(STEPS):
        assert set(step.needs) <= {earlier.name for earlier in STEPS[:index]}
