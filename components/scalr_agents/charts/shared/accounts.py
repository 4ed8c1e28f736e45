"""Cross-checks of service accounts."""

from collections.abc import Mapping

from scalr_agents.charts.shared.checks import Findings
from scalr_agents.model.findings import warning


def brought(*, create: bool, annotations: Mapping[str, object], labels: Mapping[str, object]) -> Findings:
    """What is said about an account that somebody else made."""
    for word, given in (("annotations", annotations), ("labels", labels)):
        if given and not create:
            yield warning(
                f"serviceAccount.{word}", "has no effect: serviceAccount.create is false, and the account belongs to somebody else"
            )
