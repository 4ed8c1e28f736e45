"""Section `otel`: export of metrics and traces."""

from typing import Annotated

from scalr_agents.model.fields import Flag, InputText
from scalr_agents.model.section import ChartSection
from scalr_agents.model.variables import variable


class Otel(ChartSection):
    """Export of metrics and traces over OTLP."""

    enabled: Flag = False
    """Whether to export. Requires `endpoint`."""
    endpoint: Annotated[InputText, variable("SCALR_AGENT_OTLP_ENDPOINT")] = "http://otel-collector:4317"
    """URL of the collector's gRPC endpoint."""
    metrics_enabled: Annotated[Flag, variable("SCALR_AGENT_OTLP_METRICS_ENABLED")] = True
    """Whether to export metrics."""
    traces_enabled: Annotated[Flag, variable("SCALR_AGENT_OTLP_TRACES_ENABLED")] = False
    """Whether to export traces."""
