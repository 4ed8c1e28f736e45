"""How each value of the chart's alpha is converted to the present shape."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from pydantic import TypeAdapter

from scalr_agents.charts.agent_job.moved import MOVED
from scalr_agents.model.fields import EnvText
from scalr_agents.model.forms import is_deferred
from scalr_agents.model.manifests import is_empty
from scalr_agents.model.merge import Values, merge


class Lost(NamedTuple):
    """Stands for a value that has no meaning at its new place."""

    reason: str


class Needless(NamedTuple):
    """Stands for a value that need not be set any more."""

    reason: str = ""
    """Why, if the user should check it."""


class Row(NamedTuple):
    """How one value of the alpha is converted."""

    old: str
    change: Callable[[Any], Any] = lambda value: value
    """Its present form, or `Lost` or `Needless`."""
    note: str = ""
    """What changes although the value is converted."""
    kept: tuple[str, ...] = ()
    """Its new places, if the present shape has a value at the old place too, so that the key alone does not show the alpha."""
    fallback: bool = False
    """Whether it applies only if the new places are not set."""
    displaces: str = ""
    """Where the value goes that is at the new place already."""
    also: Values = {}
    """What must be set too, to have the same effect, unless it is set already."""
    applies: Callable[[Any], bool] = lambda _: True
    """Whether the row applies to this value."""

    @property
    def new(self) -> tuple[str, ...]:
        """Its new places; it goes to each of them. Empty if it has no successor."""
        return self.kept or MOVED[self.old].to


def _unless_empty(value: Any) -> Any:
    return Needless() if is_empty(value) else value


def _unless(default: Any) -> Callable[[Any], Any]:
    return lambda value: Needless() if is_empty(value) or value == default else value


def _over(defaults: Values) -> Callable[[Any], Any]:
    """A map with the alpha's defaults, because the present ones differ."""
    return lambda value: merge(defaults, value) if isinstance(value, Mapping) else value


def _inverted(value: Any) -> bool | Lost:
    return not value if isinstance(value, bool | None) else Lost("it must be true or false")


def _variables(value: Any) -> list[Values] | Lost:
    """A map of variables as a list. A variable that is null is left out."""
    if not isinstance(value, Mapping | None):
        return Lost("it must be a map of variables")
    given = {name: text for name, text in (value or {}).items() if text is not None}
    if any(isinstance(text, Mapping | list) for text in given.values()):
        return Lost("every variable must be a string, a number or a boolean")
    as_text: TypeAdapter[str] = TypeAdapter(EnvText)
    return [{"name": name, "value": text if is_deferred(text) else as_text.validate_python(text)} for name, text in given.items()]


def _backoff_limit(value: Any) -> Lost | Needless:
    if value in (None, 0):
        return Needless("removed, because agents up to 0.60 never retry a Job; newer ones retry once by default: set it again for them")
    return Lost("agents up to 0.60 never retry a Job; agents 1.3 or newer support it")


_EFS_OPTIONS = ["acregmin=1", "acregmax=3", "acdirmin=1", "acdirmax=3"]
_RESOURCES = {"requests": {"cpu": "250m", "memory": "256Mi"}, "limits": {"cpu": "2000m", "memory": "1024Mi"}}
_POD_SECURITY = {"runAsNonRoot": False, "fsGroup": 0}
_CONTAINER_SECURITY = {"runAsNonRoot": False, "runAsUser": 0, "runAsGroup": 0}

_UNREAD = "the alpha ignored it, and now it has an effect"


def _image(field: str) -> Row:
    return Row(f"controller.image.{field}", _unless_empty, displaces=f"task.worker.image.{field}")


ROWS = (
    # the published alpha
    Row("agent.tokenExistingSecret", _unless_empty, applies=lambda value: isinstance(value, str) or is_deferred(value)),
    Row("agent.tokenExistingSecretKey", _unless_empty),
    Row("imagePullSecrets"),
    Row("podAnnotations", note="task pods did not get them before, and do now"),
    Row("controllerPodAnnotations"),
    Row("workerPodAnnotations", note=_UNREAD),
    Row("controllerNodeSelector"),
    Row("controllerTolerations"),
    Row("workerNodeSelector", note="Kubernetes ignored it where the alpha put it, and now it has an effect"),
    Row("workerTolerations", note="Kubernetes ignored them where the alpha put them, and now they have an effect"),
    Row("worker.image", _unless_empty),
    Row("worker.runner.image", _unless_empty),
    Row(
        "podSecurityContext.runAsUser",
        note="root, as before; task.runner.securityContext.runAsNonRoot is set to false for it (default: true)",
        kept=("podSecurityContext.runAsUser",),
        also={"task": {"runner": {"securityContext": {"runAsNonRoot": False}}}},
        applies=lambda value: value == 0 and isinstance(value, int),
    ),
    Row("podSecurityContext", _over(_POD_SECURITY)),
    Row("securityContext", _over(_CONTAINER_SECURITY)),
    Row("resources", _over(_RESOURCES)),
    Row("extraEnv"),
    Row("terminationGracePeriodSeconds"),
    Row("efsVolumeHandle", _unless_empty),
    Row("efsMountOptions", _unless(_EFS_OPTIONS)),
    # both
    *(_image(field) for field in ("repository", "tag", "pullPolicy")),
    Row("restrictMetadataService", _inverted),
    Row(
        "persistence.enabled",
        note="to cache providers and modules, set agent.providerCache.enabled and agent.moduleCache.enabled",
    ),
    Row("persistence.emptyDir", note=_UNREAD),
    Row("persistence.persistentVolumeClaim", _unless_empty),
    # the state that was never published
    Row("agent.auth.token"),
    Row("controller.nodeSelector"),
    Row("controller.tolerations"),
    Row("controller.affinity"),
    Row("controller.podAnnotations"),
    Row("controller.podSecurityContext"),
    Row("controller.terminationGracePeriodSeconds"),
    Row("controller.resources"),
    Row("controller.extraEnv", _variables),
    Row("controller.securityContext", _unless_empty),
    Row("agent.securityContext", _unless_empty, fallback=True),
    Row("global.extraEnv"),
    Row("task.job.backoffLimit", _backoff_limit, kept=("task.job.backoffLimit",)),
    # values that all shapes have, in another form now
    Row("agent.extraEnv.SCALR_AGENT_DEBUG", _unless_empty, kept=("agent.debug",)),
    Row(
        "serviceAccount.create",
        note="rbac.create is set to false too, because the alpha made no Role without its own account",
        kept=("serviceAccount.create",),
        also={"rbac": {"create": False}},
        applies=lambda value: value is None or value is False,
    ),
)
