"""Equities at hold'em, once all live hands are face up."""
