"""The names of the charts."""

from typing import Literal

ChartName = Literal["agent-job", "agent-local", "agent-k8s"]
