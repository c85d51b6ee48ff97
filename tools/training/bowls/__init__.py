"""Chance bowls with dice in them: what the network that reads a bowl's dice learns from."""
