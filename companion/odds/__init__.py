"""What bets are worth, as exact fractions, for any game: `companion.plugins.odds` says what a game brings to it.

`companion.odds.bet_odds` says what one bet is worth, `companion.odds.table` prints it, `companion.odds.exposure`
says what the house risks, and `companion.odds.fairness` whether a die is fair.
"""
