"""Exact odds, as fractions, for any game; `companion.plugins.odds` defines what a game provides.

`companion.odds.bet_odds` holds the odds of one bet, `companion.odds.table` formats them, `companion.odds.exposure`
computes the bank's risk, and `companion.odds.fairness` tests a die.
"""
