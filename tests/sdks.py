"""`make sdks`: the SDKs of the components for all languages but Python, whose SDK is the package itself, in `build/sdks`.

`PLUGIN_DOWNLOAD_URL` is that of `make dist`: programs with these SDKs download the plugin from there.
"""

import os
import shutil
import sys
import tempfile
from pathlib import Path

from tests import plugin
from tests.helpers import sdk

DIRECTORY = Path(__file__).parents[1] / "build" / "sdks"


def main() -> None:
    try:
        schema = plugin.schema(os.environ.get("PLUGIN_DOWNLOAD_URL", ""))
    except plugin.AddressError as problem:
        sys.exit(f"PLUGIN_DOWNLOAD_URL: {problem}")
    shutil.rmtree(DIRECTORY, ignore_errors=True)
    with tempfile.TemporaryDirectory() as temporary:
        file = Path(temporary) / plugin.SCHEMA
        file.write_text(schema, encoding="utf-8")
        for language in sdk.LANGUAGES:
            sdk.generate(file, language, DIRECTORY / language)
            sys.stdout.write(f"{DIRECTORY / language}\n")


if __name__ == "__main__":
    main()
