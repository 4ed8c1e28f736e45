"""`scalr-agents status` and `logs`: what the agents of a stack do right now.

`snapshot` reads a cluster, and `agents` makes of what it has read what `status` prints; `reasons` says why a pod does not run, or how it
ended. `logs` finds the containers of an agent or a run, and reads their logs.
"""
