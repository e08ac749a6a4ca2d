"""Frozen records and enums; no I/O."""
