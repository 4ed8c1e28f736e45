"""Programs in TypeScript, Go and YAML, and pyright: `make test-languages`.

The SDKs are generated from the committed schema of the package. What the tests need besides is in `package.json`;
`python -m tests.languages.node` installs it.
"""
