"""Makes the dashboard with Grafana's own library, for the package: `python -m tests.observability.grafana`.

Its queries are about one agent: words in angle brackets stand for the matchers that `scalr_agents.observability` fills in.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from grafana_foundation_sdk.builders import common, prometheus, timeseries
from grafana_foundation_sdk.builders.dashboard import Dashboard, DatasourceVariable
from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.models.common import LegendDisplayMode, LegendPlacement
from grafana_foundation_sdk.models.dashboard import DataSourceRef
from scalr_agents.observability import TEMPLATE

_SOURCE = DataSourceRef(type_val="prometheus", uid="${datasource}")
_CONTAINER = "namespace, pod, container"


class Panel(NamedTuple):
    """A panel, and its queries by the text in the legend after the agent's name."""

    title: str
    description: str
    queries: Mapping[str, str]
    unit: str = "short"


def _of_runs(metric: str, more: str = "") -> str:
    return f"max by (namespace, pod) (kube_pod_{metric}{{<runs>{more}}})"


def _lately(metric: str) -> str:
    return f"max by (namespace, pod) (last_over_time(kube_pod_{metric}{{<runs>}}[1h]))"


def _of_limit(used: str, resource: str) -> str:
    """The container that uses most of its limit."""
    most = f'max by ({_CONTAINER}) ({used}{{<pods>,container!="",container!="POD"}})'
    limit = f'max by ({_CONTAINER}) (kube_pod_container_resource_limits{{<pods>,resource="{resource}"}})'
    return f"max({most} / on ({_CONTAINER}) {limit})"


_IN_PROGRESS = _of_runs("status_phase", ',phase="Running"')
_EVICTED = 'last_over_time(kube_pod_status_reason{<pods>,reason="Evicted"}[1h])'
_ENDED = 'last_over_time(kube_pod_container_status_terminated_reason{<runs>,reason!="Completed"}[1h])'
PANELS = (
    Panel(
        "Runs started",
        "Pods of runs that were created within an hour: each stage of a run, such as plan or apply, has one.",
        {"": f"count({_lately('created')} > time() - 3600) or vector(0)"},
    ),
    Panel(
        "Runs pending",
        "Pods of runs that have not started.",
        {"": "sum(" + _of_runs("status_phase", ',phase="Pending"') + ") or vector(0)"},
    ),
    Panel("Runs in progress", "Pods of runs that are running.", {"": f"sum({_IN_PROGRESS}) or vector(0)"}),
    Panel(
        "Duration of runs",
        "The longest run in progress, and the average of those that ended within an hour, by their pods.",
        {
            "longest": f"max(time() - {_of_runs('start_time')} and on (namespace, pod) ({_IN_PROGRESS} == 1))",
            "average": f"avg({_lately('completion_time')} - {_lately('start_time')})",
        },
        "s",
    ),
    Panel(
        "Failures by reason",
        "Containers of runs that failed within an hour, and pods that were evicted.",
        {
            "{{reason}}": f"count by (reason) (max by ({_CONTAINER}, reason) ({_ENDED}))",
            "{{reason}} ": f"count by (reason) (max by (namespace, pod, reason) ({_EVICTED}))",
        },
    ),
    Panel(
        "Memory of limit",
        "The container of the agent or of a run that is closest to its limit.",
        {"": _of_limit("container_memory_working_set_bytes", "memory")},
        "percentunit",
    ),
    Panel(
        "Disk of limit",
        "The container that is closest to its limit of ephemeral-storage. The kubelet counts emptyDirs too, which no metric tells.",
        {"": _of_limit("container_fs_usage_bytes", "ephemeral_storage")},
        "percentunit",
    ),
    Panel(
        "Cache use",
        "Used space of the claims that the agent mounts, as far as their driver reports it.",
        {
            "{{persistentvolumeclaim}}": "max by (persistentvolumeclaim) (kubelet_volume_stats_used_bytes{<claims>})"
            " / max by (persistentvolumeclaim) (kubelet_volume_stats_capacity_bytes{<claims>})"
        },
        "percentunit",
    ),
    Panel("Nodes used", "Nodes with pods of the agent or of its runs.", {"": 'count(count by (node) (kube_pod_info{<pods>,node!=""}))'}),
    Panel(
        "Controllers available",
        "Available pods of the agent's Deployment or StatefulSet.",
        {"": "max(<available>)"},
    ),
    Panel(
        "Restarts",
        "Restarts of the agent's own containers within an hour.",
        {"": "sum(increase(kube_pod_container_status_restarts_total{<own>}[1h]))"},
    ),
    Panel("Alerts", "Alerts that fire.", {"{{alertname}}": 'count by (alertname) (ALERTS{alertstate="firing",<agent>})'}),
)


def template() -> str:
    """The dashboard about one agent, as JSON."""
    made = Dashboard("Scalr agents").uid("scalr-agents").tags(["scalr"]).time("now-6h", "now").refresh("1m").timezone("browser").readonly()
    made = made.with_variable(DatasourceVariable("datasource").label("Data source").type("prometheus"))
    for panel in PANELS:
        made = made.with_panel(_panel(panel))
    built: dict[str, Any] = json.loads(JSONEncoder(sort_keys=True, indent=1).encode(made.build()))
    return json.dumps(built, indent=1, sort_keys=True) + "\n"


def _panel(panel: Panel) -> timeseries.Panel:
    legend = common.VizLegendOptions().display_mode(LegendDisplayMode.LIST).placement(LegendPlacement.BOTTOM).show_legend(True)
    made = timeseries.Panel().title(panel.title).description(panel.description).unit(panel.unit).min(0).legend(legend)
    made = made.datasource(_SOURCE).span(8).height(8).fill_opacity(10)
    for text, query in panel.queries.items():
        made = made.with_target(prometheus.Dataquery().expr(query).legend_format(f"<name> {text.strip()}".strip()).datasource(_SOURCE))
    return made


if __name__ == "__main__":
    Path(TEMPLATE).write_text(template(), encoding="utf-8")
