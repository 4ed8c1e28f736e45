"""The chart `agent-job`: a controller that starts a Kubernetes Job for every task."""
