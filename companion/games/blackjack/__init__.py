"""Blackjack: one to seven boxes against the house."""
