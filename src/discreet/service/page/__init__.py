"""The page: templates and plain modules that use the public HTTP API, and nothing else."""
