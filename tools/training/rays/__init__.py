"""The second renderer: casts rays at batches of dice in PyTorch, on a GPU if there is one.

It shares fonts, layouts and numerals with the first renderer (`tools.training.samples`), but not the lighting: dice are
in a room with lamps and windows, which they reflect and refract, and cast soft shadows.
"""
