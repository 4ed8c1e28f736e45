"""The component host as the engine starts it, without the engine."""

import importlib.util
from pathlib import Path
from typing import Any

import scalr_agents


def load() -> Any:
    """The module of the host, which is the entry of the package's plugin."""
    spec = importlib.util.spec_from_file_location("host", Path(scalr_agents.__file__).parents[1] / "__main__.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def provider() -> Any:
    """What answers the engine."""
    return load().Provider()
