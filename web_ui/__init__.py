"""The dashboard: a Flask application over a table service, and the server that holds its many streams.

`create_app` builds the pages and the API around whatever it is given; nothing runs on import.
"""

from web_ui.access.store import AccessStore
from web_ui.app import create_app

__all__ = ["AccessStore", "create_app"]
