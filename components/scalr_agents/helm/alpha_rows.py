"""How each value of the chart's alpha is carried over to where it is now."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from scalr_agents.charts.agent_job.moved import MOVED
from scalr_agents.model.fields import EnvText, is_deferred
from scalr_agents.model.merge import Values, merge


class Lost(NamedTuple):
    """In place of a value that has no meaning at its new place."""

    reason: str


class Needless(NamedTuple):
    """In place of a value that need not be said any more."""

    reason: str = ""
    """Why, if that wants a look."""


class Row(NamedTuple):
    """How one value of the alpha is carried over."""

    old: str
    change: Callable[[Any], Any] = lambda value: value
    """Its present form, or `Lost` or `Needless`."""
    note: str = ""
    """What is otherwise although the value is carried over."""
    kept: tuple[str, ...] = ()
    """Where it stands now, if the present shape has a value at the old place too, so that it says nothing about the file."""
    fallback: bool = False
    """Whether it counts only where nothing is said at the new places."""
    displaces: str = ""
    """Where the value goes that stood at the new place already."""
    also: Values = {}
    """What has to be said beside it to mean the same, unless something is said there."""
    applies: Callable[[Any], bool] = lambda _: True
    """Whether the row is about such a value."""

    @property
    def new(self) -> tuple[str, ...]:
        """Where it stands now, at each of these places. None: it has no successor."""
        return self.kept or MOVED[self.old].to


def is_empty(value: Any) -> bool:
    """Whether a value says nothing: null, an empty string, an empty map or list."""
    return value is None or (isinstance(value, str | Mapping | list) and not value)


def _unless_empty(value: Any) -> Any:
    return Needless() if is_empty(value) else value


def _unless(default: Any) -> Callable[[Any], Any]:
    return lambda value: Needless() if is_empty(value) or value == default else value


def _over(defaults: Values) -> Callable[[Any], Any]:
    """A map with the alpha's defaults, where those of today would contradict it."""
    return lambda value: merge(defaults, value) if isinstance(value, Mapping) else value


def _inverted(value: Any) -> bool | Lost:
    return not value if isinstance(value, bool | None) else Lost("it is neither true nor false")


def _variables(value: Any) -> list[Values] | Lost:
    """A map of variables as a list; null is a variable that does not exist."""
    from pydantic import TypeAdapter

    if not isinstance(value, Mapping | None):
        return Lost("it is not a map of variables")
    given = {name: text for name, text in (value or {}).items() if text is not None}
    if any(isinstance(text, Mapping | list) for text in given.values()):
        return Lost("a variable is neither a string nor a number nor a boolean")
    as_text: TypeAdapter[str] = TypeAdapter(EnvText)
    return [{"name": name, "value": text if is_deferred(text) else as_text.validate_python(text)} for name, text in given.items()]


def _backoff_limit(value: Any) -> Lost | Needless:
    if value in (None, 0):
        return Needless("left out: agents up to 0.60 never start a Job again; for newer ones, whose default is 1, give it again")
    return Lost("agents up to 0.60 never start a Job again; newer ones know the value")


_EFS_OPTIONS = ["acregmin=1", "acregmax=3", "acdirmin=1", "acdirmax=3"]
_RESOURCES = {"requests": {"cpu": "250m", "memory": "256Mi"}, "limits": {"cpu": "2000m", "memory": "1024Mi"}}
_POD_SECURITY = {"runAsNonRoot": False, "fsGroup": 0}
_CONTAINER_SECURITY = {"runAsNonRoot": False, "runAsUser": 0, "runAsGroup": 0}

_UNREAD = "the alpha never read it, and now it has an effect"


def _image(field: str) -> Row:
    return Row(f"controller.image.{field}", _unless_empty, displaces=f"task.worker.image.{field}")


ROWS = (
    # the published alpha
    Row("agent.tokenExistingSecret", _unless_empty, applies=lambda value: isinstance(value, str) or is_deferred(value)),
    Row("agent.tokenExistingSecretKey", _unless_empty),
    Row("imagePullSecrets"),
    Row("podAnnotations", note="task pods did not get them, and do now"),
    Row("controllerPodAnnotations"),
    Row("workerPodAnnotations", note=_UNREAD),
    Row("controllerNodeSelector"),
    Row("controllerTolerations"),
    Row("workerNodeSelector", note="the alpha put it where Kubernetes ignores it, and now it has an effect"),
    Row("workerTolerations", note="the alpha put them where Kubernetes ignores them, and now they have an effect"),
    Row("worker.image", _unless_empty),
    Row("worker.runner.image", _unless_empty),
    Row(
        "podSecurityContext.runAsUser",
        note="root, as before: so task.runner.securityContext.runAsNonRoot is false, where the default is true",
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
        note="providers and modules are cached only with agent.providerCache.enabled and agent.moduleCache.enabled",
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
    # what both shapes have, said otherwise now
    Row("agent.extraEnv.SCALR_AGENT_DEBUG", _unless_empty, kept=("agent.debug",)),
    Row(
        "serviceAccount.create",
        note="rbac.create is false too: without an account of its own the alpha made no Role either",
        kept=("serviceAccount.create",),
        also={"rbac": {"create": False}},
        applies=lambda value: value is None or value is False,
    ),
)
