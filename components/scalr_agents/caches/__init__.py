"""Settings of shared caches: cloud file systems and the claims on them."""

from typing import Literal

OnDelete = Literal["keep", "delete"]
"""What happens to a file system when it is removed from the program or the stack file."""
