"""Runs the protocol against any board and says, requirement by requirement, whether it keeps to it."""
