"""What both clouds are: a server on this machine that can withhold responses."""

from contextlib import AbstractContextManager
from http.server import HTTPServer
from types import TracebackType
from typing import Self

from tests.clouds.holding import Held, Holding


class Served:
    """A cloud behind a server, which runs until the context ends."""

    def __init__(self, server: HTTPServer) -> None:
        self._server = server
        self._holding = Holding()
        self.url = f"http://127.0.0.1:{server.server_port}"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._server.shutdown()
        self._server.server_close()

    def holding(self, operation: str) -> AbstractContextManager[Held]:
        """Withhold the responses of an operation until the context ends. Its name is that of the cloud's API."""
        return self._holding.of(operation)
