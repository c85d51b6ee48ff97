"""Ray-casts batches of random bowls on the training device."""
