"""The two networks as data: locator.onnx and namer.onnx; PROVENANCE.md says where they come from."""
