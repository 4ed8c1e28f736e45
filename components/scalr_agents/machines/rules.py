"""What holds for machines on every cloud: their number, and the memory that runs need."""

from scalr_agents.machines import instance_types
from scalr_agents.machines.settings import SYSTEM_BYTES
from scalr_agents.model import quantities
from scalr_agents.model.findings import Findings, Path, error, warning


def count(most: int, least: int, least_name: str) -> Findings:
    if most < least:
        yield error("max", f"given {most}, which is less than {least_name}, {least}")
    if not least:
        yield error("min", "given 0: a group without machines has no CPU use to scale with, so it never starts one; set at least 1")


def room(at: str | Path, kind: str, memory: float | None, concurrency: int, memory_per_run: str) -> Findings:
    needed = concurrency * quantities.parse(memory_per_run) + SYSTEM_BYTES
    if memory is not None and needed > memory:
        available, required = memory / instance_types.GIB, float(needed) / instance_types.GIB
        message = (
            f"{kind} has {available:g} GiB of memory, but {concurrency} runs of {memory_per_run} and 1 GiB for the system "
            f"need {required:.1f} GiB; use a larger type, or fewer concurrent runs"
        )
        yield warning(at, message)
