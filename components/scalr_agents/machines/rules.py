"""What holds for machines on every cloud: their number, and the memory that runs need."""

from collections.abc import Iterator

from scalr_agents.machines import instance_types
from scalr_agents.machines.settings import SYSTEM_BYTES
from scalr_agents.model import quantities
from scalr_agents.model.findings import Path
from scalr_agents.model.relations import Problem, error, warning


def count(most: int, least: int) -> Iterator[Problem]:
    if most < least:
        yield error("max", "given {most}, which is less than {min}, {least}", most=most, least=least)
    if not least:
        yield error("min", "given 0: a group without machines has no CPU use to scale with, so it never starts one; set at least 1")


def room(at: str | Path, kind: str, memory: float | None, concurrency: int, memory_per_run: str) -> Iterator[Problem]:
    needed = concurrency * quantities.parse(memory_per_run) + SYSTEM_BYTES
    if memory is not None and needed > memory:
        text = (
            "{kind} has {available} GiB of memory, but {concurrency:value} runs of {memory_per_run:value} and 1 GiB for the system "
            "need {required} GiB; use a larger type, or fewer concurrent runs"
        )
        available, required = f"{memory / instance_types.GIB:g}", f"{float(needed) / instance_types.GIB:.1f}"
        yield warning(at, text, kind=kind, available=available, required=required)
