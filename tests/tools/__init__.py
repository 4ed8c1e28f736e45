"""Programs that tests run, built from Go modules: Kubernetes, what a node needs, simulated nodes, Helm, Pulumi, Docker Compose, Prometheus.

Each directory here is a Go module, which pins projects whose dependencies go together; `stubs` has programs of our own.
`make control-plane` and `make node` build what is missing into a cache outside of the repository; a changed pin has a directory of its
own there.
"""

import os
import re
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

_HERE = Path(__file__).parent


class NotBuiltError(Exception):
    """A program that tests need is not there."""


class Base(NamedTuple):
    """A module with packages that no other module may import, or that registers more than is needed: ours is laid over a copy of it."""

    version: str
    """Its path and version, `PATH@VERSION`."""
    sum: str
    """The checksum of its content."""


class Module(NamedTuple):
    """A Go module of this directory, and what is built from it."""

    name: str
    programs: Mapping[str, str]
    """Packages by the name of their program."""
    pin: str = ""
    """The module whose version is that of the programs; empty for programs of our own."""
    tags: str = ""
    """Tags of the build, for instance to leave out what tests do not use."""
    version_variables: tuple[str, ...] = ()
    """Variables that say a program's version, as `VARIABLE=TEMPLATE`. A build from a Go module does not set them by itself."""
    base: Base | None = None
    """The module inside whose source ours is built."""
    within: str = ""
    """The directory whose `go.mod` pins it, if not one of its own: what is compiled for its neighbours is not compiled again."""
    documents: Mapping[str, tuple[str, str]] = {}
    """Files of modules that are kept beside the programs, by name: the module's path, and the file's path in it."""

    @property
    def directory(self) -> Path:
        return _HERE / (self.within or self.name)

    @property
    def version(self) -> str:
        """The pinned version, for instance `v1.37.2`."""
        if self.base:
            return self.base.version.partition("@")[2]
        if not self.pin:
            return ""
        found = re.search(rf"^(?:require)?\s+{re.escape(self.pin)} (v\S+)", self._read("go.mod"), re.MULTILINE)
        if found is None:
            raise NotBuiltError(f"{self.directory}/go.mod requires no {self.pin}")
        return found[1]

    @property
    def ldflags(self) -> str:
        major, minor, *_ = [*self.version.removeprefix("v").split("."), ""]
        variables = (variable.format(version=self.version, major=major, minor=minor) for variable in self.version_variables)
        return " ".join(["-s", "-w", *(f"-X {variable}" for variable in variables)])

    @property
    def output(self) -> Path:
        """Where the programs are, by all that makes them what they are."""
        sources = [file.read_text(encoding="utf-8") for file in sorted(self.directory.rglob("*.go"))]
        pins = [file.read_text(encoding="utf-8") for file in (self.directory / "go.mod", self.directory / "go.sum") if file.exists()]
        others = [*(self.base or ()), *(part for document in self.documents.values() for part in document)]
        tags = [self.tags] if self.tags else []
        recipe = "\0".join([*pins, self.ldflags, *tags, *self.programs.values(), *others, *sources])
        return cache() / f"{self.name}-{sha256(recipe.encode()).hexdigest()[:12]}" / "bin"

    def _read(self, file: str) -> str:
        return (self.directory / file).read_text(encoding="utf-8")


MODULES = (
    Module(
        name="kubernetes",
        programs={
            "etcd": "go.etcd.io/etcd/server/v3",
            "kube-apiserver": "k8s.io/kubernetes/cmd/kube-apiserver",
            "kube-controller-manager": "k8s.io/kubernetes/cmd/kube-controller-manager",
            "kube-scheduler": "k8s.io/kubernetes/cmd/kube-scheduler",
            "kubelet": "k8s.io/kubernetes/cmd/kubelet",
            "kube-proxy": "k8s.io/kubernetes/cmd/kube-proxy",
        },
        pin="k8s.io/kubernetes",
        version_variables=(
            "k8s.io/component-base/version.gitVersion={version}",
            "k8s.io/component-base/version.gitMajor={major}",
            "k8s.io/component-base/version.gitMinor={minor}",
        ),
    ),
    Module(
        name="kwok",
        programs={"kwok": "sigs.k8s.io/kwok/cmd/kwok"},
        pin="sigs.k8s.io/kwok",
        within="kubernetes",
    ),
    Module(
        name="helm",
        programs={"helm": "helm.sh/helm/v3/cmd/helm"},
        pin="helm.sh/helm/v3",
        version_variables=("helm.sh/helm/v3/internal/version.version={version}",),
        within="kubernetes",
    ),
    Module(
        name="helm4",
        programs={"helm4": "helm.sh/helm/v4/cmd/helm"},
        pin="helm.sh/helm/v4",
        version_variables=("helm.sh/helm/v4/internal/version.version={version}",),
        within="kubernetes",
    ),
    Module(
        name="pulumi",
        programs={
            "pulumi": "github.com/pulumi/pulumi/pkg/v3/cmd/pulumi",
            "generate-sdk": "scalr-agents/tests/tools/pulumi/sdk",
            "plugin-python": "scalr-agents/tests/tools/pulumi/python",
        },
        pin="github.com/pulumi/pulumi/pkg/v3",
        version_variables=("github.com/pulumi/pulumi/sdk/v3/go/common/version.Version={version}",),
    ),
    Module(
        name="yaml",
        programs={"pulumi-language-yaml": "github.com/pulumi/pulumi-yaml/cmd/pulumi-language-yaml"},
        pin="github.com/pulumi/pulumi-yaml",
        version_variables=("github.com/pulumi/pulumi-yaml/pkg/version.Version={version}",),
        within="pulumi",
    ),
    Module(
        name="compose",
        programs={"docker-compose": "github.com/docker/compose/v2/cmd"},
        pin="github.com/docker/compose/v2",
        version_variables=("github.com/docker/compose/v2/internal.Version={version}",),
    ),
    Module(
        name="containerd",
        programs={
            "containerd": "github.com/containerd/containerd/v2/cmd/containerd",
            "containerd-shim-runc-v2": "github.com/containerd/containerd/v2/cmd/containerd-shim-runc-v2",
        },
        pin="github.com/containerd/containerd/v2",
        version_variables=("github.com/containerd/containerd/v2/version.Version={version}",),
    ),
    Module(
        name="cni",
        programs={
            "ptp": "github.com/containernetworking/plugins/plugins/main/ptp",
            "host-local": "github.com/containernetworking/plugins/plugins/ipam/host-local",
        },
        pin="github.com/containernetworking/plugins",
    ),
    Module(
        name="policies",
        programs={"kube-network-policies": "sigs.k8s.io/kube-network-policies/cmd/kube-network-policies/standard"},
        pin="sigs.k8s.io/kube-network-policies",
        within="kubernetes",
    ),
    Module(
        name="prometheus",
        programs={
            "prometheus": "github.com/prometheus/prometheus/cmd/prometheus",
            "promtool": "github.com/prometheus/prometheus/cmd/promtool",
        },
        pin="github.com/prometheus/prometheus",
        tags="remove_all_sd",  # the clients of all clouds, where it would look for what to scrape
    ),
    Module(
        name="metrics",
        programs={"kube-state-metrics": "k8s.io/kube-state-metrics/v2"},
        pin="k8s.io/kube-state-metrics/v2",
        within="kubernetes",
    ),
    Module(name="stubs", programs={"stub-agent": "./agent", "stub-world": "./world"}),
    Module(
        name="aws",
        programs={"pulumi-resource-aws": "./dynamic/scalr"},
        base=Base("github.com/pulumi/pulumi-terraform-bridge/v3@v3.137.0", "h1:y9HaS9/ylx52g0Ur4uxgfCYCl9b7Q9/i9a6tJhdUJsY="),
    ),
    Module(
        name="google",
        programs={"pulumi-resource-gcp": "./scalr"},
        base=Base(
            "github.com/hashicorp/terraform-provider-google@v1.20.1-0.20260828184646-f3721fb45fa3",  # 8.0.0
            "h1:2onI4HYzwHTtekjeWin7ZrO+v7S8TkFyTP+IaS2FcbQ=",
        ),
        documents={
            f"{name}.json": ("google.golang.org/api", path)
            for name, path in {
                "cloudresourcemanager": "cloudresourcemanager/v1/cloudresourcemanager-api.json",
                "compute": "compute/v1/compute-api.json",
                "container": "container/v1/container-api.json",
                "file": "file/v1/file-api.json",
                "iam": "iam/v1/iam-api.json",
                "secretmanager": "secretmanager/v1/secretmanager-api.json",
            }.items()
        },
    ),
)

_CONTROL_PLANE = ("etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "pulumi")
_MONITORING = ("prometheus", "promtool", "kube-state-metrics")
_LANGUAGES = ("generate-sdk", "plugin-python", "pulumi-language-yaml")
CONTROL_PLANE = (*_CONTROL_PLANE, *_MONITORING, "kwok", "helm", "helm4", "docker-compose", *_LANGUAGES)
"""What `make test-cluster` runs, and the tests of machines and of programs in other languages."""
NODE = (
    *_CONTROL_PLANE,
    "kubelet",
    "kube-proxy",
    "containerd",
    "containerd-shim-runc-v2",
    "ptp",
    "host-local",
    "kube-network-policies",
    "stub-agent",
    "stub-world",
)
"""What `make test-node` runs."""
CLOUDS = ("pulumi", "pulumi-resource-aws", "pulumi-resource-gcp")
"""What `make test-clouds` runs."""
TARGETS = {"control-plane": CONTROL_PLANE, "clouds": CLOUDS, "node": NODE}
"""Programs by the target of make that builds them."""


def binary(name: str) -> Path:
    """The path of a program, for instance `kube-apiserver`; raises `NotBuiltError` if it has not been built."""
    path = _path(name)
    if not path.exists():
        raise NotBuiltError(f"{name} is not built: run `make {target_of(name)}` (it needs Go)")
    return path


def target_of(name: str) -> str:
    """The target of make that builds a program."""
    return next(target for target, programs in TARGETS.items() if name in programs)


def built(name: str) -> bool:
    """Whether a program is there."""
    return _path(name).exists()


def _path(name: str) -> Path:
    for module in MODULES:
        if name in module.programs:
            return module.output / name
    raise NotBuiltError(f"no program {name!r}; there are {', '.join(program for module in MODULES for program in module.programs)}")


def cache() -> Path:
    """Where programs are built, outside of the repository."""
    own = os.environ.get("SCALR_AGENTS_TOOLS")
    shared = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return Path(own) if own else shared / "scalr-agents" / "tools"
