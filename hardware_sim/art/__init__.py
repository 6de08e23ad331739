"""The simulator's own face art: pre-rendered glyphs and the script that made them (README.md)."""
