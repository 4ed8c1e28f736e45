"""The machine that all of these tests share, and what happens where there can be none."""

from collections.abc import Iterator

import pytest

from tests.machines_for_real import machine
from tests.machines_for_real.machine import Host


@pytest.fixture(scope="session")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    if reason := machine.missing():
        machine.without(reason)
    with machine.running(tmp_path_factory.mktemp("machine")) as running:
        yield running
