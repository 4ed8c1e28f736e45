"""Random agents of all charts, as arguments of their component and in stack files."""

import random
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import yaml
from scalr_agents import charts
from scalr_agents.charts import ChartName
from scalr_agents.model.findings import errors
from scalr_agents.model.maps import Values, merge
from scalr_agents.model.section import in_stack_files

from tests.helpers.agent_job import nested
from tests.helpers.opaque import Later

HERE = Path(__file__).parent
URL, MIRROR, TOKEN = "https://acme.scalr.io", "https://mirror.acme.example/", "s3cr3t-token"
SECRETS = (TOKEN, "s3cr3t-env", "m1rr0r-token", "PRIVATE KEY")
"""What no message may repeat."""
MINIMUM: Values = {"agent": {"url": URL, "token": TOKEN}}
VERSIONS = {chart: [published.agent for published in charts.find(chart).versions.published] for chart in charts.CHARTS}
SETTINGS: list[Values] = [
    {"secret_env": {"A": "s3cr3t-env", "HTTPS_PROXY": "http://u:s3cr3t-env@proxy.acme:3128"}},
    {"secrets_from": {"store": {"name": "vault"}, "env": {"B": {"key": "b", "property": "p"}}}},
    {"secrets_from": {"store": {"name": "vault", "kind": "ClusterSecretStore"}, "token": {"key": "pool"}}},
    {"mirror_tokens": {"mirror.acme.example": "m1rr0r-token"}, "values": nested("agent.providerNetworkMirrors", [{"url": MIRROR}])},
    {"network": {"ingress": "deny"}},
    {"network": {"egress": {"only": [{"cidr": "10.0.0.0/8"}, {"cidr": "0.0.0.0/0"}, {"namespace": "vault", "ports": [8200]}]}}},
    {"network": {"egress": {"enforced_by": "cilium", "only": [{"host": "*.acme.example"}]}}},
    {"network": {"egress": {"enforced_by": "gke", "only": [{"host": "git.acme.example", "ports": [443, 22]}]}, "ingress": "deny"}},
]
"""Settings of agents, as programs write them."""
OF_CHART: Mapping[str, list[Values]] = {
    "agent-job": [{"pre_pull": True}],
    "agent-local": [
        {"scaling": {"min": 1, "max": 5}, "values": {"agent": {"shutdownMode": "drain"}, "terminationGracePeriodSeconds": 4000}},
        {"scaling": {"min": 4, "max": 4, "cpu": 90}},
    ],
    "agent-k8s": [],
}
"""Settings that only agents of one chart have."""
OF_STACK: list[Values] = [
    {"kubernetes": {"context": "c", "crds": "expect", "apiServer": ["10.1.0.0/16"]}},
    {"common": {"imageRegistry": "mirror.acme", "imagePullSecrets": ["a"]}},
    {"common": {"proxy": {"http": "http://p:1", "except": [".x"]}, "otel": {"endpoint": "http://o:1"}}},
    {"common": {"observability": {"prometheusRules": True, "dashboard": True}}},
    {"namespaces": {"scalr": {"podSecurity": "baseline", "labels": {"a": "b"}, "quota": {"pods": 20}}}},
    {"agents": {"runs": {"nodes": {"selector": {"a": "b"}, "tolerations": [{"key": "a"}]}, "identity": {"a": "b"}}}},
    {"agents": {"runs": {"class": "small"}}, "classes": {"small": {"resources": {"requests": {"cpu": "500m"}}}}},
]
"""What stacks have beside agents."""
ODD: Mapping[str, list[Values]] = {
    "agent-job": [
        *(nested("agent.replicaCount", number) for number in (None, 0, 3)),
        *(nested("task.job.activeDeadlineSeconds", seconds) for seconds in (None, 0, 60)),
        nested("persistence.cache", {"enabled": True, "hostPath": {"path": "/var/lib/cache"}}),
        nested("rbac", {"create": False}),
        nested("agent.podDisruptionBudget", {"minAvailable": 1, "maxUnavailable": 1}),
    ],
    "agent-local": [
        *({"replicaCount": number} for number in (None, 0, 5)),
        *(nested("terminationGracePeriodSeconds", seconds) for seconds in (None, 5, 4000)),
        *(nested("agent.shutdownMode", mode) for mode in ("drain", "force")),
        *(nested("persistence.cache.persistentVolumeClaim.accessMode", mode) for mode in ("ReadWriteOncePod", "ReadWriteMany")),
        nested("persistence.cache", {"enabled": True}),
        nested("persistence", {"enabled": True, "persistentVolumeClaim": {"claimName": "c"}}),
        nested("persistence.data", {"enabled": True, "persistentVolumeClaim": {"annotations": {"a": "b"}}}),
        nested("persistence.emptyDir", {"medium": "Memory", "sizeLimit": "1Gi"}),
        nested("strategy", {"type": "Recreate"}),
        nested("strategy.rollingUpdate", {"maxSurge": 0, "maxUnavailable": "100%"}),
        nested("workload.kind", "StatefulSet"),
        nested("agent", {"dataDir": "/a", "cacheDir": "/a"}),
        nested("extraEnv", {"SCALR_AGENT_SINGLE": "1", "HTTPS_PROXY": "http://proxy.acme:3128", "NO_PROXY": "a.b"}),
    ],
    "agent-k8s": [{"restrictMetadataService": True}],
}
"""Values of which the tables of tests have no, or not every, kind."""
OF_ALL: list[Values] = [
    {"nameOverride": "x"},
    *({"fullnameOverride": name} for name in ("a" * 63, "-", "Bad_Name")),
    *(nested("serviceAccount", account) for account in ({"create": True, "name": "default"}, {"create": False, "name": "brought"})),
    nested("serviceAccount.annotations", {"iam.gke.io/gcp-service-account": "a@b.iam.gserviceaccount.com"}),
]
HOSTILE: tuple[Any, ...] = (
    None, True, False, 0, -1, 1.5, 2**40, 10**400, 1e300, float("inf"), "", "-", "yes", "null", "50%", "1.5Gi", "latest", "https://", "a b",
    "A" * 300, "\n", "${x}", "\\u0000", "\x1b[2J\u202e", "{{ x }}", "$(A)", b"bytes", date(2026, 1, 1), [], [None], [[]], ["a"], [{}],
    [{"name": None}], {}, {"": ""}, {"name": "x"}, {"a": []}, {1: "x"}, {None: {}}, ("a", 1), {"a"},
)  # fmt: skip
"""What is wrong in most places. Some of it no file can hold, but a program can."""


class Case(NamedTuple):
    """An agent as its user writes it."""

    chart: ChartName
    args: Values
    """The arguments of its component."""
    is_broken: bool


def copied(content: Any) -> Any:
    """Maps and lists anew, with the same leaves."""
    if isinstance(content, dict):
        return {key: copied(item) for key, item in content.items()}
    return [copied(item) for item in content] if isinstance(content, list) else content


def places(content: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Everything in some content, with its path."""
    for key, item in content.items() if isinstance(content, dict) else enumerate(content) if isinstance(content, list) else ():
        yield (*path, key), item
        yield from places(item, (*path, key))


def broken(content: Values, rng: random.Random, familiar: Sequence[Any]) -> Values:
    """The content with something else in one to three of its places. `familiar` is what is right in another place."""
    made: Values = copied(content)
    for _ in range(rng.choice((1, 1, 2, 3))):
        (*above, key), _ = rng.choice([*places(made), (("x",), None)])
        holder: Any = made
        for part in above:
            holder = holder[part]
        new = copied(rng.choice(familiar if rng.random() < 0.4 else HOSTILE))
        match rng.randrange(5):
            case 0 if isinstance(holder, list) or key in holder:
                del holder[key]
            case 1 if isinstance(holder, dict):
                holder[rng.choice(("name", "enabled", "x" * 300, "\x1b[2J", "a.b/c"))] = holder.pop(key, new)
            case 2 if isinstance(holder, dict) and isinstance(holder.get(key), dict):
                holder[key][rng.choice(("name", "enabled", "", "x" * 300, "SCALR_URL"))] = new
            case _:
                holder[key] = new
    return made


@cache
def pieces(chart: ChartName) -> list[Values]:
    """Values of a chart, each with what it needs, and again with outputs."""
    tables = sorted((HERE / chart.replace("-", "_")).glob("values_table*.yaml"))
    rows = [row for table in tables for row in yaml.safe_load(table.read_text())]
    plain = [*(merge(row.get("given", {}), nested(row["value"], row["set"])) for row in rows), *ODD[chart], *OF_ALL]
    return [*plain, *filter(is_open, (with_outputs(chart, values, whole=whole) for values in plain for whole in (False, True)))]


def with_outputs(chart: ChartName, values: Values, *, whole: bool) -> Values:
    """The values with an output in each place that may have one: in place of texts and numbers, or of whole maps and lists."""
    made: Values = copied(values)
    for path, _ in sorted(places(values), key=lambda place: len(place[0]), reverse=not whole):
        changed = copied(made)
        if put(changed, path, Later()):
            given = merge(MINIMUM, changed)
            refused = errors(charts.check(chart, given, release="runs", namespace="scalr", agent_version=VERSIONS[chart][-1]))
            made = made if refused else changed
    return made


def put(content: Any, path: tuple[Any, ...], item: Any) -> bool:
    """Replace what is at a path, unless it is in an output, or has one in it."""
    *above, key = path
    for part in above:
        content = content[part]
        if isinstance(content, Later):
            return False
    if is_open(content[key]):
        return False
    content[key] = item
    return True


def is_open(content: Any) -> bool:
    """Whether something in some content is known only later."""
    return any(isinstance(item, Later) for _, item in places(content))


@cache
def leaves(chart: ChartName) -> list[Any]:
    """What is right somewhere in the values of a chart. No secrets: a finding may repeat what it refuses in another place."""
    found = (leaf for _, leaf in places(pieces(chart)) if not isinstance(leaf, dict | list | Later))
    return [leaf for leaf in found if not any(secret in str(leaf) for secret in SECRETS)]


def case(chart: ChartName, rng: random.Random, *, in_file: bool = False) -> Case:
    """An agent with some of the values and settings of its chart; one `in_file` has neither outputs nor anything broken."""
    args: Values = {
        "namespace": rng.choice(("scalr", "scalr", "a" * 63)),
        "release": rng.choice(("runs", "runs", "runs.eu", "scalr-agent", "a" * 45)),
        "names": rng.choice(("scoped", "scoped", "chart")),
        "agent_version": rng.choice((*VERSIONS[chart][-1:] * 5, *VERSIONS[chart], "1.9.0")),
        "url": URL,
        "token": TOKEN,
        "values": {},
    }
    for piece in rng.sample([each for each in pieces(chart) if not (in_file and is_open(each))], rng.choice((0, 1, 1, 2, 3, 5))):
        args["values"] = merge(args["values"], piece)
    for setting in rng.sample([*SETTINGS, *OF_CHART[chart]], rng.choice((0, 0, 1, 2))):
        args = merge(args, setting)
    elsewhere = {*args["values"].get("agent", {}), *args.get("secrets_from", {})}
    elsewhere |= {"token"} if "tokenExistingSecret" in elsewhere else set()
    args = {key: content for key, content in args.items() if key not in elsewhere}
    is_broken = not in_file and rng.random() < 0.5
    if is_broken:
        args["values"] = broken(args["values"], rng, [Later(), *leaves(chart)])
    return Case(chart, copied(args), is_broken)


def in_stack_file(given: Case) -> Values:
    """A stack of this agent."""
    secrets = {"token": "token", "secret_env": "env", "mirror_tokens": "mirrorTokens"}
    entry = _in_camel_case({key: content for key, content in given.args.items() if key not in (*secrets, "url", "values")})
    return {
        "common": {"url": URL} if "url" in given.args else {},
        "agents": {"runs": entry | {"kind": given.chart, "values": given.args["values"]}},
        "secrets": {"runs": {word: given.args[key] for key, word in secrets.items() if key in given.args}},
    }


def _in_camel_case(content: Any) -> Any:
    if isinstance(content, dict):
        return {in_stack_files(key): _in_camel_case(item) for key, item in content.items()}
    return [_in_camel_case(item) for item in content] if isinstance(content, list) else content


def stack_of_two(chart: ChartName, rng: random.Random) -> Values:
    """The configuration of a stack of two agents, one of them of a chart: broken anywhere, or not at all."""
    one, other = (in_stack_file(case(kind, rng, in_file=True)) for kind in (chart, rng.choice(charts.CHARTS)))
    places_of_one = {"namespace": one["agents"]["runs"]["namespace"], "release": one["agents"]["runs"]["release"]}
    other["agents"]["runs"] |= {"release": "more"} if rng.random() < 0.8 else places_of_one
    config = merge(one, {key: {"more": other[key]["runs"]} for key in ("agents", "secrets")})
    for piece in rng.sample(OF_STACK, rng.choice((0, 1, 2))):
        config = merge(config, piece)
    if rng.random() < 0.5:
        config = broken(config, rng, leaves(chart))
    return config
