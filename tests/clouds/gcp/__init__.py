"""Google Cloud on loopback: requests are checked with Google's discovery documents; rules that those have in prose name their source."""
