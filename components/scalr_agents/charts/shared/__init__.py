"""What several charts have."""
