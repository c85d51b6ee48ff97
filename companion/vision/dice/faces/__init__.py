"""What one die shows: networks, pips and printed tags, for one close look at it."""
