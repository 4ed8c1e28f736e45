"""Compares what is sent to a cloud with the argument types of its SDK, at any depth."""

import inspect
from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any, Union, get_args, get_origin

from pulumi import _types

from tests.helpers.recording import Registration


def mismatches(resource: Registration) -> Iterator[str]:
    """Arguments that the SDK does not have or that have another type, and missing required ones."""
    package, module, name = resource.type.split(":")
    arguments = getattr(import_module(f"pulumi_{package}.{module.partition('/')[0]}"), f"{name}Args")
    yield from (f"{resource.name}: {problem}" for problem in compare(arguments, resource.inputs))


def compare(expected: Any, given: Any, path: str = "") -> Iterator[str]:
    expected = _plain(expected)
    origin, inner = get_origin(expected), get_args(expected)
    if given is None:
        return
    if _types.is_input_type(expected):
        yield from _object(expected, given, path)
    elif isinstance(given, Mapping) and origin and issubclass(origin, Mapping):
        for key, value in given.items():
            yield from compare(inner[1], value, f"{path}.{key}")
    elif isinstance(given, list) and origin and not issubclass(origin, Mapping):
        for index, value in enumerate(given):
            yield from compare(inner[0], value, f"{path}[{index}]")
    elif origin or not isinstance(given, (int, float) if expected is float else expected):
        yield f"{path}: expected {expected}, given {given!r}"


def _object(expected: type, given: Any, path: str) -> Iterator[str]:
    if not isinstance(given, Mapping):
        yield f"{path}: expected {expected.__name__}, given {given!r}"
        return
    types = _types.input_type_types(expected)
    names = _types.input_type_py_to_pulumi_names(expected)
    parameters = inspect.signature(expected).parameters
    for word, name in names.items():
        if parameters[word].default is inspect.Parameter.empty and given.get(name) is None:
            yield f"{path}.{name}: missing from {expected.__name__}"
    for key, value in given.items():
        if key in types:
            yield from compare(types[key], value, f"{path}.{key}")
        else:
            yield f"{path}.{key}: no argument of {expected.__name__}"


def _plain(expected: Any) -> Any:
    """The type itself, of a type that may be an output or absent."""
    while get_origin(expected) is Union:
        expected = get_args(expected)[0]
    return expected
