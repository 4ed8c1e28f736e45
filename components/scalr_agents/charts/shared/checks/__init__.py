"""Cross-checks that at least two charts have."""
