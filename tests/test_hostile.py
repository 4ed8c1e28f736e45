"""Hostile text in files is harmless in terminals, logs, shells and on machines."""

import re
import shlex
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st
from scalr_agents import stack
from scalr_agents.machines import documents, files
from scalr_agents.model import texts, yaml_io
from scalr_agents.model.findings import errors
from scalr_agents.model.maps import merge
from scalr_agents.stack.machines import MachineEntry, StackMachine
from scalr_agents.stack.model import Common

from tests.helpers.command_line import cli, stack as write
from tests.helpers.machines import APT, EC2, GCE, YUM, load
from tests.helpers.places import BASE, Place, of_stacks, places, put

HARM = "HARM=1"
TEXTS = (
    f"a\n{HARM}\r\x0b\x85\u2028\x1b]0;\x07\x1b[2J\u202e\u2066",
    f"a';{HARM};'\";%n$({HARM})`{HARM}`",
    f"-{HARM}",
    f"--privileged --{HARM}",
)
"""Characters that no terminal should get, those that shells and systemd read, beginnings of options; all short enough for a name."""
MACHINES: tuple[dict[str, Any], ...] = (
    {"docker": {}},
    {"ec2": EC2},
    {"gce": GCE},
    {"ec2": EC2, "runtime": "package", "package": YUM},
    {"docker": {}, "runtime": "package", "package": APT},
)
NOT_PRINTED = re.compile("[\x00-\x08\x0a-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\u200e\u200f]")


@pytest.mark.parametrize("text", TEXTS[:2])
def test_findings_contain_no_control_characters(text: str) -> None:
    for place in of_stacks():
        for leaf in (text, {text: text}):
            for finding in stack.load(merge(BASE, put(place, leaf)), directory=Path("/none")).findings:
                for printed in (str(finding), finding.text, finding.as_github(), *map(str, finding.as_json().values())):
                    assert not NOT_PRINTED.search(printed), (place, printed)
                for command in re.findall(r"--path (.*)$", finding.message):
                    assert len(shlex.split(command.partition(" (runs")[0].partition(", and:")[0])) == 1, (place, command)


def _machines(text: str) -> Iterator[tuple[Place, StackMachine]]:
    """Machines with a text in each setting that accepts it."""
    proxy = {"proxy": {"https": "http://proxy.acme:3128"}}
    for machine in MACHINES:
        for place in places(MachineEntry):
            loaded = load(merge(machine, put(place, text)), proxy)
            yield from ((place, each) for each in loaded.machines if not errors(loaded.findings))
        for place in places(Common):
            loaded = load(machine, merge(proxy, put(place, text)))
            yield from ((place, each) for each in loaded.machines if not errors(loaded.findings))


@pytest.mark.parametrize("text", TEXTS)
def test_machine_files_contain_no_control_characters(text: str) -> None:
    for place, machine in _machines(text):
        for form in documents.FORMS:
            if machine.refusal(form):
                continue
            document = machine.document(form)
            assert all(map(texts.is_one_line, document.split("\n"))), (place, form)
            for line in document.splitlines():
                assert not line.strip(" -'\"").startswith(HARM), (place, form, line)
            for step in machine.steps(form):
                assert not NOT_PRINTED.search(step)
        if not machine.refusal("run"):
            command = shlex.split(machine.document("run"))
            assert not any(word.startswith(("-HARM", "--privileged")) for word in command), (place, command)
            assert not any(word == HARM for word in command), (place, command)
        for file in files.files(machine.machine, machine.names()):
            if file.path.endswith((".service", ".conf")):
                assert _expanded(file.content) == [], (place, file.path)


def _expanded(unit: str) -> list[str]:
    """The text of a unit that systemd or a shell would expand."""
    lines = [line for line in unit.splitlines() if HARM in line]
    commands = [line for line in lines if line.startswith("Exec")]
    return [
        *(line for line in lines if re.search(r"(?<!%)(%%)*%(?!%)", line)),
        *(line for line in commands if re.search(r"(?<!\$)(\$\$)*\$(?!\$)", line)),
    ]


def test_line_writers_refuse_control_characters() -> None:
    """Without checks, units, variable files and repositories still have only their own lines."""
    for text in ("a\nb", "a\rb", "a\0", "\x1b[2J", "a\x85b", "a\u2028b"):
        with pytest.raises(ValueError, match="a line of a file on the machine contains a control character"):
            texts.lines(["[Service]", f"Environment={text}"])
    assert texts.lines(["a\tb", "é"]) == "a\tb\né\n"
    machine = load({"ec2": EC2}, {"proxy": {"https": "http://proxy.acme:3128"}}).machines[0]
    shared = machine.machine.shared.model_copy(update={"no_proxy": [f"a\n{HARM}"]})
    with pytest.raises(ValueError, match="control character"):
        replace(machine, machine=replace(machine.machine, shared=shared)).document("systemd")


@given(st.text(max_size=20))
def test_shell_words_are_quoted(text: str) -> None:
    assert shlex.split(texts.shell_word(text)) == [text]


@given(st.text(max_size=20))
def test_escaped_text_is_one_line_and_stable(text: str) -> None:
    escaped = texts.escaped(text)
    assert not NOT_PRINTED.search(escaped)
    assert escaped.splitlines() == ([escaped] if escaped else [])
    assert texts.escaped(escaped) == escaped


def test_command_errors_contain_no_control_characters(tmp_path: Path) -> None:
    (tmp_path / "Pulumi.yaml").write_text("name: scalr-agents\nruntime: python\nstackConfigDir: stacks\n")
    (tmp_path / "stacks").mkdir()
    (tmp_path / "stacks" / "Pulumi.\x1b[2J\n::error::a.yaml").write_text("config: {}\n")
    template = ("template", "agent-job")
    for command in (("check", "other"), (*template, "-f", "no\n::error::a"), (*template, "--set", "a.\n::error::a")):
        done = cli(*command, directory=tmp_path)
        assert done.returncode == 2
        assert not any(line.startswith("::") or NOT_PRINTED.search(line) for line in done.stderr.split("\n"))
    assert "\\x1b[2J\\n::error::a" in cli("check", "other", directory=tmp_path).stderr


def test_stderr_contains_no_control_characters(tmp_path: Path) -> None:
    (tmp_path / "Pulumi.yaml").write_text("name: scalr-agents\nruntime: python\nstackConfigDir: stacks\n")
    (tmp_path / "stacks").mkdir()
    key = "\\x1b]0;x\\x07\\n::add-mask::x"
    write(tmp_path, f'config:\n  scalr-agents:agents: {{"a{key}": {{kind: agent-job, namespace: scalr}}, a: {{"{key}": 1}}}}\n')
    for command in (("check",), ("check", "-o", "github"), ("check", "-o", "json"), ("render",), ("hosts",), ("images",), ("graph",)):
        done = cli(command[0], "dev", *command[1:], directory=tmp_path)
        assert done.returncode == 1
        for line in (done.stdout + done.stderr).splitlines():
            assert not NOT_PRINTED.search(line)
            assert not line.startswith("::add-mask")


@pytest.mark.parametrize("text", ["a\u202eb", "a\u2066\n\u2069b", "\u061c", "x: \u200f#'\""])
def test_manifests_escape_control_characters(text: str) -> None:
    """A reviewer of manifests sees the text that Kubernetes reads."""
    printed = yaml_io.dump([{text: [text, {"a": text}]}])
    assert not re.search("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]", printed)
    assert yaml_io.load_values(printed) == {text: [text, {"a": text}]}
