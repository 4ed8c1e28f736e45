"""Objects that stand for what another resource knows."""

READ_TOO_EARLY = "a value was read that is not known yet"


class Later:
    """Known only during deployment: nobody may read, copy or format it."""

    def __bool__(self) -> bool:
        raise AssertionError(READ_TOO_EARLY)

    def __str__(self) -> str:
        raise AssertionError(READ_TOO_EARLY)

    def __copy__(self) -> "Later":
        raise AssertionError(READ_TOO_EARLY)

    def __deepcopy__(self, _: object) -> "Later":
        raise AssertionError(READ_TOO_EARLY)
