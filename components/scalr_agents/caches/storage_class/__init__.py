"""Caches provisioned by a CSI driver: a StorageClass for a known driver, and a claim on any class."""
