"""Rules of the game: tiles, events, the state machine of a deal, hands and settlements. Pure."""
