"""Section `global`: settings of both pods, controller and task."""

from typing import Annotated

from scalr_agents.charts.shared.values import Tls
from scalr_agents.model.fields import Annotations, Flag, InputText, Labels, PodSecurityContext, PullSecrets, Registry
from scalr_agents.model.section import ChartSection, default
from scalr_agents.model.variables import variable


class Proxy(ChartSection):
    """The HTTP proxy of all containers."""

    enabled: Flag = False
    """Whether to set `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY`."""
    http_proxy: Annotated[InputText, variable("HTTP_PROXY")] = ""
    """URL of the proxy for HTTP requests."""
    https_proxy: Annotated[InputText, variable("HTTPS_PROXY")] = ""
    """URL of the proxy for HTTPS requests."""
    no_proxy: Annotated[InputText, variable("NO_PROXY")] = ""
    """Hosts, domains and networks to reach without the proxy, separated by commas."""


class Global(ChartSection):
    """Settings of all pods of the release. A component's own setting takes precedence, even if it is 0 or false."""

    image_registry: Registry = ""
    """Registry of the images of controller, worker and runner, not of sidecars. Default: Docker Hub."""
    image_namespace: Registry = ""
    """Replaces everything before the last part of a repository, for mirrors that keep all images in one place."""
    labels: Labels = {}
    """Labels of all objects, including Jobs and pods. The labels of the selectors cannot be changed."""
    annotations: Annotations = {}
    """Annotations of all objects, including Jobs but not pods."""
    image_pull_secrets: PullSecrets = []
    """Pull secrets of both pods, `[{name: ...}]`."""
    pod_annotations: Annotations = {}
    """Annotations of both pods."""
    pod_labels: Labels = {}
    """Labels of both pods. The labels of the selectors cannot be changed."""
    pod_security_context: PodSecurityContext = {
        "runAsNonRoot": True,
        "runAsUser": 1000,
        "runAsGroup": 1000,
        "fsGroup": 1000,
        "fsGroupChangePolicy": "OnRootMismatch",
        "supplementalGroups": [],
        "sysctls": [],
        "seLinuxOptions": {},
        "seccompProfile": {"type": "RuntimeDefault"},
    }
    """Kubernetes PodSecurityContext of both pods. The default runs as user and group 1000."""
    proxy: Proxy = default(Proxy)
    """HTTP proxy."""
    tls: Tls = default(Tls)
    """Certificate authorities and the client certificate."""
