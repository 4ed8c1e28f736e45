"""Amazon EFS: a file system in which each agent mounts a directory of its own."""
