"""Values of the alpha of `agent-job`, which had two forms, and where they are now.

The alpha was published with agents 0.54 to 0.56, with most values at the top; a later state, described but never published, had them
in the sections `controller` and `task`.
"""

from collections.abc import Callable, Mapping
from typing import Any

from pydantic import TypeAdapter

from scalr_agents.charts.shared.versions import Moved
from scalr_agents.model.fields import EnvText
from scalr_agents.model.maps import Values, is_deferred, merge

_EFS = "the alpha never mounted this file system; define one under `caches` of a stack, or set an existing claim in persistence.cache"
_EFS_OPTIONS = ["acregmin=1", "acregmax=3", "acdirmin=1", "acdirmax=3"]
_DEFAULTS = "with the alpha's defaults"
_RESOURCES = {"requests": {"cpu": "250m", "memory": "256Mi"}, "limits": {"cpu": "2000m", "memory": "1024Mi"}}
_POD_SECURITY = {"runAsNonRoot": False, "fsGroup": 0}
_CONTAINER_SECURITY = {"runAsNonRoot": False, "runAsUser": 0, "runAsGroup": 0}
_UNREAD = "the alpha ignored it, and now it has an effect"
_MISPLACED = "Kubernetes ignored it where the alpha put it, and now it has an effect"
_CACHES = "to cache providers and modules, set agent.providerCache.enabled and agent.moduleCache.enabled"
_NO_ENV = "the alpha never read it; use agent.extraEnv for controller and worker, task.runner.extraEnv for runs"
_CONTAINERS = ("agent.controller.securityContext", "task.worker.securityContext")


def _over(defaults: Values) -> Callable[[Any], Any]:
    """A map with the alpha's defaults, because the present ones differ."""
    return lambda value: merge(defaults, value) if isinstance(value, Mapping) else value


def _inverted(value: Any) -> bool:
    if value in (True, False, None):
        return not value
    raise ValueError("it must be true or false")


def _variables(value: Any) -> list[Values]:
    """A map of variables as a list. A variable that is null is left out."""
    if not isinstance(value, Mapping | None) or any(isinstance(text, Mapping | list) for text in (value or {}).values()):
        raise ValueError("it must be a map of strings, numbers or booleans")
    as_text: TypeAdapter[str] = TypeAdapter(EnvText)
    given = {name: text for name, text in (value or {}).items() if text is not None}
    return [{"name": name, "value": text if is_deferred(text) else as_text.validate_python(text)} for name, text in given.items()]


MOVED = (
    # the published alpha
    Moved("agent.tokenExistingSecret", ("agent.tokenExistingSecret.name",), is_section=True),
    Moved("agent.tokenExistingSecretKey", ("agent.tokenExistingSecret.key",)),
    Moved("imagePullSecrets", ("global.imagePullSecrets",)),
    Moved("podAnnotations", ("global.podAnnotations",), note="task pods did not get them before, and do now"),
    Moved("controllerPodAnnotations", ("agent.podAnnotations",)),
    Moved("workerPodAnnotations", ("task.podAnnotations",), note=_UNREAD),
    Moved("controllerNodeSelector", ("agent.nodeSelector",)),
    Moved("controllerTolerations", ("agent.tolerations",)),
    Moved("workerNodeSelector", ("task.nodeSelector",), note=_MISPLACED),
    Moved("workerTolerations", ("task.tolerations",), note=_MISPLACED),
    Moved("worker.image", ("task.worker.image",)),
    Moved("worker.runner.image", ("task.runner.image",)),
    Moved("podSecurityContext", ("global.podSecurityContext",), _DEFAULTS, change=_over(_POD_SECURITY)),
    Moved("securityContext", ("agent.controller.securityContext",), _DEFAULTS, change=_over(_CONTAINER_SECURITY)),
    Moved("resources", ("agent.resources",), _DEFAULTS, change=_over(_RESOURCES)),
    Moved("extraEnv", ("agent.extraEnv",)),
    Moved("terminationGracePeriodSeconds", ("agent.terminationGracePeriodSeconds",)),
    Moved("efsVolumeHandle", form=_EFS),
    Moved("efsMountOptions", form=_EFS, change=lambda value: [] if value == _EFS_OPTIONS else value),
    # both
    Moved("controller.image.repository", ("agent.image.repository",), displaces="task.worker.image.repository"),
    Moved("controller.image.tag", ("agent.image.tag",), displaces="task.worker.image.tag"),
    Moved("controller.image.pullPolicy", ("agent.image.pullPolicy",), displaces="task.worker.image.pullPolicy"),
    Moved("restrictMetadataService", ("task.allowMetadataService",), "inverted", change=_inverted),
    Moved("persistence.enabled", ("persistence.cache.enabled",), note=_CACHES),
    Moved("persistence.emptyDir", ("persistence.cache.emptyDir",), note=_UNREAD),
    Moved("persistence.persistentVolumeClaim", ("persistence.cache.persistentVolumeClaim",)),
    # the unpublished state
    Moved("agent.auth.token", ("agent.token",)),
    Moved("controller.nodeSelector", ("agent.nodeSelector",)),
    Moved("controller.tolerations", ("agent.tolerations",)),
    Moved("controller.affinity", ("agent.affinity",)),
    Moved("controller.podAnnotations", ("agent.podAnnotations",)),
    Moved("controller.podSecurityContext", ("agent.podSecurityContext",)),
    Moved("controller.terminationGracePeriodSeconds", ("agent.terminationGracePeriodSeconds",)),
    Moved("controller.resources", ("agent.resources",)),
    Moved("controller.extraEnv", ("agent.controller.extraEnv",), "a list of names and values", change=_variables),
    Moved("controller.securityContext", ("agent.controller.securityContext",)),
    Moved("agent.securityContext", _CONTAINERS, "where they have none of their own", is_default=True),
    Moved("global.extraEnv", form=_NO_ENV),
)
