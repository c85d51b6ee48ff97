"""The floor's pages for people, and what its tables talk to. Imported by ``companion floor`` alone."""
