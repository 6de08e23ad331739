"""Committed tables, read by `rules.suit_tables`."""
