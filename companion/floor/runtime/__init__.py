"""Infrastructure of the floor: supervises and checks the database, the broker and worker processes."""
