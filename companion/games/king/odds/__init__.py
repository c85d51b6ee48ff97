"""Odds of King of Roulette, for rules and bets that favour no space."""
