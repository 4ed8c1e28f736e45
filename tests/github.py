"""`make github`: the files of `.github` with linters of their own. All of them are offline, and none may report anything."""

import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

from tests import tools
from tests.tools import build

REPOSITORY = Path(__file__).parents[1]
HOSTED = REPOSITORY / ".github"
FORMS = HOSTED / "ISSUE_TEMPLATE"
SCHEMAS = {
    "github-workflows": sorted((HOSTED / "workflows").glob("*.yml")),
    "renovate": [HOSTED / "renovate.json"],
    "github-issue-config": [FORMS / "config.yml"],
    "github-issue-forms": sorted(file for file in FORMS.glob("*.yml") if file.name != "config.yml"),
}
"""Files by the schema that check-jsonschema has for them."""
ZIZMOR = ("--offline", "--no-config", "--no-progress", "--quiet", "--strict-collection", "--persona=auditor")
"""The strictest persona."""
_SCRIPTS = Path(sysconfig.get_path("scripts"))


def main() -> None:
    """Run all linters; exit 1 if one of them has reported something."""
    commands: list[list[Path | str]] = [*schema_checks(), [_SCRIPTS / "zizmor", *ZIZMOR, REPOSITORY]]
    if os.environ.get("CI") or shutil.which("go"):
        build.main("github")
    if tools.built("actionlint"):
        commands.append([tools.binary("actionlint")])
    else:
        print("Go is not on PATH, and actionlint is built with it: the workflows are checked without", file=sys.stderr)
    if sum(_reports(*command) for command in commands):
        sys.exit(1)


def schema_checks() -> Iterator[list[Path | str]]:
    for name, files in SCHEMAS.items():
        yield [_SCRIPTS / "check-jsonschema", "--builtin-schema", f"vendor.{name}", *files]


def _reports(*command: Path | str) -> bool:
    """Whether a linter reports something, which is then printed."""
    done = subprocess.run(command, cwd=REPOSITORY, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode:
        print(done.stdout, file=sys.stderr)
    return bool(done.returncode)


if __name__ == "__main__":
    main()
