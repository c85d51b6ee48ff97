"""Coins beyond this table: the house's purses."""
