// Writes the SDK of a language from the schema of a package, with the generators that the language hosts of Pulumi call. The hosts
// themselves are in no registry of modules: `generate-sdk SCHEMA LANGUAGE DIRECTORY LOGO`. The SDK for C# contains the logo.
package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"

	dotnet "github.com/pulumi/pulumi-dotnet/pulumi-language-dotnet/v3/codegen"
	"github.com/pulumi/pulumi-java/pkg/codegen/java"
	golang "github.com/pulumi/pulumi/pkg/v3/codegen/go"
	"github.com/pulumi/pulumi/pkg/v3/codegen/nodejs"
	"github.com/pulumi/pulumi/pkg/v3/codegen/python"
	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
)

func main() {
	if len(os.Args) != 5 {
		fail(fmt.Errorf("usage: generate-sdk SCHEMA LANGUAGE DIRECTORY LOGO"))
	}
	files, err := generated(os.Args[1], os.Args[2], os.Args[4])
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

func generated(file, language, logo string) (map[string][]byte, error) {
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
	case "csharp":
		if bound.LogoURL, err = local(logo); err != nil {
			return nil, err
		}
		return dotnet.GeneratePackage("pulumi-language-dotnet", bound, nil, nil)
	case "go":
		return golang.GeneratePackage("pulumi-language-go", bound, nil)
	case "java":
		return java.GeneratePackage("pulumi-language-java", bound, nil, nil, true, false)
	case "nodejs":
		return nodejs.GeneratePackage("pulumi-language-nodejs", bound, nil, nil, true, nil)
	case "python":
		return python.GeneratePackage("pulumi-language-python", bound, nil, nil)
	}
	return nil, fmt.Errorf("no generator for %s; there are csharp, go, java, nodejs and python", language)
}

// An address for the generator, which downloads the logo.
func local(file string) (string, error) {
	absolute, err := filepath.Abs(file)
	files := &http.Transport{}
	files.RegisterProtocol("file", http.NewFileTransport(http.Dir(filepath.Dir(absolute))))
	http.DefaultTransport = files
	return "file:///" + filepath.Base(absolute), err
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
