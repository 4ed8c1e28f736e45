"""Components that create Kubernetes objects and nothing else."""
