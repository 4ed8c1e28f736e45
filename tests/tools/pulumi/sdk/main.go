// Writes the SDK of a language from the schema of a package, with the generators that the language hosts of Pulumi call. The hosts
// themselves are in no registry of modules: `generate-sdk SCHEMA LANGUAGE DIRECTORY`.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	golang "github.com/pulumi/pulumi/pkg/v3/codegen/go"
	"github.com/pulumi/pulumi/pkg/v3/codegen/nodejs"
	"github.com/pulumi/pulumi/pkg/v3/codegen/python"
	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
)

func main() {
	if len(os.Args) != 4 {
		fail(fmt.Errorf("usage: generate-sdk SCHEMA LANGUAGE DIRECTORY"))
	}
	files, err := generated(os.Args[1], os.Args[2])
	if err != nil {
		fail(err)
	}
	for name, content := range files {
		path := filepath.Join(os.Args[3], name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			fail(err)
		}
		if err := os.WriteFile(path, content, 0o644); err != nil {
			fail(err)
		}
	}
}

func generated(file, language string) (map[string][]byte, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var spec schema.PackageSpec
	if err := json.Unmarshal(content, &spec); err != nil {
		return nil, err
	}
	bound, diagnostics, err := schema.BindSpec(spec, schema.NewNullLoader(), schema.ValidationOptions{})
	if err != nil {
		return nil, err
	}
	if diagnostics.HasErrors() {
		return nil, diagnostics
	}
	bound.SupportPack = true // as `pulumi package add` does, so that an SDK is a module of its own
	switch language {
	case "go":
		return golang.GeneratePackage("pulumi-language-go", bound, nil)
	case "nodejs":
		return nodejs.GeneratePackage("pulumi-language-nodejs", bound, nil, nil, true, nil)
	case "python":
		return python.GeneratePackage("pulumi-language-python", bound, nil, nil)
	}
	return nil, fmt.Errorf("no generator for %s; there are go, nodejs and python", language)
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
