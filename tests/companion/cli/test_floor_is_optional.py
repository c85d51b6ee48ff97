"""A single table needs neither PostgreSQL nor its driver."""

import subprocess
import sys

import pytest

from companion.cli import run_command_line

_PROGRAM = """
import sys

class Refuse:
    def find_spec(self, name, path=None, target=None):
        top = name.partition(".")[0]
        if top in ("psycopg", "psycopg_pool", "psycopg_binary") or name.startswith("companion.floor"):
            raise ImportError(name)

sys.meta_path.insert(0, Refuse())
import companion.cli.run, companion.cli.floor.join
import companion.app.game_rig, companion.app.setup.wiring, companion.app.operations.housekeeper
import companion.app.floor.wiring, companion.app.floor.membership
import web_ui, web_ui.server, web_ui.app, web_ui.https.trust
print("imported")
"""


def test_the_table_and_its_link_to_a_floor_import_no_database():
    done = subprocess.run([sys.executable, "-c", _PROGRAM], capture_output=True, text=True, check=False)
    assert done.stdout == "imported\n", done.stderr


def test_without_its_extra_the_floor_says_what_to_install():
    program = (
        "import sys; sys.modules['psycopg'] = None\n"
        "from companion.__main__ import main\nmain(['floor', '--data', '/nonexistent/floor'])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "pip install 'table-companion[floor]'" in done.stderr


@pytest.mark.parametrize("argv", [("code", "Table 1"), ("person", "Pat", "--role=pit", "--pin=4711"), ("backup", "B")])
def test_where_there_is_no_floor_every_command_says_so(argv, tmp_path, capsys):
    """A newcomer who asked for a code first read only "No such file or directory"."""
    assert run_command_line(["floor", "--data", str(tmp_path / "none"), *argv]) == 1
    assert "There is no floor in" in capsys.readouterr().err
