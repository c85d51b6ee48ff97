"""The dashboard: a Flask application on top of the table service, and a server for many event streams.

`create_app` builds the pages and the API around the objects it is given; nothing runs on import.
"""

from web_ui.access.store import AccessStore
from web_ui.app import create_app

__all__ = ["AccessStore", "create_app"]
