"""The game engine: cards, rules, ledger, odds and vision. Imports neither Flask nor gpiozero."""
