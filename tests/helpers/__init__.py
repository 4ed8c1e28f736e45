"""Helpers for the tests of several folders. Helpers of one folder are in that folder."""
