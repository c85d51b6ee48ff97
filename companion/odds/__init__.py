"""Exact odds of the house games, as fractions, and simulations that check them.

`companion.odds.bet_odds` says what one bet is worth, `companion.odds.roche` works Roche out from the start
or from the middle of a deal, `companion.odds.simulate` (which alone needs NumPy) deals Roche by the million.
"""
