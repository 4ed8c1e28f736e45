"""The versions of `agent-k8s`."""

from collections.abc import Collection
from dataclasses import dataclass

from scalr_agents.charts.agent_k8s.corrections import RULES
from scalr_agents.charts.agent_k8s.names import names
from scalr_agents.charts.shared.versions import Handover, Published, Row, Table
from scalr_agents.model.lines import NEWEST, NEWEST_DATED, Line


@dataclass(frozen=True, kw_only=True)
class K8sRow(Row):
    """What agents of a version expect of their pods."""

    image_of_runs: Collection[str] = ("controller", "worker")
    """The components that get the image of runs, if a value sets it."""


_HANDOVER = Handover(
    selectors=True, meanwhile="controller and workers are replaced, and workers first wait for their runs: run it when few runs are active"
)

_0_53 = K8sRow(since=(0, 53), kubernetes="1.29", handover=_HANDOVER)
_0_60 = _0_53.then(
    (0, 60),
    before={"resources": {"limits": {"cpu": "1000m", "memory": "1024Mi"}}},
    new=("agent.container_task_image",),
    image_of_runs=("worker",),
)
_0_61_3 = _0_60.then(
    (0, 61, 3),
    before={"agent": {"container_task_image": ""}},
    new=("agent.container_task_image_mode",),
    image_of_runs=("controller", "worker"),
)

TABLE = Table(
    chart="agent-k8s",
    lines=(
        Line(
            chart="agent-k8s",
            generation="legacy",
            base_name="agent-k8s",
            default_version="0.53.0",
            dated="August 2025",
            oldest=(0, 53),
            newest=(0, 60),
            names=names,
        ),
        Line(
            chart="agent-k8s",
            generation="current",
            base_name="agent-k8s",
            default_version=NEWEST,
            dated=NEWEST_DATED,
            oldest=(0, 61, 3),
            newest=None,
            names=names,
        ),
    ),
    rows=(_0_53, _0_60, _0_61_3),
    published=(
        *Published("0.5.58", "0.53.0").then(
            ("0.5.59", "0.54.0"),
            ("0.5.60", "0.55.1"),
            ("0.5.61", "0.55.2"),
            ("0.5.62", "0.56.0"),
            ("0.5.63", "0.57.0"),
            ("0.5.64", "0.58.0"),
            ("0.5.65", "0.59.0"),
            ("0.5.66", "0.60.0"),
            ("0.5.67", "0.61.3"),
            ("0.5.68", "0.61.4"),
            ("0.5.69", "0.62.0"),
            ("0.5.70", "0.63.0"),
            ("0.5.71", "0.63.1"),
            ("0.5.73", "0.65.0"),
            ("0.5.74", "0.65.1"),
            ("0.5.75", "1.0.0"),
            ("0.5.79", "1.0.4"),
            ("0.5.80", "1.0.5"),
            ("0.6.1", "1.1.0"),
            ("0.6.2", "1.2.0"),
            ("0.6.3", "1.2.1"),
            ("0.6.4", "1.3.0"),
            ("0.6.5", "1.4.0"),
        ),
    ),
    ours=(),
    corrections=RULES,
)
