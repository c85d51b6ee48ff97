"""Web server of the floor: pages for staff, and the API of its tables. Imported only by ``companion floor``."""
