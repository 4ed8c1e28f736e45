"""The catalogue of findings: a file for each room says what is given, and exactly what is found.

    bases: {plain: {agent: {token: a-token}}}  # what an entry is given, the first one unless it names another
    cases:
      grace periods:                           # what the entries are about
      - given: {agent.shutdownMode: slow}      # changes of the base, by path
        finds: [error agent.shutdownMode]      # severity and path of each finding

`finds` is empty where it is missing. A finding is written `{error agent.url: no host}` if its message must contain some words: those that a
user copies from it, or that tell it from other findings at the same place. The other keys of an entry are parameters of the room's function
below; a file may have some for all of its entries, beside `bases`.

`!each [a, b]` stands for an entry with each of the values, and `!absent` for what the base has and the entry has not. `!later` is known
only during deployment, and `!sealed path` is a secret that is still encrypted.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple
from unittest import mock

import yaml
from scalr_agents import stack
from scalr_agents.caches.efs import EfsArguments, EfsClaimSettings, EfsCsiDriverSettings
from scalr_agents.caches.filestore.settings import FilestoreArguments, FilestoreClaimSettings
from scalr_agents.caches.storage_class import StorageClassClaimSettings, StorageClassSettings
from scalr_agents.charts.shared.inputs import Inputs, Network, Scaling
from scalr_agents.machines.aws import Ec2Arguments
from scalr_agents.machines.gcp import GceArguments
from scalr_agents.model.findings import Finding, as_path
from scalr_agents.model.judge import judge
from scalr_agents.model.maps import Values, merge, nested
from scalr_agents.model.parse import parse_arguments
from scalr_agents.model.section import Section, by_name
from scalr_agents.resources import validation
from scalr_agents.stack.source import Sealed

from tests.helpers.components import program
from tests.helpers.opaque import Later
from tests.helpers.recording import run
from tests.helpers.validated import validate

HERE = Path(__file__).parent
SETTINGS: Mapping[str, type[Section]] = {
    "Ec2Agents": Ec2Arguments,
    "EfsCache": EfsArguments,
    "EfsClaim": EfsClaimSettings,
    "EfsCsiDriver": EfsCsiDriverSettings,
    "FilestoreCache": FilestoreArguments,
    "FilestoreClaim": FilestoreClaimSettings,
    "GceAgents": GceArguments,
    "StorageClass": StorageClassSettings,
    "StorageClassClaim": StorageClassClaimSettings,
}
"""The arguments of components."""
PLATFORMS = {"Ec2Agents": "aws", "GceAgents": "gcp"}
STACK = "scalr-agents:"
"""Before every path of a stack file, and left out here."""


class Case(NamedTuple):
    """An entry of a file."""

    name: str
    is_first: bool
    """Whether it is the first of an entry that stands for several."""
    find: Callable[..., Sequence[Finding]]
    given: Values
    options: Mapping[str, Any]
    finds: Sequence[str | Mapping[str, str]]

    def found(self) -> list[Finding]:
        return list(self.find(self.given, **self.options))

    def written(self, found: Sequence[Finding]) -> list[str]:
        """Findings as the entry writes them: with the words that it expects, or else with all of the message."""
        expected, lines = list(self.finds), []
        for finding in found:
            as_expected = (each for each in expected if _is(each, finding))
            match = next(as_expected, None)
            if match is not None:
                expected.remove(match)
            lines.append(str({label(finding): finding.message} if match is None else match))
        return sorted(lines)


def label(finding: Finding) -> str:
    place = f" ({finding.position.file})" if finding.position else ""
    return f"{finding.severity} {finding.path.removeprefix(STACK)}{place}".rstrip()


def _is(expected: str | Mapping[str, str], finding: Finding) -> bool:
    if isinstance(expected, str):
        return expected == label(finding)
    [(at, words)] = expected.items()
    return at == label(finding) and words in finding.message


def cases(room: str) -> Iterator[Case]:
    """The entries of a file."""
    content = _Loader((HERE / f"{room}.yaml").read_text()).get_single_data()
    bases, groups = content.pop("bases"), content.pop("cases")
    content.pop("words", None)
    lines, inputs = content.pop("versions", ()), content.pop("inputs", {})
    for title, entries in groups.items():
        for number, entry in enumerate(entries):
            chosen = entry.pop("base", [next(iter(bases))])
            given, beside, finds = (entry.pop(key, {}) for key in ("given", "inputs", "finds"))
            versions = [{"version": version} for version in entry.pop("versions", lines)] or [{}]
            changed = (each for base in chosen for each in _changed(bases[base], given))
            for index, (values, added, version) in enumerate(product(changed, _changed(inputs, beside), versions)):
                options = content | entry | version | ({"inputs": added} if added else {})
                yield Case(f"{title}-{number}-{index}", index == 0, FINDERS[room], values, options, list(finds))


class _Each(list[Any]):
    """Values that are given one after another."""


def _changed(base: Values, changes: Values) -> Iterator[Values]:
    """The base with what is given: once for each of the values of a list of alternatives."""
    choices = [[(path, one) for one in value] if isinstance(value, _Each) else [(path, value)] for path, value in changes.items()]
    for chosen in product(*choices):
        changed = base
        for path, value in chosen:
            changed = merge(changed, nested([str(part) for part in as_path(path)], value))
        yield _present(changed)


class _Absent:
    """In place of what the base has, and the entry has not."""


def _present(values: Any) -> Any:
    if not isinstance(values, dict):
        return values
    return {key: _present(value) for key, value in values.items() if not isinstance(value, _Absent)}


class _Loader(yaml.SafeLoader):
    """YAML with our tags."""


def _alternatives(loader: _Loader, node: yaml.SequenceNode) -> _Each:
    return _Each(loader.construct_sequence(node, deep=True))


def _sealed(loader: _Loader, node: yaml.ScalarNode) -> Sealed:
    return Sealed(str(loader.construct_scalar(node)))


_Loader.add_constructor("!each", _alternatives)
_Loader.add_constructor("!absent", lambda *_: _Absent())
_Loader.add_constructor("!later", lambda *_: Later())
_Loader.add_constructor("!sealed", _sealed)


def of_agent(
    given: Values,
    chart: str,
    version: str,
    release: str = "runs",
    namespace: str = "scalr",
    names: Any = "scoped",
    inputs: Mapping[str, Any] | None = None,
) -> list[Finding]:
    """Values of a chart, and what programs and stack files have beside them."""
    made = dict(inputs or {})
    for key, section in (("network", Network), ("scaling", Scaling)):
        if key in made:
            made[key] = section.model_validate(made[key], by_name=True, by_alias=False)
    found = validate(chart, given, release=release, namespace=namespace, agent_version=version, naming=names, inputs=Inputs(**made))
    return found.findings


def of_component(given: Values, component: str) -> Sequence[Finding]:
    """Arguments of a component, by its model."""
    model = SETTINGS[component]
    parsed, wrong = parse_arguments(model, given)
    return wrong if parsed is None else list(judge(parsed, by_name, facts={"platform": PLATFORMS.get(component)}))


def of_program(given: Values) -> Sequence[Finding]:
    """A program with a component. One that is refused registers nothing."""
    args = {key: value for key, value in given.items() if key != "component"}
    with mock.patch.object(validation, "report", wraps=validation.report) as report:
        recording = run(program(given["component"], args))
    if recording.error is None:
        found: Sequence[Finding] = report.call_args.args[2]
        return found
    assert isinstance(recording.error, validation.ArgsError)
    assert recording.names == []
    return recording.error.findings


def of_stack(given: Values, files: Mapping[str, str] | None = None, **options: Any) -> list[Finding]:
    """A stack file, and the files that it names."""
    with TemporaryDirectory() as directory:
        for name, text in (files or {}).items():
            (Path(directory) / name).write_text(text)
        return stack.load(given, directory=Path(directory), **options).findings


FINDERS: Mapping[str, Callable[..., Sequence[Finding]]] = {
    **dict.fromkeys(("agent-job", "agent-local", "agent-k8s", "network"), of_agent),
    **dict.fromkeys(("efs", "filestore", "storage-class", "machine-groups"), of_component),
    "programs": of_program,
    **dict.fromkeys(("machines", "stack", "stack-caches", "stack-secrets", "stack-neighbours", "stack-quotas"), of_stack),
}
"""The rooms, each a file of its name."""
