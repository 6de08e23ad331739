"""The controller of one table: the only place where board, camera and rules meet."""
