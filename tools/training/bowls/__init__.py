"""Renders random bowls with dice and trains the networks that read a bowl."""
