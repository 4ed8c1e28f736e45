"""The arguments of components as TypedDicts, from the models that validate them: flat, as the component host reads them.

What the host has no word for is not written: a `Literal` is `str` at run time, and a quantity that may be a number is a text.
"""

import builtins
import collections.abc
import json
import re
import types
import typing
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import scalr_agents
from pydantic import BaseModel
from pydantic.fields import FieldInfo
from scalr_agents.caches import efs, storage_class
from scalr_agents.caches.filestore import settings as filestore
from scalr_agents.charts.shared import external_secrets, inputs
from scalr_agents.charts.shared.inputs import Scaling
from scalr_agents.machines.aws import Ec2Arguments, Ec2Volume
from scalr_agents.machines.gcp import GceArguments, GceVolume
from scalr_agents.machines.settings import Package, Volume
from scalr_agents.model.forms import Required
from scalr_agents.model.maps import Deferred
from scalr_agents.model.section import in_stack_files
from scalr_agents.resources.kubernetes import agent_arguments as agents
from scalr_agents.stack.schema import descriptions

from tests.package.typed_dicts import docstring
from tests.package.values import with_default

_DIRECTORY = Path(scalr_agents.__file__).parent / "resources" / "arguments"
COMPONENTS: Mapping[str, Mapping[str, type[BaseModel]]] = {
    "agents": {
        "AgentJobArgs": agents.AgentJobArguments,
        "AgentLocalArgs": agents.AgentLocalArguments,
        "AgentK8sArgs": agents.AgentK8sArguments,
        "AgentCrdsArgs": agents.CrdsArguments,
    },
    "caches": {
        "EfsCacheArgs": efs.EfsArguments,
        "EfsClaimArgs": efs.EfsClaimSettings,
        "EfsCsiDriverArgs": efs.EfsCsiDriverSettings,
        "FilestoreCacheArgs": filestore.FilestoreArguments,
        "FilestoreClaimArgs": filestore.FilestoreClaimSettings,
        "CacheStorageClassArgs": storage_class.StorageClassSettings,
        "StorageClassClaimArgs": storage_class.StorageClassClaimSettings,
    },
    "machines": {"Ec2AgentsArgs": Ec2Arguments, "GceAgentsArgs": GceArguments},
}
"""The models of components, by the module and the class of their arguments."""
_SECTIONS: Mapping[type[BaseModel], tuple[str, type[BaseModel]]] = {
    inputs.EgressEntry: ("EgressEntryArgs", inputs.EgressEntry),
    inputs.Egress: ("EgressArgs", inputs.Egress),
    inputs.Network: ("NetworkArgs", inputs.Network),
    Scaling: ("ScalingArgs", Scaling),
    external_secrets.RemoteSecret: ("RemoteSecretArgs", external_secrets.RemoteSecret),
    external_secrets.SecretStore: ("SecretStoreArgs", external_secrets.SecretStore),
    external_secrets.SecretsFrom: ("SecretsFromArgs", external_secrets.SecretsFrom),
    efs.EfsClients: ("EfsClientsArgs", efs.EfsClients),
    filestore.ExportOption: ("FilestoreExportOptionArgs", filestore.ExportOption),
    Package: ("MachinePackageArgs", Package),
    Ec2Volume: ("MachineVolumeArgs", Volume),
    GceVolume: ("MachineVolumeArgs", Volume),
}
"""The classes of sections, and the models that describe them."""
_PRIMITIVES = {str: "str", bool: "bool", int: "int", float: "float"}


def files() -> dict[Path, str]:
    """The modules, by file."""
    return {_DIRECTORY / f"{name}.py": _Module(name, components).text() for name, components in COMPONENTS.items()}


class _Module:
    """Collects the classes of a module. Sections come before the classes that have them."""

    def __init__(self, name: str, components: Mapping[str, type[BaseModel]]) -> None:
        self.name = name
        self.classes: dict[str, str] = {}
        self.literals: dict[str, str] = {}
        for arguments, model in components.items():
            self.known = {in_stack_files(key): key for key in _names(model)}
            """The settings of a component by their names in stack files, which sections have in their docstrings."""
            self.add(arguments, model)

    def text(self) -> str:
        classes = "".join(self.classes.values())
        shapes = [shape for shape in ("Mapping", "Sequence") if f"{shape}[" in classes]
        aliases = "".join(f"    {alias} = {literal}\n" for alias, literal in sorted(self.literals.items()))
        values = "from scalr_agents.resources import values as typed\n\n" if "typed." in classes else ""
        return (
            f'"""The arguments of the components for {self.name}. `make schema` writes this file, from the models."""\n\n'
            f"from collections.abc import {', '.join(shapes)}\nfrom typing import TYPE_CHECKING, Literal, NotRequired, TypedDict\n\n"
            f"import pulumi\n\n{values}if TYPE_CHECKING:\n{aliases}else:  # the component host does not support `Literal`\n"
            f"    {' = '.join(sorted(self.literals))} = str\n{classes}"
        )

    def add(self, name: str, model: type[BaseModel]) -> None:
        if name not in self.classes:
            keys = "".join(self._keys(name, model))
            self.classes[name] = f"\n\nclass {name}(TypedDict):\n{docstring(' '.join((model.__doc__ or '').split()))}\n{keys}"

    def _keys(self, name: str, model: type[BaseModel]) -> Iterator[str]:
        documented = descriptions(model)
        for key, field in model.model_fields.items():
            written = f"typed.{name.removesuffix('Args')}Values" if key == "values" else self._type(field.annotation, name, key)
            yield f"    {key}: {written if is_required(field) else f'NotRequired[{written}]'}\n"
            yield docstring(description(field, self.in_programs(documented[key])))

    def _type(self, annotation: Any, name: str, key: str) -> str:
        """The type of a key of the class `name`."""
        arguments = get_args(annotation)
        match get_origin(annotation):
            case typing.Annotated:
                return self._type(arguments[0], name, key)
            case typing.Union | types.UnionType:
                [choice] = [each for each in arguments if each not in (Deferred, types.NoneType)]
                written = self._type(choice, name, key)
                return f"pulumi.Input[{written}]" if Deferred in arguments else written
            case typing.Literal:
                return self._literal(name, key, arguments)
            case builtins.dict:
                return f"Mapping[str, {self._type(arguments[1], name, key)}]"
            case builtins.list | collections.abc.Sequence:
                return f"Sequence[{self._type(arguments[0], name, key)}]"
        return self._section(annotation) if annotation in _SECTIONS else _PRIMITIVES[annotation]

    def in_programs(self, text: str) -> str:
        """A text with settings as programs write them. What is below a dot is a value of a chart."""

        def spelled(code: re.Match[str]) -> str:
            return re.sub(r"(?<![.\w])[a-z]+(?:[A-Z][a-z0-9]*)+\b", lambda word: self.known.get(word[0], word[0]), code[0])

        return re.sub(r"`[^`]+`", spelled, text)

    def _section(self, model: type[BaseModel]) -> str:
        name, described = _SECTIONS[model]
        self.add(name, described)
        return name

    def _literal(self, name: str, key: str, values: tuple[str, ...]) -> str:
        """A type that allows only these strings, named after its key. If that name is taken, the name of the class is before it."""
        literal = f"Literal[{', '.join(json.dumps(value) for value in values)}]"
        short = key.title().replace("_", "")
        alias = short if self.literals.setdefault(short, literal) == literal else f"{name.removesuffix('Args')}{short}"
        self.literals[alias] = literal
        return alias


def is_required(field: FieldInfo) -> bool:
    """Whether a program must give a setting: one without a default, one that is declared so and has none but the empty one, or a section
    of which it must give a setting."""
    if isinstance(field.default, BaseModel):
        return any(map(is_required, type(field.default).model_fields.values()))
    return field.is_required() or (not field.default and any(isinstance(each, Required) for each in field.metadata))


def description(field: FieldInfo, text: str) -> str:
    """The docstring of a field with the allowed words and the default, unless it says them."""
    text = text.removesuffix(" Required.").replace(" Required. ", " ")
    allowed = [f"`{value}`" for value in get_args(field.annotation) if get_origin(field.annotation) is Literal]
    if any(value not in text for value in allowed):
        text = f"{text} Allowed: {', '.join(allowed)}."
    default = field.default[0] if isinstance(field.default, list) and len(field.default) == 1 else field.default
    return with_default(text, None if is_required(field) else default)


def _names(annotation: Any) -> Iterator[str]:
    """The settings of the sections in an annotation."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        for name, field in annotation.model_fields.items():
            yield from (name, *_names(field.annotation))
    for part in get_args(annotation):
        yield from _names(part)
