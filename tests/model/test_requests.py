"""What pods request, as Kubernetes computes it: a table from its documentation."""

from decimal import Decimal
from typing import Any

import pytest
from scalr_agents.model import quantities


def pod(*cpus: str, before: tuple[str, ...] = (), staying: tuple[str, ...] = ()) -> dict[str, Any]:
    def container(cpu: str) -> dict[str, Any]:
        return {"name": "c", "resources": {"requests": {"cpu": cpu}}}

    init = [*({**container(cpu), "restartPolicy": "Always"} for cpu in staying), *map(container, before)]
    return {"containers": [*map(container, cpus)], "initContainers": init}


@pytest.mark.parametrize(
    ("spec", "cores"),
    [
        (pod("1", "500m"), "1.5"),
        (pod("1", before=("3",)), "3"),
        (pod("4", before=("3",)), "4"),
        (pod("1", staying=("500m",)), "1.5"),
        (pod("1", before=("1",), staying=("500m",)), "1.5"),
        (pod("1", before=("2",), staying=("500m",)), "2.5"),
        ({**pod("1"), "overhead": {"cpu": "250m"}}, "1.25"),
    ],
)
def test_what_a_pod_requests(spec: dict[str, Any], cores: str) -> None:
    assert quantities.of_pod(spec) == {"cpu": Decimal(cores)}


def test_a_request_that_is_not_set_equals_the_limit() -> None:
    container = {"resources": {"limits": {"cpu": "2", "memory": "1Gi"}, "requests": {"cpu": "1"}}}
    assert quantities.of_container(container) == {"cpu": Decimal(1), "memory": Decimal(2**30)}
