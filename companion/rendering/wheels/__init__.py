"""Wheels with numbered pockets: a rotor that turns and a ball, drawn fast enough for a live picture.

Lengths are in millimetres. x points right, y down the picture, z up; the wheel's axis is at x = y = 0.
"""
