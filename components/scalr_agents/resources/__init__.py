"""The components, and everything that registers resources. Nothing else in the package imports Pulumi."""
