"""Components that create resources of AWS."""
