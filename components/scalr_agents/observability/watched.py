"""What metrics of a cluster are about: the pods and Jobs of an agent, as matchers of PromQL.

By names, because kube-state-metrics exposes no labels of pods unless it is told to. Names of pods are those that Kubernetes makes of the
names of their Deployment, StatefulSet, DaemonSet or Job.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from scalr_agents.charts.shared import contract
from scalr_agents.charts.shared.agent import AnyAgent, Runs
from scalr_agents.charts.shared.pods import WORKLOADS, claims_of, template_of
from scalr_agents.model.manifests import Manifest, key_of
from scalr_agents.model.release import COMPONENT

_LONGEST_PREFIX = 58
"""Characters before the random part of a pod's name; longer prefixes are cut."""
_RANDOM = "[a-z0-9]{5}"
_LONGEST_HASH = 10
"""Characters in the name of a ReplicaSet after that of its Deployment."""


class Controllers(NamedTuple):
    """A Deployment or StatefulSet, and what its metrics are called."""

    kind: str
    namespace: str
    name: str

    @property
    def label(self) -> str:
        """The label with its name."""
        return self.kind.lower()

    @property
    def wanted(self) -> str:
        """Number of pods that there should be."""
        return f"{_METRICS[self.kind][0]}{self._matchers}"

    @property
    def available(self) -> str:
        """Number of pods that are available."""
        return f"{_METRICS[self.kind][1]}{self._matchers}"

    @property
    def _matchers(self) -> str:
        return f'{{namespace="{self.namespace}",{self.label}="{self.name}"}}'


_METRICS = {
    "Deployment": ("kube_deployment_spec_replicas", "kube_deployment_status_replicas_available"),
    "StatefulSet": ("kube_statefulset_replicas", "kube_statefulset_status_replicas_available"),
}


@dataclass(frozen=True)
class Watched:
    """An agent whose metrics are read."""

    agent: AnyAgent
    neighbours: Sequence[AnyAgent] = ()
    """The agents in its namespace, including this one."""

    @property
    def namespace(self) -> str:
        return self.agent.release.namespace

    @cached_property
    def controllers(self) -> Controllers:
        """The object that keeps its controllers running."""
        [kind] = [each["kind"] for each in self._workloads if key_of(each).name == self.agent.release.names.deployment]
        return Controllers(kind, self.namespace, self.agent.release.names.deployment)

    @cached_property
    def daemon_set(self) -> str:
        """Matchers of the DaemonSet of its workers; empty if it has none."""
        workers = [key_of(each).name for each in self._workloads if each["kind"] == "DaemonSet"]
        return f'namespace="{self.namespace}",daemonset="{workers[0]}"' if workers else ""

    @cached_property
    def own(self) -> str:
        """Matchers of the pods of its controllers and workers."""
        return self._pods("=~", map(_pods_of, self._workloads))

    @cached_property
    def workers(self) -> str:
        """Matchers of the pods of its DaemonSet."""
        return self._pods("=~", [_pods_of(each) for each in self._workloads if each["kind"] == "DaemonSet"])

    @cached_property
    def started(self) -> Runs | None:
        """How its runs show, if they have pods of their own."""
        return self.agent.runs

    @cached_property
    def runs(self) -> str:
        """Matchers of the pods that execute runs: its own ones if runs have none."""
        if self.started is None:
            return self.own
        if self.started.names:
            return self._pods("=~", [self.started.names])
        return self._others(self.neighbours)

    @cached_property
    def everything(self) -> str:
        """Matchers of its own pods and those of its runs."""
        if self.started is None:
            return self.own
        if self.started.names:
            return self._pods("=~", [*map(_pods_of, self._workloads), self.started.names])
        return self._others([each for each in self.neighbours if each is not self.agent])

    @cached_property
    def jobs(self) -> str:
        """Matchers of the Jobs of runs; empty if they have none."""
        return f'namespace="{self.namespace}",job_name=~"{self.started.names}"' if self.started and self.started.names else ""

    @cached_property
    def claims(self) -> str:
        """Matchers of the claims that its pods mount, as far as their names are known; empty if there are none."""
        specs = [template["spec"] for template in map(template_of, self.agent.objects) if template]
        known = {_literal(name) for spec in specs for name in claims_of(spec)}
        for manifest in self._workloads:
            claims = manifest["spec"].get("volumeClaimTemplates", ())
            known |= {f"{_literal(claim['metadata']['name'])}-{_literal(key_of(manifest).name)}-[0-9]+" for claim in claims}
        return f'namespace="{self.namespace}",persistentvolumeclaim=~"{"|".join(sorted(known))}"' if known else ""

    @cached_property
    def budgets(self) -> str:
        """Matchers of the budgets that make drains wait; empty if there are none."""
        names = [key_of(each).name for each in self.agent.objects if each["kind"] == "PodDisruptionBudget"]
        return f'namespace="{self.namespace}",poddisruptionbudget=~"{"|".join(map(_literal, names))}"' if names else ""

    @property
    def _workloads(self) -> list[Manifest]:
        return list(workloads(self.agent))

    def _others(self, agents: Sequence[AnyAgent]) -> str:
        """Matchers of all pods of the namespace but those whose names are known to be of some agents."""
        known = dict.fromkeys(pattern for agent in agents for pattern in _known(agent))
        return self._pods("!~", known) if known else f'namespace="{self.namespace}"'

    def _pods(self, operator: str, patterns: Iterable[str]) -> str:
        return f'namespace="{self.namespace}",pod{operator}"{"|".join(patterns)}"'


def watched(agents: Sequence[AnyAgent]) -> list[Watched]:
    """The agents of a stack."""
    return [Watched(agent, [each for each in agents if each.release.namespace == agent.release.namespace]) for agent in agents]


def workloads(agent: AnyAgent) -> Iterator[Manifest]:
    """The workloads that start runs or execute them."""
    for manifest in agent.objects:
        if manifest["kind"] in WORKLOADS and template_of(manifest)["metadata"]["labels"].get(COMPONENT) not in contract.BESIDE_RUNS:
            yield manifest


def _known(agent: AnyAgent) -> Iterator[str]:
    """The names of all pods of an agent, as far as they are known."""
    yield from (_pods_of(manifest) for manifest in agent.objects if manifest["kind"] in WORKLOADS)
    runs = agent.runs
    yield from [runs.names] if runs and runs.names else ()


def _pods_of(manifest: Manifest) -> str:
    """A pattern of the names of a workload's pods."""
    name = key_of(manifest).name
    if manifest["kind"] == "DaemonSet":
        return f"{_literal(f'{name}-'[:_LONGEST_PREFIX])}{_RANDOM}"
    if manifest["kind"] == "StatefulSet":
        return f"{_literal(name)}-[0-9]+"
    if len(name) + _LONGEST_HASH + 2 <= _LONGEST_PREFIX:
        return f"{_literal(name)}-[a-z0-9]+-{_RANDOM}"
    return f"{_literal(f'{name}-'[:_LONGEST_PREFIX])}[a-z0-9-]*{_RANDOM}"


def _literal(name: str) -> str:
    """A name as a pattern: of what names contain, only dots have a meaning."""
    return name.replace(".", "[.]")
