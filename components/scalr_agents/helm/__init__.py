"""Tools for users of Helm: the grammar of `--set`, values of old charts, taking over releases."""
