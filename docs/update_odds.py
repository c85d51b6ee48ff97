"""Write the tables of odds.md anew: run every command that stands in a ``<!-- $ companion … -->`` line.

Run: python docs/update_odds.py
"""

import re
import shlex
import subprocess
import sys
from pathlib import Path

PAGE = Path(__file__).with_name("odds.md")
BLOCK = re.compile(r"(?P<mark><!-- \$ companion (?P<command>[^\n]+) -->\n).*?(?P<end><!-- end -->)", re.DOTALL)


def output(command: str) -> str:
    """Return what `companion COMMAND` prints."""
    argv = [sys.executable, "-m", "companion", *shlex.split(command)]
    return subprocess.run(argv, check=True, capture_output=True, text=True, encoding="utf-8").stdout


def updated(page: str) -> str:
    """Return the page with every table printed afresh."""
    return BLOCK.sub(lambda found: f"{found['mark']}\n{output(found['command'])}\n{found['end']}", page)


if __name__ == "__main__":
    PAGE.write_text(updated(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
