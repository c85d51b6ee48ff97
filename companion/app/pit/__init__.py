"""What the floor tells people who do not look at its page: phones by Web Push, and the house's MQTT broker."""
