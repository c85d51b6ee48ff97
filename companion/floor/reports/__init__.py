"""What the chains come to: results entry by entry with what was to be expected, and reports of them."""
