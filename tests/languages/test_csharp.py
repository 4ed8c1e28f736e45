"""Programs in C# name what is in the SDK. They are not compiled."""

from pathlib import Path

import pytest

from tests.helpers import sdk
from tests.languages import csharp, pages
from tests.languages.projects import EXAMPLES
from tests.package import schema

OTHERS = {
    "ComponentResourceOptions",
    "Config",
    "CustomResourceOptions",
    "Dictionary<string, object>",
    "Dictionary<string, object?>",
    "Kubernetes.Provider",
    "Kubernetes.ProviderArgs",
    "Namespace",
    "NamespaceArgs",
    "ObjectMetaArgs",
}
EXAMPLE = (EXAMPLES / "csharp" / "Program.cs").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def classes(tmp_path_factory: pytest.TempPathFactory) -> csharp.Classes:
    directory = tmp_path_factory.mktemp("csharp")
    sdk.generate(schema.FILE, "csharp", directory)
    return csharp.classes(directory)


def test_the_sdk_has_a_class_for_each_component_and_the_logo(tmp_path: Path, classes: csharp.Classes) -> None:
    assert {token.rpartition(":")[2] for token in schema.whole()["resources"]} <= set(classes)
    sdk.generate(schema.FILE, "csharp", tmp_path)
    assert (tmp_path / "logo.png").read_bytes() == (schema.FILE.parents[1] / schema.LOGO).read_bytes()


@pytest.mark.parametrize("program", [EXAMPLE, pages.program("csharp")], ids=["example", "page"])
def test_programs_name_what_is_in_the_sdk(program: str, classes: csharp.Classes) -> None:
    assert csharp.mistakes(program, classes, OTHERS) == []
