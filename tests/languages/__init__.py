"""Programs in TypeScript and Go, and pyright: `make test-languages`.

The SDKs are those that the Pulumi CLI generates from the committed schema of the package. What the tests need besides the CLI is in
`package.json` and `go/`; `python -m tests.languages` installs the former.
"""
