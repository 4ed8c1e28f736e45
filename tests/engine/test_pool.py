"""The example that makes a pool and its tokens in Scalr: with the bridge as its stand-in, and with the real one where that is installed."""

import json
import os
import runpy
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml
from pulumi import automation

from tests.engine import bridge
from tests.engine.scalr_api import ScalrApi
from tests.engine.stacks import REPOSITORY, Deployment, Outcome, up
from tests.helpers import sdk, stand_ins

EXAMPLE = REPOSITORY / "examples" / "pool"
PROJECT: dict[str, Any] = yaml.safe_load((EXAMPLE / "Pulumi.yaml").read_text(encoding="utf-8"))
ACCESS = "hidden-access-to-the-account"
SECRET = "Secret/scalr-payments/payments-agent-job"


class Pool(NamedTuple):
    """The example as a stack, and the account of Scalr that it changes."""

    stack: Deployment
    api: ScalrApi

    def up(self, *tokens: str) -> Outcome:
        """Bring it up with these tokens."""
        self.stack.set_config({f"{PROJECT['name']}:tokens": ",".join(tokens)})
        self.api.log.clear()
        return up(self.stack)

    @property
    def values(self) -> dict[str, str]:
        """The values of the pool's tokens by the name that the program gives them."""
        return {token["description"].split(",")[0]: token["token"] for token in self.api.tokens.values()}

    @property
    def deployed(self) -> Any:
        return self.stack.cluster.objects[SECRET]["stringData"]["token"]


def _program(directory: Path, packages: Path) -> None:
    sys.path.insert(0, str(packages))
    runpy.run_path(str(directory / "__main__.py"))


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The SDK of the bridged provider, as it would be installed."""
    directory = tmp_path_factory.mktemp("packages")
    schema, about = directory / "schema.json", directory / f"pulumi_scalr-{bridge.VERSION}.dist-info"
    schema.write_text(json.dumps(bridge.SCHEMA))
    sdk.generate(schema, "python", directory)
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: pulumi_scalr\nVersion: {bridge.VERSION}\n")
    return directory


@pytest.fixture(params=["stand-in", "real"])
def pool(request: pytest.FixtureRequest, packages: Path, command: automation.PulumiCommand, tmp_path: Path) -> Iterator[Pool]:
    """The example, ready for its first `pulumi up`."""
    api = ScalrApi(ACCESS, {"payments": "env-1", "payments-dev": "env-2"})
    stack = Deployment(
        "prod",
        tmp_path / "stack",
        command,
        program=partial(_program, tmp_path / "stack" / "project", packages),
        project_name=PROJECT["name"],
    )
    stack.project.parent.mkdir()
    shutil.copytree(EXAMPLE, stack.project)
    with ExitStack() as serving:
        host = "acme.scalr.io"
        if request.param == "real":
            variables = bridge.installed(tmp_path / "terraform")
            certificate = stand_ins.certificate(tmp_path / "certificate.pem", "DNS:localhost")
            host = serving.enter_context(api.serving(certificate))
            stack.variables = variables | {"SSL_CERT_FILE": str(certificate)}
        else:
            stack.others = [bridge.Bridge(api)]
        stack.create()
        plain = {"context": "prod", "environments": "payments,payments-dev"}
        stack.set_config({f"{PROJECT['name']}:{key}": value for key, value in plain.items()} | {"scalr:hostname": host})
        stack.set_config({"scalr:token": ACCESS}, secret=True)
        yield Pool(stack, api)


def test_the_token_is_passed_only_from_the_pool_to_the_agent(pool: Pool) -> None:
    outcome = pool.up("2026-11")
    assert {each["name"]: each["environments"] for each in pool.api.pools.values()} == {"payments": ["env-1", "env-2"]}
    assert pool.deployed == pool.values["2026-11"]
    again = pool.stack.preview()
    assert not again.failed, again.output
    assert again.steps == {}
    everything = outcome.everything + again.everything + pool.stack.state() + pool.stack.refresh().everything
    assert "hidden" not in everything


def test_the_agent_changes_to_a_second_token_while_both_are_valid(pool: Pool) -> None:
    pool.up("2026-11")
    assert pool.api.log == ["POST agent-pools", "POST agent-pools/apool-1/access-tokens"]
    added = pool.up("2026-11", "2027-02")
    assert pool.api.log == ["POST agent-pools/apool-1/access-tokens"]
    assert added.all("create") == {"payments-2027-02"}
    assert added.all("update") == {"payments-controller-token-secret", "payments-controller-deployment"}
    assert pool.deployed == pool.values["2027-02"]
    assert pool.values.keys() == {"2026-11", "2027-02"}
    removed = pool.up("2027-02")
    assert pool.api.log == ["DELETE access-tokens/at-2"]
    assert removed.steps == {"payments-2026-11": ("delete",)}
    assert pool.values == {"2027-02": pool.deployed}
    assert "hidden" not in added.everything + removed.everything + pool.stack.state()


def test_sharing_the_pool_is_an_update_in_place(pool: Pool) -> None:
    pool.up("2026-11")
    pool.stack.set_config({f"{PROJECT['name']}:environments": "payments-dev"})
    assert pool.up("2026-11").steps == {"payments": ("update",)}
    assert pool.api.log == ["PATCH agent-pools/apool-1"]
    assert [each["environments"] for each in pool.api.pools.values()] == [["env-2"]]


def test_a_replaced_token_is_deleted_after_the_agent_has_the_new_one(pool: Pool) -> None:
    pool.up("2026-11")
    before = pool.deployed
    seen: dict[str, str] = {}

    def asked(change: str) -> None:
        seen[change] = pool.deployed

    pool.api.when_changed = asked
    pool.up("2027-02")
    assert seen == {"POST agent-pools/apool-1/access-tokens": before, "DELETE access-tokens/at-2": pool.values["2027-02"]}


def test_agent_token_and_pool_are_deleted_in_this_order(pool: Pool) -> None:
    pool.up("2026-11")
    pool.api.log.clear()
    left: list[set[str]] = []
    pool.api.when_changed = lambda change: left.append({key.partition("/")[0] for key in pool.stack.cluster.objects})
    outcome = pool.stack.destroy()
    assert not outcome.failed, outcome.output
    assert pool.api.log == ["DELETE access-tokens/at-2", "DELETE agent-pools/apool-1"]
    assert [kinds & {"Deployment", "Secret"} for kinds in left] == [set(), set()]
    assert (pool.api.pools, pool.api.tokens) == ({}, {})
    pool.up("2026-11")  # over the definitions, which have stayed
    assert pool.deployed == pool.values["2026-11"]


@pytest.mark.parametrize(
    ("setting", "value", "message"),
    [
        ("scalr-agents-pool:environments", "payments,nowhere", "Environment with name 'nowhere' not found"),
        ("scalr:token", "hidden-and-wrong", "unauthorized"),
    ],
)
def test_a_refusal_by_scalr_creates_nothing(pool: Pool, setting: str, value: str, message: str) -> None:
    pool.stack.set_config({"scalr-agents-pool:tokens": "2026-11"})
    pool.stack.set_config({setting: value}, secret=setting == "scalr:token")
    outcome = pool.stack.preview()
    assert outcome.failed
    assert message in outcome.output
    assert "hidden" not in outcome.everything
    assert (pool.api.log, pool.stack.cluster.objects) == ([], {})


def test_the_schema_of_the_stand_in_matches_the_real_one(command: automation.PulumiCommand, tmp_path: Path) -> None:
    variables = {**os.environ, **bridge.installed(tmp_path), "PULUMI_HOME": str(tmp_path / "home"), "PULUMI_SKIP_UPDATE_CHECK": "true"}
    program = str(shutil.which("pulumi-resource-terraform-provider"))
    asked = [command.command, "package", "get-schema", program, "scalr/scalr", bridge.VERSION]
    real = json.loads(subprocess.run(asked, env=variables, capture_output=True, check=True).stdout)
    assert _common(real, bridge.SCHEMA) == bridge.SCHEMA


def _common(whole: Any, part: Any) -> Any:
    """The fields of a part that the whole has too."""
    if isinstance(part, dict):
        return {key: _common(whole[key], value) for key, value in part.items() if key in whole}
    return [each for each in part if each in whole] if isinstance(part, list) else whole
