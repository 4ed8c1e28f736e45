"""`make bench`: costs as ratios measured in one run, so that they are valid on any machine."""

import gc
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pulumi
import scalr_agents
from scalr_agents import charts, stack
from scalr_agents.resources.arguments.agents import AgentJobArgs

from tests.helpers.recording import run

ROUNDS = 11
HERE = Path(__file__).parent
ARGS = {"namespace": "scalr", "url": "https://acme.scalr.io", "token": "s3cr3t-token"}
OBJECTS = charts.render("agent-job", {"agent": {"url": ARGS["url"], "token": ARGS["token"]}}, release="runs", namespace="scalr")[1:]
DEPLOY = "from tests.helpers.programs import stack_with; assert stack_with({}).error is None"
EFS = {"shared": {"efs": {"eksCluster": "prod"}}}
FILESTORE = {"shared": {"filestore": {"location": "europe-west1-b"}}}
BASELINE = "from pydantic import BaseModel; import yaml"
SMALLEST = "import click, yaml\nfrom pydantic import BaseModel\nclass Model(BaseModel):\n    word: str = ''\nModel()"
"""What no command line of these libraries can go below: one model with one field."""


def seconds(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def pairs(one: Callable[[], object], other: Callable[[], object]) -> tuple[float, float]:
    """Medians of two pieces of work, done in turn so that a slow moment meets both."""
    one(), other()
    times = [(seconds(one), seconds(other)) for _ in range(ROUNDS)]
    return statistics.median(time for time, _ in times), statistics.median(time for _, time in times)


def stack_of(agents: int) -> Callable[[], object]:
    names = [f"agent-{number}" for number in range(agents)]
    config: dict[str, Any] = {
        "common": {"url": "https://acme.scalr.io", "labels": {"team": "web"}},
        "agents": {name: {"kind": "agent-job", "namespace": "scalr", "values": {"agent": {"debug": "1"}}} for name in names},
        "secrets": {name: {"token": "s3cr3t-token"} for name in names},
    }

    def render() -> None:
        loaded = stack.load(config, directory=HERE)
        assert len(loaded.objects()) == 1 + 10 * agents

    return render


def process(*arguments: str) -> Callable[[], object]:
    """A new interpreter, which finds its modules compiled as it does where it is installed, whatever this one may write."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return lambda: subprocess.run([sys.executable, *arguments], cwd=HERE.parent, env=environment, capture_output=True, check=True)


def as_component() -> None:
    scalr_agents.AgentJob("runs", cast(AgentJobArgs, dict(ARGS)))


def bare() -> None:
    """The same objects, without components, validation or order."""
    for number, manifest in enumerate(OBJECTS):
        group, _, version = manifest["apiVersion"].rpartition("/")
        pulumi.CustomResource(f"kubernetes:{group or 'core'}/{version}:{manifest['kind']}", f"object-{number}", manifest)


def main() -> None:
    gc.disable()  # as the command line does; collections come at odd moments and would be charged to whoever is measured
    one, many = pairs(stack_of(1), stack_of(200))
    twice, once = pairs(stack_of(400), stack_of(200))
    print(f"render, 1 agent                     {one * 1000:8.2f} ms")
    print(f"render, 200 agents                  {many * 1000:8.2f} ms   {many * 1000 / 200:.2f} ms an agent")
    print(f"render, 400 agents / 200 agents     {twice / once:8.2f}      goal: at most 2.2")

    cli, baseline = pairs(process("-m", "scalr_agents", "render"), process("-c", BASELINE))
    measured = f"{cli * 1000:.0f} ms / {baseline * 1000:.0f} ms"
    print(f"command line / pydantic and yaml    {cli / baseline:8.2f}      goal: at most 2.2 ({measured})")

    smallest, baseline = pairs(process("-c", SMALLEST), process("-c", BASELINE))
    print(f"one model and click / the same      {smallest / baseline:8.2f}      what a command line of these libraries takes at least")

    package, nothing = pairs(process("-c", "import scalr_agents"), process("-c", "pass"))
    print(f"import scalr_agents                 {(package - nothing) * 1000:8.2f} ms   beyond an empty program")

    none, loads = process("-W", "ignore", "-c", DEPLOY.format("{}")), {"aws": EFS, "gcp": FILESTORE}
    for cloud, caches in loads.items():
        with_cloud, without = pairs(process("-W", "ignore", "-c", DEPLOY.format(caches)), none)
        measured = f"{with_cloud * 1000:.0f} ms / {without * 1000:.0f} ms"
        print(f"stack with a cache in {cloud} / without  {with_cloud / without:6.2f}      the SDK of {cloud} is imported ({measured})")

    component, plain = pairs(lambda: run(as_component), lambda: run(bare))
    measured = f"{component * 1000:.1f} ms / {plain * 1000:.1f} ms"
    print(f"AgentJob / its objects bare         {component / plain:8.2f}      goal: at most 1.4 ({measured})")


if __name__ == "__main__":
    main()
