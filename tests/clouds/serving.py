"""What both clouds are: a server on this machine that can withhold responses."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import HTTPServer
from types import TracebackType
from typing import Self

_SECONDS = 60


class Held:
    """An operation that is carried out, but whose responses are withheld."""

    def __init__(self, operation: str) -> None:
        self.operation = operation
        self.carried_out = threading.Event()
        self.released = threading.Event()


class Served:
    """A cloud behind a server, which runs until the context ends."""

    def __init__(self, server: HTTPServer) -> None:
        self._server = server
        self._held: list[Held] = []
        self.url = f"http://127.0.0.1:{server.server_port}"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._server.shutdown()
        self._server.server_close()

    @contextmanager
    def holding(self, operation: str) -> Iterator[Held]:
        """Withhold the responses of an operation until the context ends. Its name is that of the cloud's API."""
        held = Held(operation)
        self._held.append(held)
        try:
            yield held
        finally:
            self._held.remove(held)
            held.released.set()

    def _hold(self, operation: str) -> None:
        """Wait until the response to an operation may be sent."""
        for held in [held for held in self._held if held.operation == operation]:
            held.carried_out.set()
            held.released.wait(_SECONDS)
