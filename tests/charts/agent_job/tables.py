"""The effects of every value: on the legacy line, and on the current line if they differ or the value is new."""

from pathlib import Path

import yaml

TABLE, TABLE_CURRENT = (
    yaml.safe_load((Path(__file__).parent / name).read_text()) for name in ("values_table.yaml", "values_table_current.yaml")
)
