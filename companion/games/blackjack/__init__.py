"""Blackjack for the table companion."""
