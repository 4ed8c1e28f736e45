"""`scalr-agents impact`: what `pulumi up` will do to the agents of a stack and to their runs.

`changes` compares the stack's objects with those of the cluster, by a dry run, so that the API server says what differs. `effects` makes of
that what happens to the runs in progress. Neither knows Pulumi's state: what only the state or the cloud tells, `pulumi preview` shows.
"""
