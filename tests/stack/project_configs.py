"""Configuration that projects share with their stacks, with the engine's result: for our reader and the engine (tests/engine)."""

from typing import Any, NamedTuple

OWN, FOREIGN = "scalr-agents", "platform"
CIPHERTEXT = "<ciphertext>"
"""Stands for a secret of the stack."""


class Accepted(NamedTuple):
    """The stack's configuration of our namespace, as the engine has it. Secrets are `s3cr3t`."""

    project: str
    stack: str
    config: dict[str, Any]
    name: str = OWN


class Refused(NamedTuple):
    """What `check` says of a project that cannot be read. The engine refuses it too, and more that can be read."""

    project: str
    stack: str
    finding: str
    name: str = OWN


ACCEPTED = [
    Accepted("{scalr-agents:common: {value: {url: u}}}", "{}", {"common": {"url": "u"}}),
    Accepted("{common: {value: {url: u}}}", "{}", {"common": {"url": "u"}}),
    Accepted("{common: {default: {url: u}}}", "{}", {"common": {"url": "u"}}),
    Accepted("{scalr-agents:common: {default: {url: u}}}", "{}", {"common": {"url": "u"}}),
    Accepted("{scalr-agents:config:common: {value: {url: u}}}", "{}", {"common": {"url": "u"}}),
    Accepted("{scalr-agents:common: {value: {url: u}, default: null}}", "{}", {"common": {"url": "u"}}),
    Accepted("{scalr-agents:common: {type: object, description: d, value: {url: u}}}", "{}", {"common": {"url": "u"}}),
    Accepted("{scalr-agents:common: {type: object, default: {url: u}}}", "{}", {"common": {"url": "u"}}),
    Accepted("{scalr-agents:common: {secret: true, value: {url: u}}}", "{}", {"common": {"url": "u"}}),
    Accepted("{common: {value: {a: 1}}, scalr-agents:common: {value: {b: 2}}}", "{}", {"common": {"a": 1}}),
    Accepted("{scalr-agents:common: text}", "{}", {"common": "text"}),
    Accepted("{scalr-agents:common: [1]}", "{}", {"common": [1]}),
    Accepted("{scalr-agents:common: {}}", "{scalr-agents:common: {url: u}}", {"common": {"url": "u"}}),
    Accepted("{scalr-agents:common: {type: object}}", "{common: {url: u}}", {"common": {"url": "u"}}),
    Accepted("{scalr-agents:common: {value: {url: u}}}", "{scalr-agents:common: {labels: {a: b}}}", {"common": {"labels": {"a": "b"}}}),
    Accepted("{scalr-agents:common: {value: {url: u}}}", "{scalr-agents:common: {}}", {"common": {}}),
    Accepted("{a: {type: array, items: {type: string}}}", "{a: [x]}", {"a": ["x"]}),
    Accepted("{a: {items: {type: string}, value: [x]}}", "{}", {"a": ["x"]}),
    Accepted("{a: {type: string, value: x}}", "{}", {"a": "x"}),
    Accepted("{a: {type: integer}}", '{a: "5"}', {"a": "5"}),
    Accepted("{a: {type: boolean}}", '{a: "true"}', {"a": "true"}),
    Accepted("{a: {type: string, secret: true}}", "{a: {secure: <ciphertext>}}", {"a": "s3cr3t"}),
    Accepted(
        "{secrets: {type: object, secret: true}}",
        "{secrets: {runs: {token: {secure: <ciphertext>}}}}",
        {"secrets": {"runs": {"token": "s3cr3t"}}},
    ),
    # a path in the name of a key
    Accepted("{scalr-agents:common.url: u}", "{}", {"common": {"url": "u"}}),
    Accepted("{scalr-agents:common.url: u}", "{scalr-agents:common: {labels: {a: b}}}", {"common": {"labels": {"a": "b"}, "url": "u"}}),
    Accepted("{scalr-agents:common.url: u}", "{scalr-agents:common: {url: mine}}", {"common": {"url": "mine"}}),
    Accepted("{scalr-agents:common.url: u}", "{scalr-agents:common: {url: null}}", {"common": {"url": None}}),
    Accepted("{scalr-agents:common.url: u}", "{scalr-agents:common: null}", {"common": {"url": "u"}}),
    Accepted("{scalr-agents:common.url: u}", "{scalr-agents:common: text}", {"common": {"url": "u"}}),
    Accepted("{scalr-agents:common.labels.team: u}", "{common: {labels: null}}", {"common": {"labels": {"team": "u"}}}),
    Accepted("{common.url: u, scalr-agents:common: {value: {labels: {a: b}}}}", "{}", {"common": {"url": "u"}}),
    Accepted(
        "{scalr-agents:common.labels: {value: {a: b}}, scalr-agents:common: {value: {url: u}}}",
        "{}",
        {"common": {"labels": {"a": "b"}, "url": "u"}},
    ),
    Accepted(
        "{'scalr-agents:common.labels[\"a.b/c\"]': u}", "{common: {labels: {a: x}}}", {"common": {"labels": {"a": "x", "a.b/c": "u"}}}
    ),
    Accepted("{scalr-agents:common.url: {}}", "{common: {url: mine}}", {"common": {"url": "mine"}}),
    Accepted("{scalr-agents:common.url: {type: string}}", "{common: {url: mine}}", {"common": {"url": "mine"}}),
    Accepted(
        "{scalr-agents:secrets.runs.env: {value: {A: b}}}",
        "{secrets: {runs: {token: {secure: <ciphertext>}}}}",
        {"secrets": {"runs": {"env": {"A": "b"}, "token": "s3cr3t"}}},
    ),
    # other namespaces
    Accepted("{aws:region: eu-west-1}", "{}", {}),
    Accepted("{aws:region: {value: eu-west-1, description: d, secret: true}}", "{}", {}),
    Accepted("{common: {value: 1}, scalr-agents:common: {value: {url: u}}}", "{}", {"common": {"url": "u"}}, FOREIGN),
    Accepted(
        "{scalr-agents:common.url: u}", "{scalr-agents:common: {labels: {a: b}}}", {"common": {"labels": {"a": "b"}, "url": "u"}}, FOREIGN
    ),
    Accepted("null", "{}", {}),
]
_DIRECT = "Pulumi refuses settings directly under this key; put them one level deeper, under `value:`"
REFUSED = [
    Refused("{scalr-agents:common: {url: u}}", "{}", f"config.scalr-agents:common: {_DIRECT}"),
    Refused("{common: {url: u}}", "{common: {url: mine}}", f"config.common: {_DIRECT}"),
    Refused("{scalr-agents:common: {url: u}}", "{}", f"config.scalr-agents:common: {_DIRECT}", FOREIGN),
    Refused("{common: {value: {}, url: u}}", "{}", f"config.common: {_DIRECT}"),
    Refused(
        "{scalr-agents:a:common: {value: u}}",
        "{}",
        "config.scalr-agents:a:common: not a key of Pulumi's configuration, which has the form <namespace>:<name>",
    ),
    Refused("[a]", "{}", "config: expected a map, given a list"),
]
