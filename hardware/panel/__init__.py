"""The dealer's panel: buttons, lamps, lights, buzzer and display, over gpiozero's swappable pins."""
