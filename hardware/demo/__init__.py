"""Demo tables: rendered pictures of a table from above, for use without a camera."""
