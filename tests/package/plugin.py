"""The components as a plugin that the Pulumi CLI downloads and installs: the archive, and the address of archives in the schema.

The CLI unpacks an archive into a directory of its own. Where that has a `PulumiPlugin.yaml`, the host of the language installs what is
required; for Python that is `requirements.txt`, into a virtual environment. There is no `pyproject.toml`, with which pip would also build
the package itself, with a build backend that it downloads without comparing hashes.
"""

import gzip
import io
import json
import re
import tarfile
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import scalr_agents

from tests.helpers.pins import DEPLOYED, LAYERS

PLATFORMS = [f"{system}-{processor}" for system in ("darwin", "linux", "windows") for processor in ("amd64", "arm64")]
"""What the CLI is released for. Each asks for an archive of its own, though there is no difference here."""
SCHEMA = "schema.json"
_PACKAGE = Path(scalr_agents.__file__).parents[1]
_BESIDE = ("LICENSE", "PulumiPlugin.yaml", "__main__.py")
_ADDRESS = re.compile(
    r"https://[A-Za-z0-9.-]+(:\d+)?(/([A-Za-z0-9._~/-]|\$\{(NAME|VERSION|OS|ARCH)\})*)?"
    r"|github://[A-Za-z0-9.-]+(/[A-Za-z0-9._-]+){1,2}"
    r"|gitlab://[A-Za-z0-9.-]+/\d+"
)
_GITHUB = re.compile(r"https://github\.com/([A-Za-z0-9._-]+/[A-Za-z0-9._-]+?)(\.git)?/?")


class AddressError(ValueError):
    """An address from which Pulumi can download no plugin."""


def names() -> list[str]:
    """The names of all archives, for which the CLI asks."""
    return [f"pulumi-resource-scalr-agents-v{scalr_agents.__version__}-{platform}.tar.gz" for platform in PLATFORMS]


def schema(address: str) -> str:
    """The schema of a release. With an address, programs download the plugin by themselves."""
    content: dict[str, Any] = json.loads((_PACKAGE / SCHEMA).read_text(encoding="utf-8"))
    if address:
        content["pluginDownloadURL"] = checked(address)
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def archive(wheel: Path, schema: str, epoch: int) -> bytes:
    """The archive for any platform, with the package of a wheel. `epoch` is the time that its files have, in seconds."""
    files = {name: (_PACKAGE / name).read_bytes() for name in _BESIDE}
    files |= {SCHEMA: schema.encode(), "requirements.txt": "".join(LAYERS[layer] for layer in DEPLOYED).encode()}
    with zipfile.ZipFile(wheel) as package:
        files |= {name: package.read(name) for name in package.namelist() if name.startswith("scalr_agents/")}
    content = io.BytesIO()
    with gzip.GzipFile(fileobj=content, mode="wb", mtime=epoch) as compressed, tarfile.open(fileobj=compressed, mode="w") as packed:
        for name, file in sorted(files.items()):
            member = tarfile.TarInfo(name)
            member.size, member.mtime = len(file), epoch
            packed.addfile(member, io.BytesIO(file))
    return content.getvalue()


def checked(address: str) -> str:
    """An address from which Pulumi downloads; raises `AddressError`, without the address, which could contain a password.

    Pulumi knows `http` and `git` too: the one can be changed on its way, and the other clones the repository.
    """
    if not _ADDRESS.fullmatch(address):
        raise AddressError(
            "not an address from which Pulumi downloads plugins. Give https://HOST/PATH, in which Pulumi replaces ${NAME}, ${VERSION}, "
            "${OS} and ${ARCH}, or github://api.github.com/OWNER/REPOSITORY, or gitlab://HOST/PROJECT-ID, without user and password."
        )
    return address


def of_project(project: Mapping[str, Any]) -> str:
    """The address of a project's releases, if it says where its repository is and that is on GitHub; otherwise empty."""
    found = _GITHUB.fullmatch(project.get("urls", {}).get("Repository", ""))
    return f"github://api.github.com/{found[1]}" if found else ""
