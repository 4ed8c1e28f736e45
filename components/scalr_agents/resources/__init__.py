"""The components, and all that registers resources: nothing else in the package imports Pulumi."""
