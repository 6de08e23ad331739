"""The link to the table's control board: frames, a sequenced link, messages, ports."""
