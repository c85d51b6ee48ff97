"""Wall clock corrections, turn timers, and per-evening totals, all restored from the journal."""
