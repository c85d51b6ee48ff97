"""What the shapes of JSON objects have in common.

A JSON object that leaves the process is a `TypedDict` beside the code that makes it, mostly called ``...Json``. The
shapes are the source of the API's description (`web_ui.openapi`) and of the pages' type hints
(`tools.browser_types`): a class's docstring, and the line below a field, are said there.
"""

from __future__ import annotations

Words = str
"""A sentence, or a few words, for people."""
