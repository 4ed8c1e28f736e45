"""What programs in C# name, compared with an SDK. There is no compiler here: NuGet has the libraries that it would need.

The grammar is the one that editors use. Each class of the SDK that a program creates must exist, have the properties that it sets, and be
of the type of the property that it is given to; each property that it reads must exist.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import tree_sitter_c_sharp
from tree_sitter import Language, Node, Parser

_PARSER = Parser(Language(tree_sitter_c_sharp.language()))
_INPUT = re.compile(r"(?:Input<)?(?:[\w.]+\.)?(\w+)>?\??")

Classes = Mapping[str, Mapping[str, str]]
"""Properties of classes with their types, by names."""


def classes(sdk: Path) -> Classes:
    """The classes of a generated SDK."""
    found: dict[str, dict[str, str]] = {}
    for file in sorted(sdk.rglob("*.cs")):
        for each in _all(_parsed(file.read_text(encoding="utf-8")), "class_declaration"):
            properties = _all(each, "property_declaration")
            found[_text(each, "name")] = {_text(one, "name"): _text(one, "type") for one in properties if _is_public(one)}
    return found


def mistakes(program: str, known: Classes, others: set[str]) -> list[str]:
    """What a program names and is not there. `others` are the classes of other packages that it creates."""
    root = _parsed(program)
    return [*_of_creations(root, known, others), *_of_reads(root, known)]


def _of_creations(root: Node, known: Classes, others: set[str]) -> Iterator[str]:
    for creation in _all(root, "object_creation_expression"):
        name = _text(creation, "type")
        if name not in known:
            yield from [] if name in others else [f"no class {name}"]
            continue
        for key, value in _set(creation):
            if key not in known[name]:
                yield f"no {key} in {name}"
            elif value.type == "object_creation_expression" and _text(value, "type") in known:
                match = _INPUT.fullmatch(known[name][key])
                if match is None or match[1] != _text(value, "type"):
                    yield f"{key} of {name} is no {_text(value, 'type')}"


def _of_reads(root: Node, known: Classes) -> Iterator[str]:
    """Variables have the type that they are created with."""
    created = {}
    for variable in _all(root, "variable_declarator"):
        for creation in variable.children:
            if creation.type == "object_creation_expression":
                created[_text(variable, "name")] = _text(creation, "type")
    for access in _all(root, "member_access_expression"):
        name = created.get(_text(access, "expression"), "")
        if name in known and _text(access, "name") not in known[name]:
            yield f"no {_text(access, 'name')} in {name}"


def _set(creation: Node) -> Iterator[tuple[str, Node]]:
    """The properties that a creation sets, with their values."""
    initializer = creation.child_by_field_name("initializer")
    for assignment in initializer.named_children if initializer else ():
        value = assignment.child_by_field_name("right")
        if assignment.type == "assignment_expression" and value:
            yield _text(assignment, "left"), value


def _parsed(text: str) -> Node:
    root = _PARSER.parse(text.encode()).root_node
    if root.has_error:
        raise SyntaxError(text)
    return root


def _all(node: Node, kind: str) -> Iterator[Node]:
    if node.type == kind:
        yield node
    for child in node.children:
        yield from _all(child, kind)


def _text(node: Node, field: str) -> str:
    found = node.child_by_field_name(field)
    return found.text.decode() if found and found.text else ""


def _is_public(declaration: Node) -> bool:
    return any(child.type == "modifier" and child.text == b"public" for child in declaration.children)
