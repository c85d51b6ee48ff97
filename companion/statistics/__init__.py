"""What evenings come to: standings, luck against expectation, a league, and files for other programs. Pure functions.

Only `standings` and `bet_book` follow the journal; everything else takes what they found.
"""
