"""The printed things of hold'em: a mat and a dealer button."""
