"""The dashboard: a Flask application over a table service."""
