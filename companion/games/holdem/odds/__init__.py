"""Chances at hold'em, once every hand that plays lies open."""
