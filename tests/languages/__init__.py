"""Programs in TypeScript, Go and YAML, and type checkers of Python: `make test-languages`.

The SDKs are generated from the committed schema of the package. What the tests need of npm is in `package.json`;
`python -m tests.languages.node` installs it.
"""
