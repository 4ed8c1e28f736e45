"""Some random settings in each run of the tests. `python -m tests.model.fuzz` makes two thousand of each kind."""

import pytest

from tests.model import fuzz


def test_findings_keep_their_promises(capsys: pytest.CaptureFixture[str]) -> None:
    fuzz.main(count=60, seed=0)
    assert capsys.readouterr().out.count("60: ") == len(fuzz.KINDS)


@pytest.mark.parametrize("kind", fuzz.KINDS.values(), ids=fuzz.KINDS)
def test_every_setting_takes_part(kind: fuzz.Kind) -> None:
    left_out = {
        "ca_bundle",
        "no_proxy",
        "otel_metrics",
        "otel_traces",
        "token",
    }  # files, what needs another setting, and what is always given
    assert kind.model.model_fields.keys() - left_out == kind.choices.keys()
