"""Wheels with numbered pockets: a turning rotor and a ball, rendered fast enough for live video.

Lengths are in millimetres. x points right, y down the picture, z up; the wheel's axis is at x = y = 0.
"""
