"""What to do about something in a cloud that a deployment has created without recording it.

Names of such resources are fixed, so that the next deployment finds them taken instead of creating a second one.
"""

import re
from collections.abc import Callable, Iterable

import pulumi

from scalr_agents.resources.options import error_hook

_TAKEN = re.compile(r"AlreadyExists|already exists|ResourceExistsException|already in use by another|InvalidGroup\.Duplicate|Error 409")
"""Errors of AWS and Google Cloud for a name that is taken."""


def explained(
    name: str, what: str, *commands: str, retry: Callable[[pulumi.ErrorHookArgs], bool] | None = None
) -> pulumi.ResourceHookBinding:
    """Hooks of a resource of the component `name` that log the commands to delete what already has its name.

    `what` says what it is, with its name in the cloud. `retry` says whether to try again after any other error.
    """

    def explain(refused: pulumi.ErrorHookArgs) -> bool:
        if is_taken(refused):
            pulumi.log.error(left_behind(name, what, commands))
            return False
        return bool(retry and retry(refused))

    return pulumi.ResourceHookBinding(on_error=[error_hook(f"{name}-taken", explain)])


def is_taken(refused: pulumi.ErrorHookArgs) -> bool:
    """Whether something could not be created because its name is taken."""
    return refused.failed_operation == "create" and bool(_TAKEN.search("\n".join(refused.errors)))


def left_behind(name: str, what: str, commands: Iterable[str]) -> str:
    """What to do about something that has the name of a resource, and is not in the state."""
    advice = (
        f"There already is {what}, and the state of this stack does not have it: a deployment of {name!r} was interrupted "
        "while it was being created. Delete it, and run `pulumi up` again:"
    )
    return "\n  ".join([advice, *commands])
