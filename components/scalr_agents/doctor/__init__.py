"""`scalr-agents doctor`: is a cluster ready for a stack?

`needs` says what a stack asks of a cluster, `collect` reads the facts about a real one (only `api` talks to it), and `checks` compares
the two. `submissions` are the objects that the API server judges itself, in a dry run. `probe` runs a pod like that of a run, which tries
what only a pod can try.
"""
