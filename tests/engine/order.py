"""The order in which resources are deleted, and the timeouts of deletions."""

from collections.abc import Iterable
from itertools import pairwise

from tests.engine.stacks import Outcome

LONGEST_RUN = 14400 + 360 + 60
"""In the sample stacks: the deadline, the grace period, and how long what has finished is kept."""
MARGIN = 120


def assert_order(gone: Outcome, *groups: Iterable[str]) -> None:
    """Assert that each group is deleted completely before the next one."""
    calls = [[gone.call("delete", name) for name in group] for group in groups]
    assert all(calls)
    for earlier, later in pairwise(calls):
        assert max(call.ended for call in earlier) <= min(call.began for call in later)
