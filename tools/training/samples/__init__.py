"""Renders random labeled samples: dice, other objects, tables, and the camera's effects."""
