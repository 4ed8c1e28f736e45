"""Tools for users of Helm: the options `--set`, values of old charts, taking over releases."""
