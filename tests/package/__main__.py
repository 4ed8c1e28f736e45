"""Writes the schema of the package and the types of values. `make schema` runs this."""

import sys

from tests.package import arguments, contract, schema, typed_dicts


def main() -> None:
    for file, content in (arguments.files() | typed_dicts.files()).items():
        file.write_text(content, encoding="utf-8")
    package = schema.whole()
    schema.FILE.write_text(schema.written(package), encoding="utf-8")
    released = contract.read(contract.RELEASED.read_text(encoding="utf-8"))
    for change in contract.changes(released, contract.of_package()):
        sys.stderr.write(f"since the last release: {change}\n" if change.breaks else "")


if __name__ == "__main__":
    main()
