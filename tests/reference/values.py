"""A page for each chart, with all of its values: type, default, meaning, and variable."""

import re
from collections.abc import Iterator, Mapping
from functools import cached_property

from pydantic import BaseModel
from scalr_agents import charts
from scalr_agents.model import kubernetes_types, marks
from scalr_agents.model.fields import kubernetes_type
from scalr_agents.stack import schema

from tests.package import values, versions
from tests.reference.words import INPUT, Schema, cell, default_of, meaning_and_default, section_of, type_of

_VARIABLES = re.compile(r" Environment variables? `\w+`(?: and `\w+`)*\.$")
"""What descriptions say of variables, which have a column of their own here."""
_FIELD = re.compile(r"Kubernetes (?:field )?`(\w[\w.]*)`")
_TYPE = re.compile(r"Kubernetes ([A-Z]\w+(?:Context|Source)|EnvVar list)\b")

_MARK = "<!-- `make schema` writes this page. -->"
_ABOUT = f"""\
- Defaults are those of the newest agents, followed by those of older ones where they differ. `null`
  [unsets](../agent-job.md#how-values-merge) a default.
- *Only agents ...*: for other agents the value is an error, unless it is `null` or empty.
- *{INPUT}*: in a program, the value or a part of it may be an output of another resource. All else must be known before the deployment.
- A *quantity* is one of Kubernetes, such as `500m` or `4Gi`. Whole numbers are not negative. Labels and annotations are strings: write
  `"true"` and `"1"` with quotes.
- *Goes to* is the environment variable that a value sets, or the field or type of Kubernetes that it becomes. Types are checked against
  those of Kubernetes {kubernetes_types.table()["kubernetes"]}, and passed on unchanged ([why](../adr/0010-kubernetes-types.md)).
"""


def page(chart: str) -> str:
    return "".join(_Values(chart).page())


class _Values:
    """The values of a chart."""

    def __init__(self, chart: str) -> None:
        self.chart = charts.find(chart)
        self.model: type[BaseModel] = self.chart.model
        self.items: dict[str, str] = {}
        """The items of lists, by the names of their definitions, with the place of the first list. Others have the same items."""

    @cached_property
    def definitions(self) -> Mapping[str, Schema]:
        found: Mapping[str, Schema] = schema.stack_file()["definitions"]
        return found

    @cached_property
    def variables(self) -> Mapping[str, list[str]]:
        """The environment variables that each value sets."""
        found: dict[str, list[str]] = {}
        for name, paths in marks.declared(self.model).items():
            for path in paths.split(" or "):
                found.setdefault(path, []).append(name)
        return found

    @cached_property
    def types(self) -> Mapping[str, Schema]:
        return values.of_chart(self.chart.kind)

    def page(self) -> Iterator[str]:
        name, model = self.chart.kind, self.model
        description = " ".join((model.__doc__ or "").split())
        yield f"# Values of {name}\n\n{_MARK}\n\n{description} The guide is [{name}.md](../{name}.md).\n\n{_ABOUT}"
        yield from self._table("", self.definitions[model.__name__], model)

    def _table(self, path: str, section: Schema, model: type[BaseModel]) -> Iterator[str]:
        fields = {field.alias or name: field for name, field in model.model_fields.items()}
        yield f"\n### `{path}`\n\n{section['description']}\n" if path else "\n## Values\n"
        yield "\n| Key | Type | Default | Meaning | Goes to |\n|---|---|---|---|---|\n"
        for key, word in section["properties"].items():
            place = f"{path}.{key}".lstrip(".")
            meaning, default = meaning_and_default(word, required=key in section.get("required", []))
            held, name = section_of(place, word)
            if held.endswith("[]"):
                self.items.setdefault(name, held)
            kind = type_of(place, word, self.items) + (f" {INPUT}" if self._is_input(place, model, key) else "")
            goes_to = self._goes_to(place, word["description"], kubernetes_type(fields[key]))
            default = "" if name and default == "none" else self._with_older(place, word, default)
            yield f"| `{place}` | {kind} | {cell(default)} | {cell(_VARIABLES.sub('', meaning))}{self._agents(place)} | {goes_to} |\n"
        for key, word in section["properties"].items():
            place, name = section_of(f"{path}.{key}".lstrip("."), word)
            if name and self.items.get(name, place) == place:
                yield from self._table(place, self.definitions[name], _model(fields[key].annotation))

    def _is_input(self, path: str, model: type[BaseModel], key: str) -> bool:
        """Whether the type of a value allows outputs. A list that becomes a variable is written as text, so all of it must be known."""
        spec = self.types[f"{values.common_name(self.chart.kind, model)}Values"]["properties"][key]
        in_text = any(path.startswith(f"{each}[") or (path == each and "items" in spec) for each in self.variables)
        return _holds_inputs(spec) and not in_text

    def _goes_to(self, path: str, description: str, kind: str) -> str:
        words = [f"`{name}`" for name in self.variables.get(path, [])]
        if found := _FIELD.search(description):
            words.append(f"Kubernetes `{found[1]}`")
        elif kind:
            words.append(f"Kubernetes `{kind}`")
        elif found := _TYPE.search(description):
            words.append(f"Kubernetes `{found[1]}`")
        return ", ".join(words)

    def _with_older(self, path: str, word: Schema, default: str) -> str:
        older = versions.older_defaults(self.chart.kind, path, default_of(word))
        return f"{default}; {older}" if older else default

    def _agents(self, path: str) -> str:
        """The agents that know a value, if not all do."""
        known = versions.only(self.chart.kind, path)
        return f" *Only {known}.*" if known else ""


def _holds_inputs(spec: Schema) -> bool:
    """Whether a type is one of inputs. Sections are not: the tables of their keys say it."""
    held = spec.get("items", spec.get("additionalProperties"))
    if held:
        return _holds_inputs(held)
    return spec["$ref"] == values.ANY["$ref"] if "$ref" in spec else "plain" not in spec


def _model(annotation: object) -> type[BaseModel]:
    """The section that a field holds: itself, or as items of a list."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    found = [_model(inner) for inner in getattr(annotation, "__args__", ())]
    return found[0]
