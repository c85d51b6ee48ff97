"""King of Roulette: the king rigs the wheel in secret, the others bet in secret, and the reveal settles it all."""
