"""The spelling of keys: programs and stack files have the same settings, as `vpc_id` and as `vpcId`.

Checks take the spelling as an argument, so that a finding names a key as the user writes it.
"""

import re
from collections.abc import Callable

Spelling = Callable[[str], str]


def in_programs(key: str) -> str:
    """A key, or a dotted path, as programs write it."""
    return key


def in_stack_files(key: str) -> str:
    """A key, or a dotted path, as stack files write it."""
    return re.sub(r"_([a-z])", lambda match: match[1].upper(), key)
