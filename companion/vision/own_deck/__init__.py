"""A house's own ordinary deck: read by the corner index and the face, as they were shown once at enrollment."""
