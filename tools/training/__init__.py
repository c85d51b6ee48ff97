"""Trains the vision networks for dice, bowls and wheels: rendered samples, PyTorch training, calibration, export.

Never imported while the table runs. PyTorch comes with the extra ``train``; it is imported only by what trains.
"""
