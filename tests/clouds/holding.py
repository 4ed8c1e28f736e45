"""Operations of a cloud that are carried out, but whose response is withheld."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

_SECONDS = 60


class Held:
    """The responses of an operation."""

    def __init__(self, operation: str) -> None:
        self.operation = operation
        self.carried_out = threading.Event()
        self.released = threading.Event()


class Holding:
    """The responses that a cloud withholds."""

    def __init__(self) -> None:
        self._held: list[Held] = []

    @contextmanager
    def of(self, operation: str) -> Iterator[Held]:
        """Withhold the responses of an operation until the context ends."""
        held = Held(operation)
        self._held.append(held)
        try:
            yield held
        finally:
            self._held.remove(held)
            held.released.set()

    def wait(self, operation: str) -> None:
        """Wait until the response may be sent."""
        for held in [held for held in self._held if held.operation == operation]:
            held.carried_out.set()
            held.released.wait(_SECONDS)
