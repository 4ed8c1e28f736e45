"""The error that components raise."""

from collections.abc import Sequence

import pulumi

from scalr_agents.model.findings import Finding, by_severity


class ArgsError(pulumi.RunError, pulumi.InputPropertiesError):
    """Arguments that cannot be used; the text lists every finding.

    A Python program ends with the text alone, without a traceback; a program in another language gets it as an error of its own. No
    property is named beside the text: the engine would print the value that it has, secret or not.
    """

    def __init__(self, subject: str, findings: Sequence[Finding]) -> None:
        self.findings = by_severity(findings)
        text = "\n".join(f"  {finding}" for finding in self.findings)
        super().__init__(f"{subject} cannot be deployed:\n{text}", [])
