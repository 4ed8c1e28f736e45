"""Kubeconfigs with one user, and users whose credential a program gets."""

import json
from pathlib import Path
from typing import Any


def kubeconfig(file: Path, user: dict[str, Any]) -> Path:
    """A kubeconfig of a cluster that is not there, with one user."""
    config = {
        "current-context": "a",
        "contexts": [{"name": "a", "context": {"cluster": "a", "user": "a"}}],
        "clusters": [{"name": "a", "cluster": {"server": "https://127.0.0.1:1"}}],
        "users": [{"name": "a", "user": user}],
    }
    file.write_text(json.dumps(config))
    return file


def program(script: str) -> dict[str, Any]:
    """A user whose credential a shell gets."""
    plugin = {"apiVersion": "client.authentication.k8s.io/v1", "command": "sh", "args": ["-c", script], "interactiveMode": "Never"}
    return {"exec": plugin}
