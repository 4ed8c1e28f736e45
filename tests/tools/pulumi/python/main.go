// Does with the Python of a plugin what Pulumi's language host for Python does, with the package that it does it with. The host itself is in
// no registry of modules.
//
//	plugin-python install DIRECTORY OPTIONS          installs what the plugin in a directory requires
//	plugin-python run DIRECTORY OPTIONS ARGUMENTS    replaces this process by the plugin's Python
//
// OPTIONS are those of the runtime in PulumiPlugin.yaml, as JSON.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"syscall"

	"github.com/pulumi/pulumi/sdk/v3/python/toolchain"
)

func main() {
	if len(os.Args) < 4 {
		fail(fmt.Errorf("usage: plugin-python install|run DIRECTORY OPTIONS [ARGUMENTS]"))
	}
	what, directory := os.Args[1], os.Args[2]
	python, err := resolved(directory, os.Args[3])
	if err != nil {
		fail(err)
	}
	switch what {
	case "install":
		err = install(python, directory)
	case "run":
		err = run(python, os.Args[4:])
	default:
		err = fmt.Errorf("neither install nor run: %s", what)
	}
	if err != nil {
		fail(err)
	}
}

// As `parseOptions` in sdk/python/cmd/pulumi-language-python/main.go of pulumi/pulumi, for a plugin: with pip, or if nothing is said, it gets
// an environment in `venv`.
func resolved(directory, given string) (toolchain.Toolchain, error) {
	var said struct{ Toolchain, Virtualenv string }
	if err := json.Unmarshal([]byte(given), &said); err != nil {
		return nil, err
	}
	options := toolchain.PythonOptions{Root: directory, ProgramDir: directory, Virtualenv: said.Virtualenv}
	switch said.Toolchain {
	case "":
	case "pip":
		options.Toolchain = toolchain.Pip
	case "poetry":
		options.Toolchain = toolchain.Poetry
	case "uv":
		options.Toolchain = toolchain.Uv
	default:
		return nil, fmt.Errorf("unsupported toolchain option: %s", said.Toolchain)
	}
	if (options.Toolchain == toolchain.Auto || options.Toolchain == toolchain.Pip) && options.Virtualenv == "" {
		options.Virtualenv = "venv"
	}
	return toolchain.ResolveToolchain(options)
}

// As `InstallDependencies` there: the package itself first, if the directory is one that pip can build.
func install(python toolchain.Toolchain, directory string) error {
	ctx := context.Background()
	buildable, err := toolchain.IsBuildablePackage(directory)
	if err != nil {
		return err
	}
	if buildable {
		if err := python.EnsureVenv(ctx, directory, false, true, os.Stdout, os.Stderr); err != nil {
			return err
		}
		command, err := python.ModuleCommand(ctx, "pip", "install", directory)
		if err != nil {
			return err
		}
		command.Stdout, command.Stderr = os.Stdout, os.Stderr
		if err := command.Run(); err != nil {
			return err
		}
	}
	return python.InstallDependencies(ctx, directory, false, true, os.Stdout, os.Stderr)
}

func run(python toolchain.Toolchain, arguments []string) error {
	command, err := python.Command(context.Background(), arguments...)
	if err != nil {
		return err
	}
	return syscall.Exec(command.Path, command.Args, command.Env)
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
