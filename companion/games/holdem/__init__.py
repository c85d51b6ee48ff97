"""Texas hold'em for the table companion."""
