"""A board core in C99, written from PROTOCOL.md alone, and what compiles it and drives it in virtual time."""
