"""Programs in TypeScript and Go, and pyright: `make test-languages`.

The SDKs are generated from the committed schema of the package. What the tests need besides is in `package.json` and `go/`;
`python -m tests.languages.node` installs the former.
"""
