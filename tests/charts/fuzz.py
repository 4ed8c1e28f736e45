"""Random agents of all charts, as values, in a program and in stack files: what must be true of each of them.

    python -m tests.charts.fuzz [agents of each chart, default 3000] [seed]

An agent has a few of the values that the tests of its chart set one by one, and settings of programs and stacks. Half of them are broken in
some places. As many stacks of two agents follow. It fails at the first one that ends anything with a traceback, or breaks a rule below.
"""

import io
import random
import sys
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import redirect_stderr
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import yaml
from scalr_agents import charts, observability, output, stack
from scalr_agents.charts import ChartName
from scalr_agents.charts.shared.agent import AnyAgent
from scalr_agents.charts.shared.inputs import ClusterValue
from scalr_agents.model.findings import Finding, ValuesError, errors
from scalr_agents.model.manifests import key_of
from scalr_agents.model.maps import merge
from scalr_agents.resources.kubernetes import agents as arguments
from scalr_agents.resources.validation import ArgsError
from scalr_agents.stack import graph

from tests.charts import invariants, random_agents
from tests.charts.random_agents import Case
from tests.helpers.schemas import assert_valid


def in_program(given: Case) -> AnyAgent | list[Finding]:
    """The agent of a component, or the findings with which the program ends."""
    components: Mapping[str, Callable[[str, Any], Any]] = {
        "agent-job": partial(arguments.agent_job, "AgentJob"),
        "agent-local": arguments.agent_local,
        "agent-k8s": arguments.agent_k8s,
    }
    try:
        agent: AnyAgent = components[given.chart]("runs", given.args).agent
    except ArgsError as problem:
        assert_hides_secrets(str(problem))
        return list(problem.findings)
    return agent


def assert_hides_secrets(text: str) -> None:
    assert [secret for secret in random_agents.SECRETS if secret in text] == []


def check_agent(chart: ChartName, rng: random.Random) -> str:
    """One agent: the same in a program and in a stack file, and each time."""
    given = random_agents.case(chart, rng)
    written = repr(given)
    _check_values(given)
    agent, again = in_program(given), in_program(given)
    if isinstance(agent, list):
        assert agent == again, "other findings the second time"
        misplaced = [finding for finding in agent if not invariants.is_placed(finding, given.chart, given.args)]
        assert misplaced == [], misplaced
    else:
        assert not isinstance(again, list)
        assert (agent.findings, agent.objects) == (again.findings, again.objects), "something else the second time"
        violations = list(invariants.violations(agent, given.args, scoped=given.args["names"] == "scoped"))
        assert violations == [], violations
    made = "refused" if isinstance(agent, list) else "made"
    if random_agents.is_open(given.args):
        made += " with outputs"  # which a stack file cannot have
    else:
        _check_in_stack(given, agent)
    assert repr(given) == written, "what the user has written is changed"
    return made


def _check_in_stack(given: Case, agent: AnyAgent | list[Finding]) -> None:
    """A stack file refuses what a program refuses, and more. What it makes is the same."""
    loaded = stack.load(random_agents.in_stack_file(given), directory=Path())
    assert_hides_secrets("".join(map(str, loaded.findings)))
    if isinstance(agent, list):
        assert errors(loaded.findings)
        assert all(key_of(manifest) for one in loaded.agents for manifest in one.objects), "adopt compares them before it prints errors"
    elif not errors(loaded.findings):
        [of_stack] = loaded.agents
        agent = replace(agent, inputs=replace(agent.inputs, cloud=of_stack.inputs.cloud))  # of which a program knows less
        assert _known(of_stack.objects) == _known(agent.objects)
        for manifest in () if given.is_broken else agent.objects:
            assert_valid(_known(manifest))


def _check_values(given: Case) -> None:
    """The functions for values alone: either an error is found, or everything is made."""
    about = {"release": given.args["release"], "namespace": given.args["namespace"], "agent_version": given.args["agent_version"]}
    values = merge(random_agents.MINIMUM, given.args["values"])
    found = charts.check(given.chart, values, **about)
    assert_hides_secrets("".join(map(str, found)))
    if errors(found):
        with pytest.raises(ValuesError):
            charts.render(given.chart, values, **about)
    else:
        assert charts.render(given.chart, values, **about)


def _known(content: Any) -> Any:
    """Content in which what only a cluster knows is the same everywhere."""
    if isinstance(content, dict):
        return {key: _known(item) for key, item in content.items()}
    if isinstance(content, list):
        return [_known(item) for item in content]
    return {} if isinstance(content, ClusterValue) else content


def check_stack(chart: ChartName, rng: random.Random) -> str:
    """Two agents in one stack, broken anywhere or not at all: nothing is made twice, and everything can be printed."""
    config = random_agents.stack_of_two(chart, rng)
    loaded = stack.load(config, directory=Path())
    assert_hides_secrets("".join(map(str, loaded.findings)))
    assert loaded.findings == stack.load(config, directory=Path()).findings, "other findings the second time"
    if errors(loaded.findings):
        return "refused"
    objects = observability.complete(loaded)
    keys = Counter(map(key_of, objects))
    assert max(keys.values(), default=1) == 1, keys.most_common(1)
    assert graph.mermaid(graph.of(loaded))
    assert all(loaded.images())
    printed = output.text(objects, "yaml")
    assert [key_of(manifest) for manifest in yaml.load_all(printed, Loader=yaml.CSafeLoader)] == list(keys)
    return "made"


def main(count: int = 3000, seed: int = 1) -> None:
    """Print what became of agents and stacks; fail at the first fault with its number."""
    for name, check in (("agents", check_agent), ("stacks", check_stack)):
        for chart in charts.CHARTS:
            outcomes = Counter[str]()
            for number in range(count):
                try:
                    with redirect_stderr(io.StringIO()) as log:
                        outcomes[check(chart, random.Random(f"{name}-{chart}-{seed}-{number}"))] += 1
                    assert_hides_secrets(log.getvalue())
                except BaseException:
                    print(f"{name} of {chart}: number {number} of seed {seed}", file=sys.stderr)
                    raise
            print(f"{name} of {chart:11} {count}: {dict(outcomes)}", flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
