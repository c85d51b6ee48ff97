"""The demo table: renders what a camera above a real Roche table would see, for a house without a camera."""

from __future__ import annotations
