"""The outside world as the table needs it: cameras, the demo table, the dealer's panel."""
