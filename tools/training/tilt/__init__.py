"""Trains the off-axis network: whether a die's most frontal face is not its upper one."""
