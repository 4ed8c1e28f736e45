"""What the interpreter of declarations and relations promises, on a model that has nothing else."""

from collections.abc import Sequence
from typing import Annotated, Any, ClassVar, Literal

import pytest
from pydantic import Field
from scalr_agents.model import parse
from scalr_agents.model.fields import InputText
from scalr_agents.model.findings import Finding, Findings, error, warning
from scalr_agents.model.forms import REQUIRED, Form, Unique, caution
from scalr_agents.model.judge import judge
from scalr_agents.model.relations import Is, Relations, check, excludes, needs, no_effect, risky
from scalr_agents.model.section import Section, by_alias, by_name, default

WORD = Form(expected="a word", test="[a-z]+", look_up="look {}")
LATER = object()
"""What another resource makes."""


def _short(words: Sequence[str], of_mode: str) -> Findings:
    for index, word in enumerate(words):
        if word[1:] == "":
            yield warning(("some_words", index), f"short; use {of_mode}")


def _no_zebra(word: str) -> Findings:
    if word == "zebra":
        yield error("main_word", "no zebra")


def _longer(word: str, name: str) -> Findings:
    if 0 < len(name) < len(word):
        yield error("full_name", f"shorter than {word}")


class Inner(Section):
    """A section below."""

    words: Annotated[list[Annotated[str, WORD]], Unique()] = Field(default_factory=list)
    """Words."""


class Sample(Section):
    """A section."""

    word_mode: Literal["few", "many"] = "few"
    """A mode."""
    main_word: Annotated[InputText, WORD, caution(lambda word: "a cat" if word == "cat" else "")] = ""
    """A word."""
    some_words: list[Annotated[str, WORD]] = Field(default_factory=list)
    """Words."""
    full_name: InputText = ""
    """A name."""
    old_name: Annotated[InputText, WORD] = ""
    """A name."""
    inner: Inner = default(Inner)
    """A section."""

    relations: ClassVar[Relations] = (
        no_effect("old_name", "inner", when="full_name"),
        excludes("some_words", when=(Is("word_mode", "many"), "old_name"), because="{some_words} with {word_mode:value}"),
        needs("main_word", "inner", unless=("old_name", "full_name"), because="a word; set {inner.words}"),
        risky("full_name", unless=Is("main_word", "horse"), because="no {main_word}: horse"),
        check("some_words", by=_short, named="word_mode"),
        check("main_word", by=_no_zebra),
        check("main_word", "full_name", by=_longer),
    )


def found(given: dict[str, Any], spell: Any = by_name) -> list[Finding]:
    parsed, findings = parse.parse_arguments(Sample, given)
    assert parsed is not None, findings
    return list(judge(parsed, spell))


def texts(given: dict[str, Any], spell: Any = by_name) -> list[str]:
    return [f"{finding.path}: {finding.message}" for finding in found(given, spell)]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, [": missing: a word; set inner.words"]),
        ({"main_word": LATER, "some_words": ["cat"]}, []),
        ({"main_word": "Cat"}, ["main_word: given 'Cat'; expected a word; did you mean 'cat'?"]),
        ({"main_word": "a b"}, ["main_word: given 'a b'; expected a word. Look it up: look 'a b'"]),
        ({"main_word": "cat"}, ["main_word: a cat"]),
        ({"main_word": "dog", "some_words": [""]}, ["some_words[0]: given an empty string; expected a word"]),
        ({"full_name": "dog", "main_word": "horse"}, ["full_name: shorter than horse"]),
        (
            {"inner": {"words": ["a", "a"]}, "main_word": "cat", "word_mode": "many", "some_words": ["cat"]},
            ["main_word: a cat", "inner.words[1]: 'a' is given twice; remove one of them", "some_words: some_words with many"],
        ),
    ],
)
def test_findings(given: dict[str, Any], expected: list[str]) -> None:
    assert texts(given) == expected


def test_what_has_no_effect_counts_as_not_given() -> None:
    given = {"full_name": "horse", "main_word": "horse", "old_name": "a b", "inner": {"words": ["A"]}, "some_words": ["cat"]}
    assert texts(given) == ["old_name: has no effect: full_name is set", "inner: has no effect: full_name is set"]


def test_a_wrong_item_hides_nothing_on_the_others() -> None:
    assert texts({"main_word": "dog", "some_words": ["A", "b", "c"]}) == [
        "some_words[0]: given 'A'; expected a word; did you mean 'a'?",
        "some_words[1]: short; use word_mode",
        "some_words[2]: short; use word_mode",
    ]


def test_a_value_with_an_error_is_not_read() -> None:
    assert texts({"main_word": "zebra", "full_name": "dog"}) == ["full_name: no main_word: horse", "main_word: no zebra"]
    assert texts({"main_word": "Horse", "full_name": "dog"}) == ["main_word: given 'Horse'; expected a word; did you mean 'horse'?"]


def test_a_value_that_is_not_known_decides_nothing() -> None:
    assert texts({"main_word": LATER, "full_name": "dog"}) == []


def test_names_are_spelled_as_the_front_end_asks() -> None:
    assert texts({"some_words": ["A", "b"], "full_name": "dog"}, by_alias) == [
        "someWords[0]: given 'A'; expected a word; did you mean 'a'?",
        "fullName: no mainWord: horse",
        "someWords[1]: short; use wordMode",
    ]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"full_name": "horse", "main_word": "horse", "old_name": "x"}, {("full_name",)}),
        ({}, {("inner",), ("main_word",), ("old_name",), ("full_name",)}),
        ({"main_word": "dog", "word_mode": "many", "some_words": ["dog"]}, {("word_mode",)}),
        ({"main_word": "zebra"}, {("main_word",)}),
    ],
)
def test_a_finding_presumes_what_it_is_due_to(given: dict[str, Any], expected: set[Any]) -> None:
    [finding] = found(given)
    assert set(finding.presumes) == expected


@pytest.mark.parametrize("secret", ["ghp_0123456789abcdef", "token=hunter2", "https://me:hunter2@acme.io", "x" * 201])
def test_what_looks_like_a_secret_is_not_repeated(secret: str) -> None:
    form = Form(expected="X", test="X", meant=lambda given: ("X", given), look_up="look {}")
    assert list(form.problems(secret)) == [((), "given a string; expected X")]
    assert list(Unique().problems([secret, secret])) == [((1,), "a string is given twice; remove one of them")]


def test_a_form_that_repeats_nothing_suggests_nothing() -> None:
    form = Form(expected="X", test="X", meant=lambda _: ("X",), look_up="look {}", repeated=False)
    assert list(form.problems("hunter2")) == [((), "given a string; expected X")]


def test_a_required_setting_with_a_default_must_not_be_emptied() -> None:
    class Needed(Section):
        """A section."""

        word: Annotated[InputText, REQUIRED, WORD] = "cat"
        """A word."""

    assert [finding.message for finding in judge(Needed(), by_name)] == []
    assert [finding.message for finding in judge(Needed(word=""), by_name)] == ["missing"]
