"""What a user may say about shared caches: the clouds' file systems, and the claims on them.

A program and a stack file say the same in the same words, which they spell differently (`vpc_id`, `vpcId`). Checks take the
spelling, so that a finding names a word as the user writes it.
"""

import re
from collections.abc import Callable
from typing import Literal

OnDelete = Literal["keep", "delete"]
"""What becomes of a file system that leaves the program."""
Spelling = Callable[[str], str]


def in_programs(words: str) -> str:
    """A word, or a path of words, as programs write it."""
    return words


def in_stack_files(words: str) -> str:
    """A word, or a path of words, as stack files write it."""
    return re.sub(r"_([a-z])", lambda match: match[1].upper(), words)
