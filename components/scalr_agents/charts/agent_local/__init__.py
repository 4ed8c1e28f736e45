"""The chart `agent-local`: a Deployment whose containers run the tasks themselves."""
