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
    """What `check` says of a project or a stack that the engine refuses."""

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
_MISSING = "missing: Pulumi.yaml declares it without a value; set it here, or add `value` there"
_ENCRYPTED = "an encrypted value works in stack files only; set it for each stack, with: pulumi config set --secret"
_OWN_ONLY = "only keys of the project's own namespace, platform, may have it"
REFUSED = [
    Refused("{scalr-agents:common: {url: u}}", "{}", f"config.scalr-agents:common: {_DIRECT}"),
    Refused("{common: {url: u}}", "{common: {url: mine}}", f"config.common: {_DIRECT}"),
    Refused("{scalr-agents:common: {url: u}}", "{}", f"config.scalr-agents:common: {_DIRECT}", FOREIGN),
    Refused(
        "{common: {value: {}, url: u}}",
        "{}",
        "config.common.url: unknown key 'url'; allowed: value, default, type, items, description, secret",
    ),
    Refused("{common: {value: {}, defualt: u}}", "{}", "config.common.defualt: unknown key 'defualt'; did you mean 'default'?"),
    Refused("{common: null}", "{}", "config.common: expected a map with the key `value`, given null"),
    Refused("{common: 5.5}", "{}", "config.common: expected a map with the key `value`, given a number"),
    Refused("{common: {value: {url: u}, default: {url: v}}}", "{}", "config.common: set exactly one of value and default"),
    Refused("{common: {type: map}}", "{common: {}}", "config.common.type: given 'map'; allowed: string, integer, boolean, array, object"),
    Refused("{common: {description: 5, value: x}}", "{}", "config.common.description: expected a string, given a number"),
    Refused("{common: {secret: maybe, value: x}}", "{}", "config.common.secret: expected true or false, given a string"),
    Refused("{a: {type: array}}", "{a: [x]}", "config.a: requires `items`, because its type is array: items: {type: ...}"),
    Refused("{a: {type: object, default: x}}", "{}", "config.a.default: not of the declared type object, given a string"),
    Refused("{a: {type: string, default: 5}}", "{}", "config.a.default: not of the declared type string, given a number"),
    Refused(
        "{scalr-agents:a:common: {value: u}}",
        "{}",
        "config.scalr-agents:a:common: not a key of Pulumi's configuration, which has the form <namespace>:<name>",
    ),
    Refused(
        "{secrets.runs.token: {value: {secure: <ciphertext>}}}",
        "{}",
        f"config.secrets\\.runs\\.token.value: {_ENCRYPTED}",
    ),
    Refused("[a]", "{}", "config: expected a map, given a list"),
    # keys of other namespaces
    Refused("{scalr-agents:common: {default: {url: u}}}", "{}", f"config.scalr-agents:common.default: {_OWN_ONLY}; use value", FOREIGN),
    Refused("{scalr-agents:common: {type: object, value: {}}}", "{}", f"config.scalr-agents:common.type: {_OWN_ONLY}; remove it", FOREIGN),
    Refused("{aws:region: {}}", "{aws:region: x}", "config.aws:region: missing `value`; add it, or remove the key"),
    # stacks that do not match
    Refused("{common: {}}", "{}", f"scalr-agents:common: {_MISSING}"),
    Refused("{common: {value: null}}", "{}", f"scalr-agents:common: {_MISSING}"),
    Refused("{common.url: {}}", "{common: {}}", f"scalr-agents:common.url: {_MISSING}"),
    Refused("{a: {type: string}}", "{}", f"platform:a: {_MISSING}", FOREIGN),
    Refused("{a: {type: string}}", "{a: {}}", "scalr-agents:a: not of the type string, which Pulumi.yaml declares; given a map"),
    Refused("{a: {type: integer}}", "{a: x}", "scalr-agents:a: not of the type integer, which Pulumi.yaml declares; given a string"),
    Refused("{a: {type: object, value: x}}", "{}", "scalr-agents:a: not of the type object, which Pulumi.yaml declares; given a string"),
    Refused("{a: {type: object}}", "{a: '{}'}", "scalr-agents:a: not of the type object, which Pulumi.yaml declares; given a string"),
    Refused("{a: {type: object}}", "{a: null}", "scalr-agents:a: not of the type object, which Pulumi.yaml declares; given null"),
    Refused(
        "{a: {type: array, items: {type: string}}}",
        "{a: [1]}",
        "scalr-agents:a: not of the type array, which Pulumi.yaml declares; given a list",
    ),
    Refused(
        "{a: {type: object}}",
        "{a: {secure: <ciphertext>}}",
        "scalr-agents:a: not of the type object, which Pulumi.yaml declares; given an object (Sealed)",
    ),
    Refused(
        "{a: {type: object, secret: true}}",
        "{a: {b: c}}",
        "scalr-agents:a: Pulumi.yaml declares it as a secret; encrypt it with: pulumi config set --secret",
    ),
    Refused("{common.url: u}", "{common: [a]}", "scalr-agents:common: expected a map, because Pulumi.yaml sets common.url; given a list"),
    Refused(
        "{common.labels.team: u}",
        "{common: {labels: x}}",
        "scalr-agents:common.labels: expected a map, because Pulumi.yaml sets common.labels.team; given a string",
    ),
]
