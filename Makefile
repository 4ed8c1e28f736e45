# Everything a contributor needs. `make render` and `make test` work on a fresh machine with Python 3.11 or newer and make.
PYTHON ?= python3
STACK ?= local
# Folders of tests with a module `fuzz`, and how many mutations of each kind of input `fuzz` makes.
FUZZERS ?= $(patsubst tests/%/fuzz.py,%,$(wildcard tests/*/fuzz.py))
MUTATIONS ?= 10000
VENV := .venv
BIN := $(VENV)/bin
# Python compiles what it imports: of the packages of the clouds, a small part.
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check install --no-compile
CORE := --require-hashes -r requirements/core.txt
KUBERNETES := $(CORE) -r requirements/kubernetes.txt
DEPLOY := $(KUBERNETES) -r requirements/clouds.txt
UV ?= uv
PIN := UV_CUSTOM_COMPILE_COMMAND="make pins" $(UV) pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-annotate
# What other layers pin, which a layer leaves out.
BUT = $$(sed -n 's/^\([A-Za-z0-9._-]*\)==.*/--no-emit-package=\1/p' $(1))
# The same, without those that are pinned for some platforms only.
BUT_ANYWHERE = $$(sed -n '/ ; /!s/^\([A-Za-z0-9._-]*\)==.*/--no-emit-package=\1/p' $(1))

.PHONY: help render test fuzz mutants control-plane kubernetes-plugin test-cluster test-engine debian-packages test-machines test-languages test-package clouds test-clouds node test-node \
	check lint types github bench schema docs dist release-notes pins clean install install-kubernetes

# This list.
help:
	@awk '/^# / {text = text (text ? "\n                    " : "") substr($$0, 3); next} \
		/^[a-z-]+:/ && text {printf "%-19s %s\n", substr($$1, 1, index($$1, ":") - 1), text} {text = ""}' Makefile

# The manifests of a stack, here of local: STACK=dev prints another. Installs only what the command line needs.
render: $(VENV)/.core
	@$(BIN)/python -m scalr_agents render $(STACK)

# All fast tests, in parallel. `.venv/bin/python -m pytest tests/charts -k budget` runs some.
test: $(VENV)/.dev
	@$(BIN)/python -m pytest

# What is generated, built, installed and released: the contract, pins, examples, `make dist`, and requirements.txt in fresh environments with the
# pip of Python 3.11, the newest pip and uv, which are downloaded.
test-package: $(VENV)/.dev
	@$(BIN)/python -m pytest tests/package

# Many more mutations than `test` makes, through each fuzzer.
fuzz: $(VENV)/.dev
	@set -e; for each in $(FUZZERS); do echo "$$each:"; $(BIN)/python -m tests.$$each.fuzz $(MUTATIONS); done

# Faults in the package that a test must notice, one after another (tests/mutants.yaml). ROOMS=stack tries those of one room.
mutants: $(VENV)/.dev
	@$(BIN)/python -m tests.mutants $(ROOMS)

# The programs that test-cluster, test-engine, test-machines and test-languages run, built once with Go into ~/.cache/scalr-agents/tools (or SCALR_AGENTS_TOOLS).
control-plane:
	@$(PYTHON) -m tests.tools.build control-plane

# Pulumi's Kubernetes provider, which some tests of test-cluster run. Where it cannot be downloaded, these are skipped.
kubernetes-plugin: $(VENV)/.dev control-plane
	@$(BIN)/python -m tests.tools.kubernetes_provider

# What needs a real control plane, and, if it is there, the real Kubernetes provider. One control plane for all tests, so one after another.
test-cluster: $(VENV)/.dev control-plane
	@$(BIN)/python -m pytest -n0 tests/cluster

# What needs the real Pulumi engine.
test-engine: $(VENV)/.dev control-plane
	@$(BIN)/python -m pytest -n 2 tests/engine

# The programs of test-machines and test-node that are missing here, for root on Debian or Ubuntu.
debian-packages:
	@$(PYTHON) -m tests.tools.debian

# The files of machines with the programs that read them, and a real Docker daemon. What is not here is skipped, outside of CI.
test-machines: $(VENV)/.dev control-plane
	@$(BIN)/python -m pytest -n0 tests/machines_for_real

# Programs in other languages, with the SDKs that Pulumi generates for them. What is not here is skipped.
test-languages: $(VENV)/.dev control-plane
	@$(BIN)/python -m tests.languages.node
	@$(BIN)/python -m pytest -n0 tests/languages

# The providers that test-clouds runs, built with Go.
clouds:
	@$(PYTHON) -m tests.tools.build clouds

# Stacks and examples on both clouds with the providers' own code, each worker with a cloud of its own. What is not here is skipped with
# the reason.
test-clouds: $(VENV)/.dev clouds
	@$(BIN)/python -m pytest -n 4 -rs --durations=8 tests/clouds

# The programs that test-node runs, built with Go.
node:
	@$(PYTHON) -m tests.tools.build node

# Agents on a node that really runs their containers; needs root. Where there can be none, the tests are skipped with the reason.
test-node: $(VENV)/.dev node
	@$(BIN)/python -m pytest -n0 -rs --durations=8 tests/node

# All three of the next: none may report anything.
check: lint types github

# Linter and formatter, as a check. `.venv/bin/ruff format .` formats.
lint: $(VENV)/.dev
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .

# The type checker.
types: $(VENV)/.dev
	@$(BIN)/mypy

# The files of .github, with the strictest persona of zizmor. Offline.
github: $(VENV)/.dev
	@$(BIN)/check-jsonschema -q --builtin-schema vendor.github-workflows .github/workflows/*.yml
	@$(BIN)/check-jsonschema -q --builtin-schema vendor.renovate .github/renovate.json
	@$(BIN)/check-jsonschema -q --builtin-schema vendor.github-issue-config .github/ISSUE_TEMPLATE/config.yml
	@$(BIN)/check-jsonschema -q --builtin-schema vendor.github-issue-forms $(filter-out %/config.yml,$(wildcard .github/ISSUE_TEMPLATE/*.yml))
	@$(BIN)/zizmor --offline --no-config --no-progress --quiet --strict-collection --persona=auditor .

# Start-up and rendering times, as ratios within one run.
bench: $(VENV)/.dev
	@$(BIN)/python -m tests.bench

# Rewrites what is generated from the code: docs/stack.schema.json, docs/reference/, the tables of docs/stack-file.md and other generated
# pages, the picture in README.md, components/schema.json, and the types in resources/values/ and resources/arguments/.
schema: $(VENV)/.deploy
	@$(BIN)/python -m scalr_agents schema > docs/stack.schema.json
	@$(BIN)/python -m tests.package
	@$(BIN)/python -m tests.reference

# The documentation as a site with search, in build/site. A link or an anchor that leads nowhere is an error.
# `python3 -m http.server -d build/site` shows it.
docs: $(VENV)/.docs
	@$(BIN)/python -m tests.site
	@NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict

# Wheel, source distribution, plugins, schema and checksums in dist/: the same bytes for the same commit.
# PLUGIN_DOWNLOAD_URL=... is where programs download the plugin: github://api.github.com/OWNER/REPOSITORY for the releases of a repository.
dist: $(VENV)/.dev
	@$(BIN)/python -m tests.package.distribution

# What the changelog says about VERSION=0.2.0, as text of a release. Refused if it is not the version of the package.
release-notes:
	@$(PYTHON) -m tests.package.release "$$VERSION"

# Pins, with the hashes of all files of each release: for every platform and Python. UPGRADE=--upgrade renews them. Needs uv.
pins:
	@$(PIN) $(UPGRADE) requirements/core.in -o requirements/core.txt >/dev/null
	@$(PIN) $(UPGRADE) components/pyproject.toml -c requirements/core.txt \
		$(call BUT,requirements/core.txt) -o requirements/kubernetes.txt >/dev/null
	@$(PIN) $(UPGRADE) components/pyproject.toml --extra aws --extra gcp $(patsubst %,-c requirements/%.txt,core kubernetes) \
		$(call BUT,$(patsubst %,requirements/%.txt,core kubernetes)) -o requirements/clouds.txt >/dev/null
	@$(PIN) $(UPGRADE) requirements/dev.in $(patsubst %,-c requirements/%.txt,core kubernetes clouds) \
		$(call BUT,$(patsubst %,requirements/%.txt,core kubernetes clouds)) -o requirements/dev.txt >/dev/null
	@$(PIN) $(UPGRADE) requirements/docs.in $(patsubst %,-c requirements/%.txt,core kubernetes clouds dev) \
		$(call BUT_ANYWHERE,$(patsubst %,requirements/%.txt,core kubernetes clouds dev)) -o requirements/docs.txt >/dev/null

# What `pulumi up` runs on; `pulumi install` does the same.
install: $(VENV)/.deploy

# The same as install without the packages of AWS and Google Cloud, for stacks that use none.
install-kubernetes: $(VENV)/.kubernetes

# Removes the virtual environment and all caches.
clean:
	@rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis build dist
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

# Set-up talks on stderr, so that what `render` prints can be piped.
$(VENV)/.core: requirements/core.txt components/pyproject.toml
	@echo "setting up $(VENV): the core" >&2
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed; make PYTHON=...")' >&2
	@$(PYTHON) -m venv $(VENV) >&2
	@$(PIP) $(CORE) >&2
	@$(PIP) --no-deps --no-build-isolation -e ./components >&2
	@touch $@

$(VENV)/.kubernetes: $(VENV)/.core requirements/kubernetes.txt
	@echo "setting up $(VENV): Pulumi" >&2
	@$(PIP) $(KUBERNETES) >&2
	@touch $@

$(VENV)/.deploy: $(VENV)/.kubernetes requirements/clouds.txt
	@echo "setting up $(VENV): the clouds" >&2
	@$(PIP) $(DEPLOY) >&2
	@touch $@

$(VENV)/.dev: $(VENV)/.deploy requirements/dev.txt
	@echo "setting up $(VENV): tests and linters" >&2
	@$(PIP) $(DEPLOY) -r requirements/dev.txt >&2
	@touch $@

$(VENV)/.docs: $(VENV)/.dev requirements/docs.txt
	@echo "setting up $(VENV): the documentation site" >&2
	@$(PIP) $(DEPLOY) -r requirements/dev.txt -r requirements/docs.txt >&2
	@touch $@
