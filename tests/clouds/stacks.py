"""Stacks with the real providers of clouds. The Kubernetes provider is the stand-in of the engine's tests."""

import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Self

import yaml
from pulumi import automation

from tests import tools
from tests.clouds.serving import Held
from tests.cluster.client import wait
from tests.engine.provider import Provider
from tests.engine.stacks import Deployment
from tests.helpers.example_programs import EXAMPLES

_PLUGIN = "registry.terraform.io/hashicorp/aws/*/*/terraform-provider-aws_v*"
_VARIABLE = "SCALR_AGENTS_TERRAFORM_PLUGINS"


class CloudStack(Deployment):
    """A stack with the real provider of its cloud, found by the environment `variables`."""

    @classmethod
    def of_example(cls, name: str, directory: Path, command: automation.PulumiCommand, variables: Mapping[str, str]) -> Self:
        """The project of an example, whose program is to be set."""
        about = EXAMPLES / name / "Pulumi.yaml"
        project = yaml.safe_load(about.read_text(encoding="utf-8"))["name"]
        made = cls("prod", directory, command, variables=variables, project_name=project)
        made.project.mkdir(parents=True)
        shutil.copy(about, made.project)
        made.create()
        return made

    @property
    def _providers(self) -> list[Provider]:
        return [self.cluster, *self.others]

    def killed_while(self, holding: AbstractContextManager[Held], resources: int = 1) -> None:
        """`pulumi up`, killed when the cloud has carried out an operation, for one or more resources, the engine has not heard of it, and
        all else is done."""
        with holding as held, self.killable_up() as operation:
            wait(lambda: held.carried_out.is_set() or operation.has_ended(), "the operation")
            assert held.carried_out.is_set(), operation.result().lines
            wait(lambda: self._quiet() and len(self.pending()) == resources, "nothing else to do")
            assert operation.kill()
        self.cancel()


def aws_variables() -> dict[str, str]:
    """Where the provider of AWS is. Raises `NotBuiltError` if it is not built."""
    return {"SCALR_AGENTS_TERRAFORM_AWS": str(next(plugins())), "PATH": _path(tools.binary("pulumi-resource-aws").parent)}


def plugins() -> Iterator[Path]:
    """Plugins of Terraform's AWS provider, in the folders where Terraform mirrors plugins and in that of a variable, the newest first."""
    named = [Path(value) for value in (os.environ.get(_VARIABLE), os.environ.get("TF_PLUGIN_CACHE_DIR")) if value]
    shared = [Path(value, "terraform", "plugins") for value in os.environ.get("XDG_DATA_DIRS", "/usr/local/share:/usr/share").split(":")]
    own = [Path.home() / ".terraform.d" / "plugins", Path.home() / ".local" / "share" / "terraform" / "plugins"]
    folders = [*named, *own, *shared, *Path("/opt").glob("*")]
    yield from (file for folder in folders for file in sorted(folder.glob(_PLUGIN), key=_version, reverse=True))


def missing_plugin() -> str:
    """Why tests on AWS cannot run here; empty if they can."""
    if next(plugins(), None):
        return ""
    return f"no plugin of Terraform's AWS provider in the folders where Terraform mirrors plugins, nor in {_VARIABLE}"


def documents() -> Path:
    """Google's discovery documents. Raises `NotBuiltError` if the provider is not built, beside which they are."""
    return tools.binary("pulumi-resource-gcp").parent


def google_variables() -> dict[str, str]:
    """Where the provider of Google Cloud is. Raises `NotBuiltError` if it is not built."""
    return {"PATH": _path(documents())}


def _path(folder: Path) -> str:
    return os.pathsep.join([str(folder), os.environ["PATH"]])


def _version(file: Path) -> tuple[int, ...]:
    return tuple(int(part) for part in file.parts[-3].split("."))
