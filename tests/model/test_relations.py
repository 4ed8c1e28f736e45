"""The tables of all models name settings that exist, also in their texts."""

import inspect
import re
from collections.abc import Iterator

import pytest
from pydantic import BaseModel
from scalr_agents.caches import efs, storage_class
from scalr_agents.caches.filestore import settings as filestore
from scalr_agents.caches.storage_class import StorageClassKind
from scalr_agents.machines.aws import Ec2Arguments
from scalr_agents.machines.gcp import GceArguments
from scalr_agents.machines.settings import Package
from scalr_agents.model.judge import relations
from scalr_agents.model.relations import Check, Relation
from scalr_agents.stack.machines import MachineEntry

FACTS = {"platform"}
MODELS: list[type[BaseModel]] = [
    *(efs.EfsArguments, efs.EfsClaimSettings, efs.EfsCsiDriverSettings, filestore.FilestoreArguments, filestore.FilestoreClaimSettings),
    *(filestore.ExportOption, storage_class.StorageClassSettings, storage_class.StorageClassClaimSettings, StorageClassKind),
    *(Ec2Arguments, GceArguments, Package, MachineEntry),
]
ROWS = [(model, row) for model in MODELS for row in relations(model)]


def names(row: Relation) -> Iterator[str]:
    """What a row names. Facts only decide whether it applies."""
    yield from (each.setting for each in (*row.settings, *row.when, *row.unless) if each.setting not in FACTS)
    yield from (each.setting for each in row.named) if isinstance(row, Check) else ()
    yield from re.findall(r"\{([^{}]*?)(?::value)?\}", row.text)


def exists(model: type[BaseModel], name: str) -> bool:
    head, *rest = name.split(".")
    if head not in model.model_fields:
        return False
    section = model.model_fields[head].annotation
    return not rest or (isinstance(section, type) and issubclass(section, BaseModel) and exists(section, ".".join(rest)))


@pytest.mark.parametrize(("model", "row"), ROWS, ids=[f"{index}-{model.__name__}" for index, (model, _) in enumerate(ROWS)])
def test_every_name_is_a_setting(model: type[BaseModel], row: Relation) -> None:
    around: list[type[BaseModel]] = [model, *([Ec2Arguments] if model is MachineEntry else [])]  # whose shared settings are beside it
    assert [name for name in names(row) if not any(exists(each, name) for each in around)] == []


@pytest.mark.parametrize("row", [row for _, row in ROWS if isinstance(row, Check)])
def test_functions_take_what_their_rows_give(row: Check) -> None:
    inspect.signature(row.function).bind(*row.settings, *row.named)
