"""A stack with an agent of every kind and a secret of every sort."""

from typing import Any

from tests.helpers.kinds import CA

HIDDEN = {
    "runs.token": "hidden-token-of-runs",
    "runs.env.TF_TOKEN_app": "hidden-variable-of-runs",
    "runs.clientKey": "-----BEGIN PRIVATE KEY-----\nhiddenkeyofruns0\n-----END PRIVATE KEY-----\n",
    'runs.mirrorTokens["mirror.acme.example"]': "hidden-token-of-mirror",
    "vcs.token": "hidden-token-of-vcs",
    "vcs.env.GIT_PASSWORD": "hidden-variable-of-vcs",
    "fleet.token": "hidden-token-of-fleet",
    "fleet.env.AWS_SECRET_ACCESS_KEY": "hidden-variable-of-fleet",
}
"""Secrets by their place under `secrets`."""
WORDS: dict[str, Any] = {
    "common": {"url": "https://acme.scalr.io", "agentVersion": "1.4.0"},
    "namespaces.scalr-vcs": {},
    "namespaces.scalr-fleet": {"podSecurity": "privileged"},
    "agents.runs.values.global": {"tls": {"clientCert": CA}},
    "agents.runs.values.agent.providerNetworkMirrors": [{"url": "https://mirror.acme.example/providers/"}],
    "agents.vcs": {"kind": "agent-local", "role": "vcs", "namespace": "scalr-vcs", "nodes": {"selector": {"pool": "vcs"}}},
    "agents.fleet": {"kind": "agent-k8s", "namespace": "scalr-fleet", "nodes": {"selector": {"pool": "fleet"}}},
}
"""What the stack `local` lacks for it."""
