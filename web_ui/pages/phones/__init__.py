"""Requests of phones other than pages."""
