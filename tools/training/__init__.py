"""Making the network that reads dice: rendered samples, training with PyTorch, calibration, export.

Never imported while the table runs. PyTorch is needed by `network` and `fit` only (the extra ``train``).
"""
