"""What users depend on: components and their types, keys of the stack file, commands, names in Python; and which changes of it break them.

A change breaks if a program that compiles with the old SDK of a language may not compile with the new one, or if a word is no longer
accepted. `contract.txt` has the contract of the last release (until there is one, that with which this file began), one line for each
thing. `python -m tests.package.contract` renews it for a release.
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from tests.package import public_names, schema
from tests.package.public_names import KEY, VALUE, Item

RELEASED = Path(__file__).parent / "contract.txt"
_COMPONENT, _ARGUMENT, _OUTPUT, _TYPE = "component", "argument", "output", "type"


class Change(NamedTuple):
    """A difference between two contracts."""

    breaks: bool
    name: str
    what: str

    def __str__(self) -> str:
        return f"{'breaking' if self.breaks else 'compatible'}: {self.name}: {self.what}"


def items(package: Mapping[str, Any]) -> dict[str, Item]:
    """The contract of a schema, by name."""
    return {item.name: item for item in sorted([*_components(package["resources"]), *_types(package["types"])])}


def of_package() -> dict[str, Item]:
    """The contract of the package as it is."""
    others = sorted([*public_names.stack_keys(), *public_names.commands(), *public_names.names()])
    return items(schema.whole()) | {item.name: item for item in others}


def read(text: str) -> dict[str, Item]:
    """The contract that a file has."""
    found = {}
    for line in text.splitlines():
        name, _, rest = line.partition(": ")
        required = rest.startswith("required ")
        kind, _, kept = rest.removeprefix("required ").partition(" ")
        found[name] = Item(name, kind, kept, required)
    return found


def changes(old: Mapping[str, Item], new: Mapping[str, Item]) -> list[Change]:
    """The differences between two contracts, those that break programs first."""
    gone = [Change(True, name, f"{old[name].kind} removed") for name in old.keys() - new.keys()]
    added = [_added(new[name], old) for name in new.keys() - old.keys()]
    changed = [change for name in old.keys() & new.keys() for change in _changed(old[name], new[name])]
    return sorted([*gone, *added, *changed], key=lambda change: (not change.breaks, change.name))


def _added(item: Item, old: Mapping[str, Item]) -> Change:
    """A new argument or key. If it is required, it breaks the programs that have used its component or type without it."""
    breaks = item.required and item.kind in (_ARGUMENT, KEY) and item.name.rpartition(".")[0].removesuffix(".*") in old
    return Change(breaks, item.name, f"new {'required ' if item.required else ''}{item.kind}")


def _changed(old: Item, new: Item) -> Iterator[Change]:
    if (old.kind, old.type) != (new.kind, new.type):
        yield Change(True, new.name, f"{old.kind} {old.type} became {new.kind} {new.type}")
    elif old.required != new.required:
        yield Change(new.required or new.kind == _OUTPUT, new.name, f"{new.kind} became {'required' if new.required else 'optional'}")


def _components(components: Mapping[str, Any]) -> Iterator[Item]:
    for token, each in components.items():
        name = _name(token)
        yield Item(name, _COMPONENT)
        for key, spec in each["inputProperties"].items():
            yield Item(f"{name}.{key}", _ARGUMENT, _shown(spec), key in each.get("requiredInputs", ()))
        for key, spec in each["properties"].items():
            yield Item(f"{name} > {key}", _OUTPUT, _shown(spec), key in each.get("required", ()))


def _types(types: Mapping[str, Any]) -> Iterator[Item]:
    for token, each in types.items():
        name = _name(token)
        yield Item(name, _TYPE)
        for key, spec in each.get("properties", {}).items():
            yield Item(f"{name}.{key}", KEY, _shown(spec), key in each.get("required", ()))
        yield from (Item(f"{name}.{json.dumps(choice['value'])}", VALUE) for choice in each.get("enum", ()))


def _shown(spec: Mapping[str, Any]) -> str:
    """A type, for instance `list of eventual string`. An eventual one may be an output."""
    match spec:
        case {"$ref": reference}:
            shown = _name(reference)
        case {"oneOf": choices}:
            shown = " or ".join(_shown(choice) for choice in choices)
        case {"items": content}:
            shown = f"list of {_shown(content)}"
        case {"additionalProperties": content}:
            shown = f"map of {_shown(content)}"
        case _:
            shown = spec["type"]
    return shown if "plain" in spec else f"eventual {shown}"


def _name(token: str) -> str:
    return token.rpartition(":")[2].removeprefix("pulumi.json#/")


def written(contract: Mapping[str, Item]) -> str:
    return "".join(f"{item}\n" for item in contract.values())


if __name__ == "__main__":
    RELEASED.write_text(written(of_package()), encoding="utf-8")
