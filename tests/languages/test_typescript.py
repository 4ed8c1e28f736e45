"""A TypeScript program gets the types of values: mistakes do not compile."""

import re
import shutil
import subprocess
from pathlib import Path

from tests.helpers import sdk
from tests.package import schema

PROGRAMS = Path(__file__).parent / "typescript"


def test_only_programs_with_mistakes_fail_to_compile(node_modules: Path, tmp_path: Path) -> None:
    shutil.copytree(PROGRAMS, tmp_path, dirs_exist_ok=True)
    sdk.generate(schema.FILE, "typescript", tmp_path / "sdk")
    (tmp_path / "node_modules").symlink_to(node_modules)
    done = subprocess.run([node_modules / ".bin" / "tsc", "--project", "."], cwd=tmp_path, capture_output=True, text=True, check=False)
    lines = (PROGRAMS / "bad.ts").read_text().splitlines()
    wrong = {("bad.ts", number) for number, line in enumerate(lines, start=1) if line.endswith("// wrong")}
    assert wrong
    assert {(file, int(line)) for file, line in re.findall(r"^(\S+?)\((\d+),\d+\): error", done.stdout, re.MULTILINE)} == wrong, done.stdout
    assert "'replicaCont' does not exist in type 'AgentJobAgentValuesArgs" in done.stdout
