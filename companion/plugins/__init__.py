"""What a game brings to the table beside its rules, and where the installed games are found."""
