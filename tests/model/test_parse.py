"""The first pass of validation: its messages, and the values that it omits."""

from typing import Any, Literal

import pytest
from pydantic import Field
from scalr_agents.charts.agent_job.values import AgentJobValues
from scalr_agents.model import parse as shapes, texts
from scalr_agents.model.fields import Count, EnvMap, InputText, Labels, Quantity, Text, VersionText
from scalr_agents.model.findings import Path
from scalr_agents.model.section import ChartSection, Section, default

SECRET = "s3cr3t"
DEFERRED = "must be known before deployment, so an output is not allowed here"
KEY_RULE = "not a valid label or annotation key: use [prefix/]name, with a name of at most 63 letters, digits, '-', '_' and '.'"


class Wheel(Section):
    """An item of a list, with one key that has no default."""

    size: int
    spare: bool = False


class Engine(Section):
    """A section in a section."""

    horse_power: int = 90
    fuel: Literal["diesel", "petrol"] = "diesel"


class Car(ChartSection):
    """A section with a key of every type, in which `null` is a value."""

    name: str = ""
    electric: bool = False
    price: float = 0.0
    doors: int = 4
    seats: Count = 5
    label: Text = ""
    version: VersionText = ""
    load: Quantity = "1"
    engine: Engine = default(Engine)
    wheels: list[Wheel] = Field([])
    rooms: list[str] = Field([])
    extras: dict[str, Engine] = Field({})
    labels: Labels = Field({})
    env: EnvMap = Field({})
    anything: dict[str, Any] = Field({})
    api_key: str = ""
    access_token: InputText = ""
    home_url: str = Field("", alias="homeURL")


def _findings(given: dict[str, Any], model: type[Section] = Car) -> dict[str, str]:
    _, findings, _ = shapes.parse(model, given)
    assert {finding.severity for finding in findings} <= {"error"}
    return {finding.path: finding.message for finding in findings}


def test_valid_values_become_a_model() -> None:
    given = {"name": "x", "doors": 2, "engine": {"horsePower": 70}, "wheels": [{"size": 16}], "extras": {"b": {}}, "homeURL": "u"}
    car, findings, left_out = shapes.parse(Car, given)
    assert (findings, left_out) == ([], [])
    assert (car.name, car.doors, car.engine.horse_power, car.wheels[0].size, car.extras["b"].fuel) == ("x", 2, 70, 16, "diesel")
    assert (car.home_url, car.seats) == ("u", 5)


CAR = ", ".join(field.alias or name for name, field in Car.model_fields.items())


@pytest.mark.parametrize(
    ("given", "path", "message"),
    [
        # the nearest name, or all
        ({"nam": "x"}, "nam", "unknown key 'nam'; did you mean 'name'?"),
        ({"Electric": True}, "Electric", "unknown key 'Electric'; did you mean 'electric'?"),
        ({"homeUrl": "x"}, "homeUrl", "unknown key 'homeUrl'; did you mean 'homeURL'?"),
        ({"engine": {"horse_power": 1}}, "engine.horse_power", "unknown key 'horse_power'; did you mean 'horsePower'?"),
        ({"engine": {"zzz": 1}}, "engine.zzz", "unknown key 'zzz'; allowed: horsePower, fuel"),
        ({"wheels": [{"size": 1}, {"size": 1, "spar": True}]}, "wheels[1].spar", "unknown key 'spar'; did you mean 'spare'?"),
        ({"extras": {"a.b": {"fule": 1}}}, "extras.a\\.b.fule", "unknown key 'fule'; did you mean 'fuel'?"),
        ({"[key]": {}}, "[key]", f"unknown key '[key]'; allowed: {CAR}"),
        ({"engine": {"[key]": 1}}, "engine.[key]", "unknown key '[key]'; allowed: horsePower, fuel"),
        ({"doors.front": 2}, "doors\\.front", "unknown key 'doors.front'; did you mean 'doors'?"),
        # types and words
        ({"name": ["x"]}, "name", "expected a string, given a list"),
        ({"name": None}, "name", "expected a string, given null"),
        ({"electric": 1}, "electric", "expected true or false, given the number 1"),
        ({"electric": "maybe"}, "electric", "expected true or false, given 'maybe'"),
        ({"electric": None}, "electric", "expected true or false, given null"),
        ({"price": "1"}, "price", "expected a number, given '1'"),
        ({"doors": "two"}, "doors", "expected a whole number, given 'two'"),
        ({"doors": True}, "doors", "expected a whole number, given true"),
        ({"doors": 2.5}, "doors", "expected a whole number, given the number 2.5"),
        ({"seats": -1}, "seats", "input should be greater than or equal to 0; given the number -1"),
        ({"seats": 2.5}, "seats", "expected a whole number, given the number 2.5"),
        ({"load": "6GB"}, "load", "not a Kubernetes quantity; write 6G or 6Gi; given '6GB'"),
        ({"load": "heavy"}, "load", "not a Kubernetes quantity, for instance 500m, 512Mi or 40Gi; given 'heavy'"),
        ({"engine": "big"}, "engine", "expected a map, given a string"),
        ({"engine": "on"}, "engine", "expected a map, given 'on'"),
        ({"wheels": "None"}, "wheels", "expected a list, given 'None'"),
        ({"engine": []}, "engine", "expected a map, given a list"),
        ({"engine": None}, "engine", "null is not allowed here; unset its keys one by one"),
        ({"engine": {"fuel": "water"}}, "engine.fuel", "given 'water'; allowed: 'diesel' or 'petrol'"),
        ({"engine": {"fuel": ""}}, "engine.fuel", "given an empty string; allowed: 'diesel' or 'petrol'"),
        ({"wheels": {}}, "wheels", "expected a list, given a map"),
        ({"wheels": [16]}, "wheels[0]", "expected a map, given a number"),
        ({"wheels": [{}]}, "wheels[0].size", "missing"),
        ({"rooms": ["a", 2]}, "rooms[1]", "expected a string, given a number; quote it"),
        ({"extras": {"a": 1}}, "extras.a", "expected a map, given a number"),
        ({"extras": "a"}, "extras", "expected a map, given a string"),
        ({"anything": 1}, "anything", "expected a map, given a number"),
        ({"labels": {"a b": "x"}}, "labels.a b", KEY_RULE),
        ({"labels": {"a": "x y"}}, "labels.a", "not a valid label value: use at most 63 letters, digits, '-', '_' and '.'; given 'x y'"),
        # quotes that are missing, or too much
        ({"name": 5}, "name", "expected a string, given a number; quote it"),
        ({"name": 1.1}, "name", "expected a string, given a number; quote it"),
        ({"name": True}, "name", "expected a string, given true; quote it"),
        ({"label": False}, "label", "expected a string, given false; quote it"),
        ({"labels": {"a.b/c": 5}}, "labels.a\\.b/c", "expected a string, given a number; quote it"),
        ({"version": True}, "version", "expected a string, given true; quote it"),
        ({"electric": "yes"}, "electric", "expected true or false, given 'yes'; write it without quotes, as true or false"),
        ({"electric": "False"}, "electric", "expected true or false, given 'False'; write it without quotes, as true or false"),
        # what may be a secret is not repeated
        ({"apiKey": [SECRET]}, "apiKey", "expected a string, given a list"),
        ({"accessToken": {"value": SECRET}}, "accessToken", "expected a string, given a map"),
        ({"env": SECRET}, "env", "expected a map, given a string"),
        ({"env": {"A": [SECRET]}}, "env.A", "expected a string, given a list"),
        ({"anything": f"{SECRET}{'x' * 40}"}, "anything", "expected a map, given a string"),
        ({"electric": f"{SECRET}{'x' * 40}"}, "electric", "expected true or false, given a string"),
        ({"env": ""}, "env", "expected a map, given an empty string"),
        ({"apiKey": 1234567}, "apiKey", "expected a string, given a number; quote it"),
    ],
)
def test_a_wrong_key_or_value_gets_the_allowed_ones(given: dict[str, Any], path: str, message: str) -> None:
    assert _findings(given) == {path: message}


@pytest.mark.parametrize("key", ["name", "electric", "doors", "load", "version", "engine", "wheels", "labels", "anything"])
def test_disallowed_outputs_are_errors_and_not_read(key: str) -> None:
    assert _findings({key: object()}) == {key: DEFERRED}


@pytest.mark.parametrize(
    "given",
    [
        {"agent": [SECRET]},
        {"agent": {"token": [SECRET], "url": {"x": SECRET}, "tokenExistingSecret": SECRET, "tokn": SECRET}},
        {"agent": {"tokenExistingSecret": {"name": f"A {SECRET}", "key": f"a {SECRET}"}, "extraEnv": {"1": SECRET, "A": [SECRET]}}},
        {"agent": {"podAnnotations": {"a b": SECRET, "c": [SECRET]}, "extraEnv": SECRET}},
        {"global": {"proxy": {"httpProxy": [SECRET], "enabled": [SECRET]}, "tls": {"caBundle": [SECRET], "caBundleSecret": SECRET}}},
        {"otel": {"endpoint": [SECRET]}, "serviceAccount": {"annotations": SECRET}, "token": SECRET},
    ],
    ids=["list", "agent", "references", "annotations", "global", "elsewhere"],
)
def test_secret_values_of_charts_are_not_repeated(given: dict[str, Any]) -> None:
    findings = _findings(given, AgentJobValues)
    assert findings != {}
    assert [path for path, message in findings.items() if SECRET in message] == []


def test_all_errors_are_reported_at_once() -> None:
    given = {
        "nameOverride": 5,
        "agnt": {},
        "agent": {"replicaCount": "two", "image": {"tag": 1.1, "pullPolicy": "Sometimes"}, "logFormat": "xml"},
        "task": {"runner": {"resources": ["cpu"]}, "tolerations": "all"},
        "rbac": {"rules": [{"apiGroups": [""]}]},
        "persistence": {"cache": {"persistentVolumeClaim": {"accessMode": "RWX"}}},
    }
    assert _findings(given, AgentJobValues) == {
        "nameOverride": "expected a string, given a number; quote it",
        "agnt": "unknown key 'agnt'; did you mean 'agent'?",
        "agent.replicaCount": "expected a whole number, given 'two'",
        "agent.image.tag": "a number; quote it, because YAML reads 1.10 as 1.1; given the number 1.1",
        "agent.image.pullPolicy": "given 'Sometimes'; allowed: 'Always', 'IfNotPresent' or 'Never'",
        "agent.logFormat": "given 'xml'; allowed: 'plain', 'dev' or 'json'",
        "task.runner.resources": "expected a map, given a list",
        "task.tolerations": "expected a list, given 'all'",
        "rbac.rules[0].verbs": "missing",
        "persistence.cache.persistentVolumeClaim.accessMode": (
            "given 'RWX'; allowed: 'ReadWriteOnce', 'ReadWriteMany', 'ReadWriteOncePod' or 'ReadOnlyMany'"
        ),
    }


@pytest.mark.parametrize(
    ("given", "left_out", "kept"),
    [
        ({"name": 5, "doors": 2}, [("name",)], {"doors": 2}),
        ({"zzz": 5, "doors": 2}, [("zzz",)], {"doors": 2}),
        ({"engine": {"horsePower": "x", "fuel": "petrol"}}, [("engine", "horsePower")], {"engine": Engine(fuel="petrol")}),
        ({"engine": "x", "doors": 2}, [("engine",)], {"doors": 2}),
        ({"wheels": [{"size": 1}, {"size": "x"}], "doors": 2}, [("wheels",)], {"doors": 2}),
        ({"wheels": [{"spare": True}], "doors": 2}, [("wheels",)], {"doors": 2}),
        ({"extras": {"a": {"fuel": "x"}, "b": {}}}, [("extras", "a", "fuel")], {"extras": {"a": Engine(), "b": Engine()}}),
        ({"labels": {"a": 5, "b": "x"}}, [("labels", "a")], {"labels": {"b": "x"}}),
        ({"labels": {"a b": "x", "b": "x"}}, [("labels", "a b")], {"labels": {"b": "x"}}),
        ({"labels": {"function-x": 5, "b": "x"}}, [("labels", "function-x")], {"labels": {"b": "x"}}),
        ({"name": 5, "engine": {"fuel": 1}, "seats": 3}, [("name",), ("engine", "fuel")], {"engine": Engine(), "seats": 3}),
    ],
)
def test_invalid_values_are_omitted_and_others_kept(given: dict[str, Any], left_out: list[Path], kept: dict[str, Any]) -> None:
    car, findings, cut = shapes.parse(Car, given)
    assert len(findings) == len(left_out)
    assert cut == left_out
    assert {name: getattr(car, name) for name in car.model_fields_set} == kept


def test_several_errors_in_a_list_omit_it_once() -> None:
    assert shapes.parse(Car, {"wheels": [1, 2], "doors": 3})[2] == [("wheels",)]


def test_the_input_is_not_changed() -> None:
    given = {"name": 5, "engine": {"fuel": 1, "horsePower": 2}, "wheels": [{}]}
    shapes.parse(Car, given)
    assert given == {"name": 5, "engine": {"fuel": 1, "horsePower": 2}, "wheels": [{}]}


def test_strict_parsing_returns_a_model_or_findings() -> None:
    wheel, findings = shapes.parse_arguments(Wheel, {"size": 16})
    assert (wheel, findings) == (Wheel(size=16), [])
    nothing, findings = shapes.parse_arguments(Wheel, {"spare": "no", "siz": 1})
    assert nothing is None
    assert {finding.path: finding.message for finding in findings} == {
        "size": "missing",
        "spare": "expected true or false, given 'no'; write it without quotes, as true or false",
        "siz": "unknown key 'siz'; did you mean 'size'?",
    }


@pytest.mark.parametrize(
    ("value", "repeated", "words"),
    [
        (None, False, "null"),
        (True, False, "true"),
        (False, False, "false"),
        (3, True, "the number 3"),
        (0.5, True, "the number 0.5"),
        (-(10**39), True, f"the number -1{'0' * 39}"),
        (10**40, True, "a number with more than 40 digits"),
        pytest.param(-(10**5000), False, "a number with more than 40 digits", id="5001 digits"),
        (3, False, "a number"),
        ("x", True, "'x'"),
        ("", True, "an empty string"),
        ("", False, "an empty string"),
        ("x" * 40, True, f"'{'x' * 40}'"),
        ("x" * 41, True, "a string"),
        (SECRET, False, "a string"),
        ({}, True, "a map"),
        ([], True, "a list"),
        ((), True, "a list"),
        (b"x", True, "an object (bytes)"),
    ],
)
def test_a_value_is_described_in_words(value: object, repeated: bool, words: str) -> None:
    assert texts.describe(value, repeated=repeated) == words


@pytest.mark.parametrize(
    "given", [{"agent": f"token:{SECRET}"}, {f"agent:{SECRET}": None}, {"agent": {f"token:{SECRET}": None}}, {f"token={SECRET}": 1}]
)
def test_a_missing_space_does_not_reveal_a_secret(given: dict[str, Any]) -> None:
    findings = shapes.parse(AgentJobValues, given)[1]
    assert len(findings) == 1
    assert SECRET not in str(findings[0])


@pytest.mark.parametrize("given", ["https://robot:hidden@registry.acme", "https://hidden@registry.acme/scalr"])
def test_credentials_in_a_url_are_not_repeated(given: str) -> None:
    ((path, message),) = _findings({"global": {"imageRegistry": given}}, AgentJobValues).items()
    assert path == "global.imageRegistry"
    assert message.endswith("given a string")
    assert "hidden" not in message
