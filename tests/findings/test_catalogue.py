"""What is given has exactly the findings of the catalogue, and the catalogue has all findings that there are."""

import pytest

from tests.findings import places
from tests.findings.catalogue import FINDERS, Case, cases
from tests.helpers.samples import REPOSITORY

CASES = {f"{room}-{case.name}": case for room in FINDERS for case in cases(room)}
SECRETS = ("s3cr3t", "pa55w0rd", "Kx7q9Zt4w2Lm8v3")
"""Parts of secrets that entries give."""


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_exactly_these_findings(case: Case) -> None:
    found = case.found()
    assert case.written(found) == sorted(map(str, case.finds))
    assert not any(secret in finding.message for secret in SECRETS for finding in found)


ELSEWHERE = {
    "charts/__init__.py": "tests/charts/agent_job/test_checks.py",
    "machines/checks.py: sizes": "tests/machines/test_checks.py",
    "migration/": "tests/migration",
    "model/origins.py": "tests/model/test_origins.py",
    "resources/aws/efs_cache.py": "tests/resources/test_caches.py",
    "resources/functions.py": "tests/resources/test_mistakes.py",
    "resources/gcp/filestore_cache.py": "tests/resources/test_answers.py",
    "resources/validation.py": "tests/resources/test_mistakes.py",
    "stack/caches.py: without_region": "tests/stack/test_regions.py",
    "stack/machines.py: without_region": "tests/test_cli.py",
    "stack/project_config.py": "tests/stack/test_project_config.py",
    "stack/secrets.py: misplaced": "tests/test_cli.py",
    "stack/secrets.py: placeholders": "tests/test_cli.py",
    "stack/source.py": "tests/stack/test_source.py",
}
"""Places that the catalogue does not reach, by the beginning of their names, and what tests them."""


def test_every_place_is_reached() -> None:
    with places.reached() as reached:
        for case in CASES.values():
            if case.is_first:
                case.found()
    left = [place.name for place in places.all_of_them() if not place.keys & reached]
    assert [name for name in left if not name.startswith(tuple(ELSEWHERE))] == []
    assert [name for name in ELSEWHERE if not any(place.startswith(name) for place in left)] == []


def test_what_is_tested_elsewhere_has_its_test_there() -> None:
    assert [test for test in ELSEWHERE.values() if not (REPOSITORY / test).exists()] == []
