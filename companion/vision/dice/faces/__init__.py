"""Recognition of a single die from a close crop: networks, pips and printed tags."""
