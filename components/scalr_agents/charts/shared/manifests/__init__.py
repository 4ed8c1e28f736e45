"""Parts of objects that several charts have."""
