"""Every way to set a value of an agent, with the messages about it."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import scalr_agents
from click.testing import CliRunner
from scalr_agents import charts, stack
from scalr_agents.cli import main
from scalr_agents.model.maps import merge

from tests.helpers.agent_job import CURRENT, nested
from tests.helpers.programs import TOKEN, agent_job
from tests.helpers.recording import run

Way = Callable[[str, Any, Path], str]
"""Sets a value at a path, with a directory for files, and returns all messages."""

_REST: dict[str, Any] = {"agent": {"url": "https://acme.scalr.io"}, "task": {"job": {"activeDeadlineSeconds": 3600}}}


def in_values(path: str, given: Any, _: Path) -> str:
    content = merge(merge(_REST, {"agent": {"token": TOKEN}}), nested(path, given))
    return "\n".join(map(str, charts.check("agent-job", content, release="runs", namespace="scalr", agent_version=CURRENT)))


def in_a_stack_file(path: str, given: Any, _: Path) -> str:
    return _loaded({"values": merge(_REST, nested(path, given))}, Path())


def in_a_values_file(path: str, given: Any, directory: Path) -> str:
    for name, content in (("rest", _REST), ("given", nested(path, given))):
        (directory / f"{name}.yaml").write_text(json.dumps(content))
    return _loaded({"valuesFiles": ["rest.yaml", "given.yaml"]}, directory)


def _loaded(agent: dict[str, Any], directory: Path) -> str:
    entry = {"kind": "agent-job", "namespace": "scalr", "agentVersion": CURRENT, **agent}
    loaded = stack.load({"agents": {"runs": entry}, "secrets": {"runs": {"token": TOKEN}}}, directory=directory)
    return "\n".join(map(str, loaded.findings))


def on_the_command_line(path: str, given: Any, _: Path) -> str:
    rest = [f"--set={key}={json.dumps(value)}" for key, value in _REST.items()]
    base = ["--agent-version", CURRENT, *rest, "--set", f"agent.token={TOKEN}"]
    option, text = ("--set-string", given) if isinstance(given, str) else ("--set", json.dumps(given))
    return CliRunner().invoke(main, ["template", "agent-job", *base, option, f"{path}={text}"], catch_exceptions=False).stderr


def in_a_program(path: str, given: Any, _: Path) -> str:
    recording = run(agent_job(url=None, agent_version=CURRENT, values=merge(_REST, nested(path, given))))
    assert recording.error is None or isinstance(recording.error, scalr_agents.ArgsError)
    return f"{recording.error or ''}\n{recording.log}"


WAYS: dict[str, Way] = {
    "values": in_values,
    "stack file": in_a_stack_file,
    "values file": in_a_values_file,
    "command line": on_the_command_line,
    "program": in_a_program,
}
