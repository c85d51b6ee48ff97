"""Hold'em as a tournament: blinds that rise by the clock, rebuys, chip races, and prizes by place."""
