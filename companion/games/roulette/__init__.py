"""Roulette: bets against the house on where the ball comes to rest."""
