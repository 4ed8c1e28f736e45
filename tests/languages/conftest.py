"""What programs in other languages need. A test is skipped, with the reason, if it is missing."""

from pathlib import Path

import pytest

from tests.languages import node


@pytest.fixture(scope="session")
def node_modules() -> Path:
    if not node.modules().exists():
        pytest.skip("the packages of tests/languages/package.json are missing: run `make test-languages` where npm is installed")
    return node.modules()
