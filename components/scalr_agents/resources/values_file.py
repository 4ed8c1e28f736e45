"""Values files, for the argument `values`."""

from os import PathLike
from pathlib import Path
from typing import Any

import pulumi

from scalr_agents.model import yaml_io
from scalr_agents.model.messages import describe
from scalr_agents.model.positions import broken
from scalr_agents.stack import source


def load_values(path: str | PathLike[str]) -> Any:
    """The content of a values file, for the argument `values` of `AgentJob`, `AgentLocal` and `AgentK8s`.

    The file is read as Helm reads it (YAML 1.1). A relative path starts at the working directory: in a deployment, that of the program.
    The result fits every type of values (`Any`), because the type checker cannot know the file. The component checks the content.

    Raises `pulumi.RunError` if the file cannot be read or is not valid YAML: the program ends with that sentence, without a traceback.
    """
    if not isinstance(path, str | PathLike):
        raise pulumi.RunError(f"load_values: expected a path, given {describe(path, repeated=False)}")
    try:
        return yaml_io.load_values(source.read_text(Path(path)))
    except source.SourceError as problem:
        raise pulumi.RunError(f"load_values: {problem}") from None
    except yaml_io.YamlError as problem:
        raise pulumi.RunError(f"load_values: {broken(str(path), problem).text}") from None
