"""Properties that providers return. Real providers always set them.

The mocks of a program's tests may leave them out, and the SDK then makes `None` of them.
"""

from collections.abc import Callable
from typing import Any

import pulumi


def demanded(token: str, answer: Any, path: str, read: Callable[[Any], Any]) -> Any:
    """What `read` takes from an answer, with an error that names the resource or function and the property in place of `None`."""
    try:
        found = read(answer)
    except (AttributeError, IndexError, KeyError, TypeError):
        found = None
    if found is None:
        method = "new_resource" if token.rpartition(":")[2][0].isupper() else "call"
        raise pulumi.RunError(f"{token} has no {path}: return it from {method} of your mocks (docs/agent-job.md, Testing your program)")
    return found


def answered(token: str, answer: pulumi.Output[Any], path: str, read: Callable[[Any], Any] = lambda known: known) -> pulumi.Output[Any]:
    """The same for an output."""
    return answer.apply(lambda known: demanded(token, known, path, read))
