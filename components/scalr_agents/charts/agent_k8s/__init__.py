"""The chart `agent-k8s`: a controller, and workers on every node. `agent-job` replaces it."""
