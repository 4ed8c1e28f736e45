"""Observes a state in the background."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

_SECONDS = 0.05

Seen = TypeVar("Seen")


@contextmanager
def watched(look: Callable[[], Seen]) -> Iterator[list[Seen]]:
    """The observed values, collected until the context ends."""
    seen: list[Seen] = []
    ended = threading.Event()

    def watch() -> None:
        while not ended.wait(_SECONDS):
            seen.append(look())

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield seen
    finally:
        ended.set()
        thread.join()
