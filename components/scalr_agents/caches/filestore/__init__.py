"""Google Filestore: an instance with one share, which the agents of a namespace mount."""
