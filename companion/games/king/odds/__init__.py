"""The odds of King of Roulette, where choices can be reckoned with: rule and bets that favour no space."""
