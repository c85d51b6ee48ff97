"""Statistics of evenings: standings, luck relative to expectation, a league, and exports. Pure functions.

Only `standings` and `bet_book` follow the journal; everything else uses their results.
"""
