"""Helm releases, and the commands of a user who moves off Helm."""

import json
import os
import re
import shlex
import subprocess
from collections.abc import Iterator, Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any, NamedTuple

from scalr_agents import stack
from scalr_agents.model import yaml_io
from scalr_agents.model.findings import errors
from scalr_agents.model.maps import Values, merge

from tests.cluster import agents, kubectl
from tests.cluster.client import Client, Manifest, Manifests, wait
from tests.helpers.command_line import TOKEN, cli
from tests.helpers.releases import CLUSTER_SCOPED, Case
from tests.tools import binary

_DEFINITION = "CustomResourceDefinition"
WORKLOADS = ("Deployment", "DaemonSet")
_STEP = re.compile(r"  (?! *#)(.*)")


class Helm:
    """Helm, with directories of its own: version 3, or with the program `helm4` version 4, which applies on the server."""

    def __init__(self, program: str, kubeconfig: Path, directory: Path) -> None:
        self._program, self._directory = program, directory
        homes = {f"HELM_{kind}_HOME": str(directory / kind.lower()) for kind in ("CACHE", "CONFIG", "DATA")}
        others = {name: value for name, value in os.environ.items() if not name.startswith("HELM_")}
        self._environment = {**others, **homes, "KUBECONFIG": str(kubeconfig)}

    def run(self, *arguments: object) -> subprocess.CompletedProcess[str]:
        command = [str(binary(self._program)), *map(str, arguments)]
        return subprocess.run(command, env=self._environment, capture_output=True, text=True, check=False, timeout=60)

    def output(self, *arguments: object) -> str:
        """The output of a command, which must succeed."""
        done = self.run(*arguments)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def install(self, case: Case, *options: str) -> subprocess.CompletedProcess[str]:
        """`helm install` of a chart which has the defaults of the release's, and renders what the release has, whatever its values."""
        chart = self._directory / case.release
        (chart / "templates").mkdir(parents=True, exist_ok=True)
        name, _, version = _labels_of(case)["helm.sh/chart"].rpartition("-")
        about = {"apiVersion": "v2", "name": name, "version": version, "appVersion": case.version}
        (chart / "Chart.yaml").write_text(yaml_io.dump([about]))
        definitions = [item for item in case.objects if item["kind"] == _DEFINITION]
        if definitions:
            (chart / "crds").mkdir(exist_ok=True)
            (chart / "crds" / "all.yaml").write_text(yaml_io.dump(definitions))
        objects = yaml_io.dump([item for item in case.objects if item["kind"] != _DEFINITION])
        (chart / "templates" / "all.yaml").write_text(objects.replace("{{", "{{ `{{` }}"))
        (chart / "values.yaml").write_text(yaml_io.dump([case.defaults]))
        (chart / "own.yaml").write_text(yaml_io.dump([case.values]))
        return self.run("install", case.release, chart, "-n", case.namespace, "-f", chart / "own.yaml", *options)

    def releases(self, namespace: str) -> list[dict[str, str]]:
        everything = ["-a"] if self._program == "helm" else []  # Helm 4 always lists all
        listed: list[dict[str, str]] = json.loads(self.output("list", "-n", namespace, *everything, "-o", "json"))
        return listed


def _labels_of(case: Case) -> Mapping[str, str]:
    [workload, *_] = [item for item in case.objects if item["kind"] == "Deployment"]
    labels: Mapping[str, str] = workload["metadata"]["labels"]
    return labels


def moved(case: Case, namespace: str) -> Case:
    """The same release in another namespace. Of objects that are in none, some have its name in theirs."""

    def within(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: namespace if (key, item) == ("namespace", case.namespace) else within(item) for key, item in value.items()}
        if isinstance(value, list):
            return [within(item) for item in value]
        if isinstance(value, str) and value.startswith(f"{case.namespace}-{case.release}-"):
            return namespace + value.removeprefix(case.namespace)
        return value

    return case._replace(namespace=namespace, objects=within(case.objects))


def without_secret(case: Case, values: Values, secret: str, **container: Any) -> Case:
    """A release of agent-job as its chart makes it of these values: the token is in a Secret of somebody else, and some fields of the
    controller's container are set."""

    def referring(value: Any) -> Any:
        if isinstance(value, dict):
            own = {"secretKeyRef": {**value["secretKeyRef"], "name": secret}} if "secretKeyRef" in value else {}
            return {key: own.get(key, referring(item)) for key, item in value.items()}
        return [referring(item) for item in value] if isinstance(value, list) else value

    objects = referring([item for item in case.objects if item["kind"] != "Secret"])
    [template] = [item["spec"]["template"] for item in objects if item["kind"] == "Deployment"]
    template["metadata"]["annotations"] = None
    template["spec"]["containers"][0].update(container)
    return case._replace(values=values, objects=objects)


def with_variable(case: Case, name: str, value: str) -> Case:
    """A release of agent-local with one variable more, as its chart makes it."""
    objects = deepcopy(case.objects)
    [pod] = [item["spec"]["template"]["spec"] for item in objects if item["kind"] == "Deployment"]
    pod["containers"][0]["env"].append({"name": name, "value": value})
    return case._replace(values=case.values | {"extraEnv": {name: value}}, objects=objects)


def with_one_volume(case: Case) -> Case:
    """A release of agent-local as the chart 0.5.62 makes it: data and cache are on one volume, here the claim, and there is no policy."""
    text = json.dumps([item for item in case.objects if item["kind"] != "NetworkPolicy"])
    objects = json.loads(text.replace("agent-local-0.5.63", "agent-local-0.5.62").replace(case.version, "0.58.0"))
    [pod] = [item["spec"]["template"]["spec"] for item in objects if item["kind"] == "Deployment"]
    [container] = pod["containers"]
    [claim] = [volume["persistentVolumeClaim"] for volume in pod["volumes"] if "persistentVolumeClaim" in volume]
    others = {"SCALR_AGENT_DATA_DIR": "/var/lib/scalr-agent", "SCALR_AGENT_WORKER_GRACE_SHUTDOWN_TIMEOUT": "350"}
    variables = [variable for variable in container["env"] if variable["name"] != "SCALR_AGENT_CACHE_DIR"]
    container["env"] = [
        variable | {"value": others[variable["name"]]} if variable["name"] in others else variable for variable in variables
    ]
    container["resources"]["limits"]["cpu"] = "2000m"
    container["volumeMounts"] = [{"name": "data-dir", "mountPath": "/var/lib/scalr-agent"}]
    pod |= {"terminationGracePeriodSeconds": 360, "volumes": [{"name": "data-dir", "persistentVolumeClaim": claim}]}
    return case._replace(version="0.58.0", objects=objects)


def in_namespace(manifest: Manifest, namespace: str) -> str | None:
    """The namespace of an object, `None` if its kind has none, whatever the chart says."""
    return None if manifest["kind"] in CLUSTER_SCOPED else namespace


class Instructions(NamedTuple):
    """The commands that `adopt` prints on stderr."""

    secrets: list[str]
    before: list[str]
    after: list[str]

    @classmethod
    def read(cls, text: str) -> "Instructions":
        parts: dict[str, list[str]] = {}
        for line in text.splitlines():
            if line.endswith(":"):
                parts[line.partition(" (")[0].removesuffix(":")] = commands = []
            elif found := _STEP.fullmatch(line):
                commands.append(found[1])
        return cls(*(parts.pop(title, []) for title in ("set the secrets", "right before pulumi up", "after pulumi up")))


def given(commands: list[str], secret: str) -> Values:
    """The `secrets` of a stack when every command that sets one gets the same value."""
    secrets: Values = {}
    for command in commands:
        *words, path = shlex.split(command)
        assert words == ["pulumi", "config", "set", "--secret", "--path"]
        content: Any = secret
        for word in reversed(path.removeprefix("scalr-agents:secrets.").split(".")):
            content = {word: content}
        secrets = merge(secrets, content)
    return secrets


class PodHistory:
    """The pods of a workload, observed from the start of a context."""

    def __init__(self, cluster: Client, workload: Manifest) -> None:
        self._cluster = cluster
        selector = ",".join(f"{key}={value}" for key, value in workload["spec"]["selector"]["matchLabels"].items())
        self._asked = "GET", cluster._path("Pod", namespace=workload["metadata"]["namespace"])
        self._options = {"labelSelector": selector}
        listed = cluster._json(*self._asked, self._options)
        self._version = listed["metadata"]["resourceVersion"]
        self.first = {pod["metadata"]["uid"]: _is_ready(pod) for pod in listed["items"]}

    def changes(self) -> list[dict[str, bool]]:
        """The pods that there were after each change until now, by their UIDs, and whether they were ready."""
        now = {pod["metadata"]["uid"] for pod in self._cluster._json(*self._asked, self._options)["items"] if _is_ready(pod)}

        def known() -> list[list[dict[str, bool]]]:
            changes = list(self._changes())
            return [changes] if now == {uid for uid, ready in [self.first, *changes][-1].items() if ready} else []

        return wait(known, "all changes of the pods")[0]

    def _changes(self) -> Iterator[dict[str, bool]]:
        pods = dict(self.first)
        options = {**self._options, "watch": "true", "resourceVersion": self._version, "timeoutSeconds": 1}
        for event in map(json.loads, self._cluster._request(*self._asked, options).text.splitlines()):
            uid = event["object"]["metadata"]["uid"]
            pods[uid] = event["type"] != "DELETED" and _is_ready(event["object"])
            yield dict(pods)


def _is_ready(pod: Manifest) -> bool:
    conditions = {condition["type"]: condition["status"] for condition in pod["status"].get("conditions", ())}
    return "deletionTimestamp" not in pod["metadata"] and conditions.get("Ready") == "True"


def template_fields(workload: Manifest) -> dict[str, Any]:
    """The fields of a workload's pod template; entries of lists by their names, so that their order does not matter."""
    return dict(_fields(workload["spec"]["template"], ""))


def _fields(value: Any, path: str) -> Iterator[tuple[str, Any]]:
    if isinstance(value, list) and all(isinstance(item, dict) for item in value):
        value = {str(item.get("mountPath") or item.get("name")): item for item in value}
    if isinstance(value, dict) and value:
        for key, item in value.items():
            yield from _fields(item, f"{path}/{key}" if path else key)
    else:
        yield path, value


def settled(cluster: Client, objects: Manifests, namespace: str) -> list[Manifest]:
    """Current objects without fields that controllers change all the time."""
    return [_without_status(cluster.get(item["kind"], item["metadata"]["name"], in_namespace(item, namespace))) for item in objects]


def _without_status(manifest: Manifest) -> Manifest:
    metadata = {key: value for key, value in manifest["metadata"].items() if key not in {"managedFields", "resourceVersion"}}
    return {key: value for key, value in manifest.items() if key != "status"} | {"metadata": metadata}


class Release(NamedTuple):
    """A release in a cluster, whose pods are there."""

    cluster: Client
    helm: Helm
    case: Case

    def adopted(self, directory: Path) -> subprocess.CompletedProcess[str]:
        """The adoption of the release with everything that Helm reports: only corrections change objects."""
        place = (self.case.release, "-n", self.case.namespace)
        values = self.helm.output("get", "values", *place, "--all", "-o", "yaml")
        files = []
        for what in ("metadata", "manifest"):
            (directory / what).write_text(self.helm.output("get", what, *place))
            files += [f"--{what}", directory / what]
        done = cli("adopt", *place, *files, stdin=values)
        assert done.returncode == 0, done.stderr
        assert "all values are given" in done.stderr
        assert "not a correction" not in done.stderr
        return done

    def taken_over(self, directory: Path) -> tuple[Manifests, Instructions]:
        """The objects of the stack that is printed for it, with its token, and what there is to do besides."""
        done = self.adopted(directory)
        content = yaml_io.load_stack_file(done.stdout)["config"]
        config = {key.removeprefix("scalr-agents:"): words for key, words in content.items()}
        instructions = Instructions.read(done.stderr)
        loaded = stack.load(config | {"secrets": given(instructions.secrets, TOKEN)}, directory=directory)
        assert errors(loaded.findings) == []
        return loaded.objects(), instructions

    def up(self, objects: Manifests, instructions: Instructions) -> None:
        """The commands before `pulumi up`, and what that does."""
        for command in instructions.before:
            kubectl.run(self.cluster, command)
        agents.apply(self.cluster, objects)
        agents.wait_for_rollout(self.cluster, objects)
        wait(lambda: not any(map(_has_old_pods, self.workloads())), "the end of the old pods")

    def uids(self, objects: Manifests) -> dict[tuple[str, str], str]:
        """The objects that exist."""
        found = {}
        for item in objects:
            kind, name = item["kind"], item["metadata"]["name"]
            if there := self.cluster.find(kind, name, in_namespace(item, self.case.namespace)):
                found[kind, name] = there["metadata"]["uid"]
        return found

    def managed_by(self, program: str) -> set[str]:
        """The release as installed by another program that contains Helm; the field managers of its objects."""

        def renamed(there: Manifest) -> Manifest:
            for entry in there["metadata"]["managedFields"]:
                entry["manager"] = program if entry["manager"] == "helm" else entry["manager"]
            return there

        managers = set()
        for item in self.case.objects:
            if item["kind"] != _DEFINITION:
                self.cluster.edit(item, renamed, program)
                managers |= {
                    entry["manager"] for entry in self.cluster.current(item)["metadata"]["managedFields"] if "subresource" not in entry
                }
        return managers

    def workloads(self) -> Manifests:
        return [self.cluster.current(item) for item in self.case.objects if item["kind"] in WORKLOADS]

    def records(self) -> list[str]:
        secrets = self.cluster.list("Secret", self.case.namespace)
        return [secret["metadata"]["name"] for secret in secrets if secret["type"] == "helm.sh/release.v1"]


def _has_old_pods(workload: Manifest) -> bool:
    status = workload["status"]
    return bool(status.get("replicas", 0) > status.get("updatedReplicas", 0))
