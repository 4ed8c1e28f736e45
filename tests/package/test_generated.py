"""What `make schema` writes is current. The schema and the reference are made once for all tests here."""

from tests import reference
from tests.package import arguments, schema, typed_dicts
from tests.reference import stack_file

GENERATED = typed_dicts.files() | arguments.files()


def test_the_schema_is_current() -> None:
    assert schema.FILE.read_text(encoding="utf-8") == schema.written(schema.whole()), "run make schema"


def test_types_and_arguments_are_current() -> None:
    assert [file.name for file, text in GENERATED.items() if file.read_text(encoding="utf-8") != text] == [], "run make schema"


def test_the_reference_is_current() -> None:
    written = {file.name: file.read_text(encoding="utf-8") for file in reference.DIRECTORY.iterdir()}
    written.pop("index.md")
    stale = [name for name, text in reference.pages().items() if written.pop(name, "") != text]
    assert (stale, written) == ([], {}), "run make schema"


def test_the_stack_file_page_is_current() -> None:
    page = stack_file.PAGE.read_text()
    assert stack_file.MARK in page
    assert stack_file.renewed(page) == page, "run make schema"


def test_the_picture_of_the_readme_is_current() -> None:
    readme = stack_file.README.read_text()
    assert readme.count("```mermaid") == 1
    assert stack_file.with_picture(readme) == readme, "run make schema"
