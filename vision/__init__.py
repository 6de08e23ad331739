"""Reads the tiles on the table from a camera."""
