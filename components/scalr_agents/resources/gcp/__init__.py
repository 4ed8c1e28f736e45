"""Components that create resources of Google Cloud."""
