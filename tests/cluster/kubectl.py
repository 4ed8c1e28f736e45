"""Runs kubectl commands that are printed for users with the client. Only the printed forms are supported."""

import json
import shlex
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from copy import deepcopy

from tests.cluster.client import Client, Manifest, Manifests
from tests.helpers.releases import CLUSTER_SCOPED

_DEFINITION = "CustomResourceDefinition"
_MARKS = ("meta.helm.sh/release-name", "meta.helm.sh/release-namespace")
FORGETS = (
    "del((.items[]? // .).metadata | "
    '(.managedFields[]? | select((.subresource or (.manager // "" | test("^(pulumi-kubernetes|kube-)"))) | not)), '
    '.labels["helm.sh/chart"], .annotations["meta.helm.sh/release-name", "meta.helm.sh/release-namespace"])'
)
"""The supported jq filter."""


def run(cluster: Client, command: str) -> None:
    """Run a printed command; unsupported ones fail."""
    program, *words = shlex.split(command)
    assert program == "kubectl", command
    if FORGETS in words:
        words, pipe = words[: words.index("|")], words[words.index("|") :]
        assert pipe == ["|", "jq", FORGETS, "|", "kubectl", "replace", "-f", "-"]
    asked = _parser().parse_args(words)
    if asked.verb == "patch":
        [(kind, name)] = _named(cluster, asked.what)
        form = {"merge": "merge-patch", "strategic": "strategic-merge-patch"}[asked.type]
        path = cluster._path(kind, name, asked.namespace)
        cluster._json("PATCH", path, {"fieldManager": "kubectl-patch"}, asked.patch, f"application/{form}+json")
        return
    for item in _found(cluster, asked):
        if asked.verb == "delete":
            cluster.delete(item["kind"], item["metadata"]["name"], asked.namespace)
        else:
            cluster.edit(item, forgotten, "kubectl-replace")


def _parser() -> ArgumentParser:
    parser = ArgumentParser(prog="kubectl")
    verbs = parser.add_subparsers(required=True, dest="verb")
    delete, get, patch = (verbs.add_parser(verb) for verb in ("delete", "get", "patch"))
    for verb in (delete, get, patch):
        verb.add_argument("what", nargs="+")
        verb.add_argument("-n", dest="namespace", required=True)
    for verb in (delete, get):
        verb.add_argument("--ignore-not-found", action="store_true")
    delete.add_argument("-l", dest="labels")
    get.set_defaults(labels=None)
    get.add_argument("--show-managed-fields", action="store_true", required=True)
    get.add_argument("-o", choices=["json"], required=True)
    patch.add_argument("--type", choices=["merge", "strategic"], required=True)
    patch.add_argument("-p", dest="patch", type=json.loads, required=True)
    return parser


def _found(cluster: Client, asked: Namespace) -> Manifests:
    """The objects that a command selects by labels or names."""
    if asked.labels:
        [kind] = asked.what
        return cluster.list(_kind(cluster, kind), asked.namespace, dict(pair.split("=") for pair in asked.labels.split(",")))
    named = [cluster.find(kind, name, None if kind in CLUSTER_SCOPED else asked.namespace) for kind, name in _named(cluster, asked.what)]
    assert all(named) or asked.ignore_not_found, asked
    return [item for item in named if item]


def forgotten(item: Manifest) -> Manifest:
    """The result of the jq filter for an object."""
    metadata = deepcopy(item["metadata"])
    if "managedFields" in metadata:
        metadata["managedFields"] = [entry for entry in metadata["managedFields"] if _stays(entry)]
    metadata.get("labels", {}).pop("helm.sh/chart", None)
    for mark in _MARKS:
        metadata.get("annotations", {}).pop(mark, None)
    return item | {"metadata": metadata}


def _stays(entry: Manifest) -> bool:
    return bool(entry.get("subresource")) or entry.get("manager", "").startswith(("pulumi-kubernetes", "kube-"))


def _named(cluster: Client, words: list[str]) -> Iterator[tuple[str, str]]:
    """`KIND/NAME KIND/NAME`, or `KIND NAME`."""
    pairs = [word.split("/") for word in words] if "/" in words[0] else [words]
    for kind, name in pairs:
        yield _kind(cluster, kind), name


def _kind(cluster: Client, word: str) -> str:
    """The kind that a resource name stands for: its own name, or the plural of a definition with its group."""
    definition = cluster.find(_DEFINITION, word) if "." in word else None
    known = {kind.lower(): kind for _, kind in cluster._discover()}
    return definition["spec"]["names"]["kind"] if definition else known[word]
