"""Writes the reference. `make schema` runs this, after it has written the schema of the package."""

from tests import reference
from tests.reference import stack_file


def main() -> None:
    for name, text in reference.pages().items():
        (reference.DIRECTORY / name).write_text(text, encoding="utf-8")
    stack_file.PAGE.write_text(stack_file.renewed(stack_file.PAGE.read_text()))
    stack_file.README.write_text(stack_file.with_picture(stack_file.README.read_text()))


if __name__ == "__main__":
    main()
