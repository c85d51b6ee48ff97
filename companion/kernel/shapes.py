"""What the shapes of JSON objects are made of: those that leave the process are `TypedDict`s beside the code that makes
them, named for what they show and ``Json``.

They are the source of the API's description (`web_ui.openapi`) and of the pages' type hints; the line below a field
is its description there.
"""

from __future__ import annotations

Words = str
"""A sentence, or a few words, for people."""
