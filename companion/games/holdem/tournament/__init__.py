"""Hold'em tournaments: timed blind levels, rebuys, chip races, and prizes by place."""
