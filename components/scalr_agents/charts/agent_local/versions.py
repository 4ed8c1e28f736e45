"""The versions of `agent-local`."""

from dataclasses import dataclass

from scalr_agents.charts.agent_local import names
from scalr_agents.charts.shared.values import POD_FIELDS
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


_POD_FIELDS = ("topologySpreadConstraints", *POD_FIELDS)
_MUTUAL_TLS = ("agent.tls.clientCertSecret", "agent.tls.clientCert", "agent.tls.clientKey")
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

_0_57 = AgentLocal(
    since=(0, 57), kubernetes="1.33", repository=_RUNNER, cache_component=None, handover=_HANDOVER._replace(idle_policy=True)
)
_0_60 = _0_57.then((0, 60), gone=("persistence.emptyDir",))
_0_61_3 = _0_60.then((0, 61, 3), new=("workload", "podLabels", "persistence.persistentVolumeClaim.annotations", *_POD_FIELDS))
_0_62 = _0_61_3.then((0, 62), handover=_HANDOVER)
_1_0_0 = _0_62.then((1, 0, 0), new=_MUTUAL_TLS)
_1_0_4 = _1_0_0.then((1, 0, 4), gone=_MUTUAL_TLS)
_1_1 = _1_0_4.then(
    (1, 1),
    before={"image": {"repository": _RUNNER}},
    new=(
        *_MUTUAL_TLS,
        "agent.tls.caBundle",
        "agent.tls.caBundleSecret",
        "extraVolumes",
        "extraVolumeMounts",
        "persistence.data.enabled",
        "persistence.data.persistentVolumeClaim",
        "persistence.cache.enabled",
        "persistence.cache.persistentVolumeClaim",
    ),
    repository="scalr/agent",
    cache_component="cache",
)
_1_3 = _1_1.then((1, 3), new=("agent.providerNetworkMirrors",))

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
            names=names.legacy,
        ),
        Line(
            chart="agent-local",
            generation="current",
            base_name="agent-local",
            default_version=NEWEST,
            dated=NEWEST_DATED,
            oldest=(0, 61, 3),
            newest=None,
            names=names.current,
        ),
    ),
    rows=(_0_57, _0_60, _0_61_3, _0_62, _1_0_0, _1_0_4, _1_1, _1_3),
    published=(
        *Published("0.5.61", "0.57.0", defaults=_NO_SHUTDOWN_MODE, corrected=_NO_PROFILE).then(("0.5.62", "0.58.0")),
        Published("0.5.63", "0.59.0", defaults=_ONE_VOLUME, corrected=_NO_PROFILE),
        *Published("0.5.64", "0.60.0", corrected=_NO_PROFILE).then(
            ("0.5.65", "0.61.3"),
            ("0.5.66", "0.61.4"),
            ("0.5.67", "0.62.0"),
            ("0.5.68", "0.63.0"),
            ("0.5.69", "0.63.1"),
            ("0.5.71", "0.65.0"),
            ("0.5.72", "0.65.1"),
            ("0.5.73", "1.0.0"),
            ("0.5.75", "1.0.4"),
            ("0.5.76", "1.0.5"),
            ("0.6.1", "1.1.0"),
            ("0.6.2", "1.2.0"),
            ("0.6.3", "1.2.1"),
            ("0.6.4", "1.3.0"),
            ("0.6.5", "1.4.0"),
        ),
    ),
    ours=(
        "workload",
        "podLabels",
        "persistence.persistentVolumeClaim.annotations",
        "persistence.data.persistentVolumeClaim.annotations",
        "persistence.cache.persistentVolumeClaim.annotations",
        *_POD_FIELDS,
    ),
)
