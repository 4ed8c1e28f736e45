"""Settings of shared caches: cloud file systems and the claims on them.

Programs and stack files have the same settings in different spellings (`vpc_id`, `vpcId`). Checks take the spelling as an argument,
so that a finding names a key as the user writes it.
"""

import re
from collections.abc import Callable
from typing import Literal

OnDelete = Literal["keep", "delete"]
"""What happens to a file system when it is removed from the program or the stack file."""
Spelling = Callable[[str], str]


def in_programs(words: str) -> str:
    """A key, or a dotted path, as programs write it."""
    return words


def in_stack_files(words: str) -> str:
    """A key, or a dotted path, as stack files write it."""
    return re.sub(r"_([a-z])", lambda match: match[1].upper(), words)
