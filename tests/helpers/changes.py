"""What differs between the objects of two releases."""

from collections.abc import Iterator, Mapping
from typing import Any

_TASK_POD = "task-template.spec.jobTemplate.spec.template"
_SHORT = {
    "deployment.spec.template.spec.containers[controller].": "controller: ",
    f"{_TASK_POD}.spec.containers[runner].": "runner: ",
    f"{_TASK_POD}.spec.containers[worker].": "worker: ",
    "deployment.spec.template.": "controller pod: ",
    f"{_TASK_POD}.": "task pod: ",
}


def changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Any]:
    """What differs, by path: what stands there now, or `None` where it is gone. An object as a whole is `added` or gone.

    Items of a list are known by their mount path or name, where they have one, and paths into the two pods are short.
    """
    found: dict[str, Any] = {}
    for role in sorted(before.keys() | after.keys()):
        if role in before and role in after:
            found |= dict(_differences(before[role], after[role], role))
        else:
            found[role] = "added" if role in after else None
    return {_shortened(path): value for path, value in found.items()}


def _differences(old: Any, new: Any, path: str) -> Iterator[tuple[str, Any]]:
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        old_items, new_items = ({f".{key}": value for key, value in side.items()} for side in (old, new))
    elif _is_keyed(old) and _is_keyed(new):
        old_items, new_items = ({f"[{_key(item, index)}]": item for index, item in enumerate(side)} for side in (old, new))
    else:
        if old != new:
            yield path, new
        return
    for key in sorted(old_items.keys() | new_items.keys()):
        if key in old_items and key in new_items:
            yield from _differences(old_items[key], new_items[key], path + key)
        else:
            yield path + key, new_items.get(key)


def _is_keyed(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(item, Mapping) for item in value)


def _key(item: Mapping[str, Any], index: int) -> str:
    return str(item.get("mountPath") or item.get("name") or index)


def _shortened(path: str) -> str:
    return next((short + path.removeprefix(long) for long, short in _SHORT.items() if path.startswith(long)), path)
