"""Runs that are long enough for probes, which begin after a minute, and what is seen of them meanwhile."""

from collections.abc import Mapping
from typing import Any

from tests.node.agents import Agent
from tests.node.world import Step

RUNS: Mapping[str, list[Step]] = {
    "healthy": [{"do": "sleep", "seconds": 75}],
    "never started": [{"in": "loop", "do": "remove", "paths": ["/tmp/exec-loop/started"]}, {"do": "hang"}],
    "not healthy": [{"in": "loop", "do": "remove", "paths": ["/tmp/exec-loop/healthy"]}, {"do": "hang"}],
}
_PASSED = {"runner": True, "worker": True}


def watch(agent: Agent, name: str) -> Mapping[str, Any]:
    """The startup probes that have passed when the last one has, or the event of a stopped container, and how the run ends."""
    run = agent.run(*RUNS[name])
    pod = run.pod()["metadata"]["name"]
    if name == "healthy":
        agent.wait(lambda: _started(agent.cluster.get("Pod", pod, agent.namespace)) == _PASSED, "the startup probes")
        return {"slept": run.results()["sleep"], "end": run.end()}

    def stopped() -> list[str]:
        told = agent.told_by_kubernetes(pod)
        return [each.strip() for each in told if "probe" in each] if any(each.startswith("Killing") for each in told) else []

    return {"told": agent.wait(stopped, f"a failed probe of {pod}")}


def _started(pod: Mapping[str, Any]) -> Mapping[str, bool]:
    return {each["name"]: each["started"] for each in pod["status"].get("containerStatuses", ())}
