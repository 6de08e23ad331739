"""Trains the two networks of `vision`: drawn tiles, rendered scenes, photographs of the training folder.

Nothing here is needed to run a table; PyTorch, onnx and Pillow come with the `training` extra.
"""
