"""What a program has imported, step by step."""

import json
import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]


def modules_after(*steps: str) -> list[set[str]]:
    """The modules that are loaded after each step of a program. Its garbage is not collected, as in the command line."""
    code = f"""
import gc, json, sys
gc.disable()
loaded = []
for step in {steps}:
    try:
        exec(step, {{}})
    except SystemExit:
        pass
    loaded.append(sorted(sys.modules))
print("\\n" + json.dumps(loaded))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=REPOSITORY)
    assert done.returncode == 0, done.stderr
    return [set(loaded) for loaded in json.loads(done.stdout.splitlines()[-1])]


def of_libraries(modules: set[str]) -> set[str]:
    return {name.partition(".")[0] for name in modules}
