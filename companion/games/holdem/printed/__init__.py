"""Printed parts of hold'em: mat and dealer button."""
