"""What is there for those who come from Helm: the grammar of `--set`, values of old charts, taking over of releases."""
