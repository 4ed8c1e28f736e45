"""Stand-ins for outputs of other resources."""

READ_TOO_EARLY = "a value was read that is not known yet"


class Later:
    """Known only during deployment: reading, copying or formatting it fails."""

    def __bool__(self) -> bool:
        raise AssertionError(READ_TOO_EARLY)

    def __str__(self) -> str:
        raise AssertionError(READ_TOO_EARLY)

    def __copy__(self) -> "Later":
        raise AssertionError(READ_TOO_EARLY)

    def __deepcopy__(self, _: object) -> "Later":
        raise AssertionError(READ_TOO_EARLY)
