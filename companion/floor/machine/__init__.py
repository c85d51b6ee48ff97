"""What the floor stands on: database and broker are kept running, and looked at."""
