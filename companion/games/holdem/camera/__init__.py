"""Camera interpreter of hold'em: board, shown hands, and face-down cards that are never identified."""
