"""The package as Pulumi sees it: its schema, and the types of values in Python. `make schema` writes both."""
