"""What the journal says of times: the turn, the hold, the evening."""
