"""What happens on the table: cards, rules, ledger, odds, vision. Imports neither Flask nor gpiozero."""
