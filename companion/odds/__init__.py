"""Exact odds of the house games, as fractions, and simulations that check them.

`companion.odds.bet_odds` says what one bet is worth, `companion.games.roche.odds` works Roche out from the start
or from the middle of a deal, `companion.games.roche.simulation` (which alone needs NumPy) deals Roche by the million.
"""
