"""The hazard models: fit, ONNX graphs and manifest."""
