"""A simulated table behind the same wires: control board, camera and four players."""
