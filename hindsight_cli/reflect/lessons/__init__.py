"""Findings become experiences: one file a family of findings, one writer for all."""
