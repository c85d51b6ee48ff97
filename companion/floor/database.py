"""How the floor's parts come by its database."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

from psycopg import Connection

Connect = Callable[[], AbstractContextManager[Connection[Any]]]
"""Lends a connection."""
