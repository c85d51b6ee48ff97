"""The second painter: dice by ray casting in PyTorch, many at once, on a GPU where there is one.

It shares the fonts, layouts and numerals of `tools.training.samples` with the first painter and nothing of its light:
here dice stand in a room of lamps and windows, mirror it, break it, throw soft shadows and are seen from any side.
"""
