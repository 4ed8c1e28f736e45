"""The versions of `agent-local`."""

from dataclasses import dataclass

from scalr_agents.charts.agent_local import names
from scalr_agents.charts.shared.versions import Handover, Published, Row, Table
from scalr_agents.model.lines import NEWEST, NEWEST_DATED, Line
from scalr_agents.model.merge import Values, merge


@dataclass(frozen=True, kw_only=True)
class AgentLocal(Row):
    """Differences in the objects of the chart."""

    repository: str = "scalr/agent"
    """Default of `image.repository`."""
    cache_component: str | None
    """Label `app.kubernetes.io/component` of the cache's claim."""


_RUNNER = "scalr/agent-runner"
_NO_PROFILE: Values = {"podSecurityContext": {"seccompProfile": None}}
_ONE_VOLUME: Values = {
    "agent": {"dataDir": "/var/lib/scalr-agent", "cacheDir": None},
    "resources": {"limits": {"cpu": "2000m"}},
    "persistence": {"emptyDir": {"sizeLimit": "20Gi"}, "data": None, "cache": None},
    "allowMetadataService": None,
}
_NO_SHUTDOWN_MODE = merge(_ONE_VOLUME, {"agent": {"shutdownMode": None}, "terminationGracePeriodSeconds": 360})

_HANDOVER = Handover(meanwhile="pulumi up replaces the pods once, with the runs in them: run it when few runs are active")

_0_57 = AgentLocal(since=(0, 57), repository=_RUNNER, cache_component=None, handover=_HANDOVER._replace(idle_policy=True))
_0_60 = _0_57.then((0, 60), gone=("persistence.emptyDir",))
_1_2 = _0_60.then(
    (1, 2),
    before={"image": {"repository": _RUNNER}},
    new=(
        "agent.tls",
        "extraVolumes",
        "extraVolumeMounts",
        "persistence.data.enabled",
        "persistence.data.persistentVolumeClaim",
        "persistence.cache.enabled",
        "persistence.cache.persistentVolumeClaim",
    ),
    repository="scalr/agent",
    cache_component="cache",
    handover=_HANDOVER,
)
_1_3 = _1_2.then((1, 3), new=("agent.providerNetworkMirrors",))

TABLE = Table(
    chart="agent-local",
    lines=(
        Line(
            chart="agent-local",
            generation="legacy",
            base_name="agent-local",
            default_version="0.59.0",
            dated="January 2026",
            oldest=(0, 57),
            newest=(0, 60),
            kubernetes="1.33",
            names=names.legacy,
        ),
        Line(
            chart="agent-local",
            generation="current",
            base_name="agent-local",
            default_version=NEWEST,
            dated=NEWEST_DATED,
            oldest=(1, 2),
            newest=None,
            kubernetes="1.33",
            names=names.current,
        ),
    ),
    rows=(_0_57, _0_60, _1_2, _1_3),
    published=(
        *Published("0.5.61", "0.57.0", defaults=_NO_SHUTDOWN_MODE, corrected=_NO_PROFILE).then(("0.5.62", "0.58.0")),
        Published("0.5.63", "0.59.0", defaults=_ONE_VOLUME, corrected=_NO_PROFILE),
        *Published("0.5.64", "0.60.0", corrected=_NO_PROFILE).then(
            ("0.6.2", "1.2.0"), ("0.6.3", "1.2.1"), ("0.6.4", "1.3.0"), ("0.6.5", "1.4.0")
        ),
    ),
    ours=(),
)
