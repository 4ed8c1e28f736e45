"""Why a pod or a Job does not run yet, and why it failed, as the API server tells it, without messages of the containers themselves."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from scalr_agents.cluster.answers import Json

_STARTING = ("ContainerCreating", "PodInitializing")
_KILLED = "OOMKilled"


def pending(pod: Json, events: Iterable[Json]) -> str:
    """Why a pod does not run, or is not ready."""
    scheduled = condition(pod, "PodScheduled")
    if scheduled and scheduled["status"] == "False":
        return _explained(scheduled)
    for status in _containers(pod):
        waiting = status.get("state", {}).get("waiting") or {}
        if waiting.get("reason", _STARTING[0]) not in _STARTING:
            return f"{waiting['reason']} in {status['name']}{_message_of(waiting)}"
    return last_warning(pod, events) or failed(pod) or ("not ready" if pod["status"].get("phase") == "Running" else "starting")


def failed(pod: Json) -> str:
    """Why a pod failed, or one of its containers. Empty if none did."""
    status = pod["status"]
    if status.get("reason"):  # Evicted, DeadlineExceeded, NodeLost, ...
        return _explained(status)
    disrupted = condition(pod, "DisruptionTarget")
    if disrupted and disrupted["status"] == "True":
        return _explained(disrupted)
    ends = [(each["name"], each.get("state", {}).get("terminated") or {}) for each in _containers(pod)]
    return next(_ends(ends), "")


def restarted(pod: Json) -> Iterator[tuple[str, str]]:
    """Containers of a pod that failed and run again: why, and when."""
    for each in _containers(pod):
        last = each.get("lastState", {}).get("terminated") or {}
        for reason in _ends([(each["name"], last)]):
            yield f"{reason}; restarts: {each.get('restartCount', 0)}", last.get("finishedAt") or ""


def of_job(job: Json, pods: Iterable[Json]) -> str:
    """Why a Job failed: what happened to its pods says more than that they failed."""
    ended = condition(job, "Failed")
    if not ended or ended["status"] != "True":
        return ""
    by_pods = "" if ended.get("reason") == "DeadlineExceeded" else next(filter(None, map(failed, pods)), "")
    return by_pods or _explained(ended)


def last_warning(about: Json, events: Iterable[Json]) -> str:
    """The last warning about an object."""
    of_object: list[Json] = [each for each in events if each["involvedObject"].get("uid") == about["metadata"].get("uid")]
    return _explained(max(of_object, key=when)) if of_object else ""


def when(event: Mapping[str, Any]) -> str:
    """When something was last seen."""
    series = event.get("series") or {}
    time = series.get("lastObservedTime") or event.get("lastTimestamp") or event.get("eventTime")
    return str(time or event["metadata"].get("creationTimestamp") or "")


def condition(item: Json, kind: str) -> Json | None:
    conditions: list[Json] = item.get("status", {}).get("conditions") or []
    return next((each for each in conditions if each["type"] == kind), None)


def _containers(pod: Json) -> list[Json]:
    status = pod["status"]
    return [*(status.get("initContainerStatuses") or ()), *(status.get("containerStatuses") or ())]


def _ends(ends: Iterable[tuple[str, Mapping[str, Any]]]) -> Iterator[str]:
    """How containers failed, first those that were killed for their memory: the others may have ended for that reason."""
    bad = [(name, end) for name, end in ends if end.get("exitCode", 0) != 0]
    for name, end in sorted(bad, key=lambda each: each[1].get("reason") != _KILLED):
        yield f"{_KILLED} in {name}" if end.get("reason") == _KILLED else f"exit code {end['exitCode']} in {name}"


def _explained(status: Mapping[str, Any]) -> str:
    return f"{status.get('reason') or 'unknown reason'}{_message_of(status)}"


def _message_of(status: Mapping[str, Any]) -> str:
    return f": {status['message']}" if status.get("message") else ""
