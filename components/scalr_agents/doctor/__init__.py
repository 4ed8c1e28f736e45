"""`scalr-agents doctor`: is a cluster ready for a stack?

`needs` says what a stack asks of a cluster, `collect` makes facts of the `objects` that are read of a real one, and `checks` compares the
two. `submissions` are the objects that the API server judges itself, in a dry run. `probe` runs a pod like that of a run, which tries
what only a pod can try.
"""
