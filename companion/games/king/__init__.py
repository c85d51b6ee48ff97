"""King of Roulette: the king rigs the wheel, the others bet, all in secret; the reveal settles the round."""
