"""The camera at a table of hold'em: board, hands that are shown, and backs of which nobody asks what they are."""
