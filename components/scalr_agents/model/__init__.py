"""Validation of chart values and stack files, independent of both: fields, sections, layers, findings."""
