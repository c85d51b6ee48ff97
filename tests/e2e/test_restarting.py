"""Whoever restarts the table on the owner's page is led back to it once it is there again, however long that takes."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from webclient import PIN
from webhouse import free_port

from companion.app.operations.backups import JobState
from companion.app.operations.house import HouseState
from companion.app.operations.update import Installed, InstallMethod
from companion.service.table_service import TableService
from companion.testing import INSTALLED, new_header
from web_ui import AccessStore, create_app
from web_ui.server import Server

pytestmark = pytest.mark.browser
SLOW_START_MS = 9000
"""Longer than a page waits that looks once."""
STATE = HouseState(
    is_safe=False, checked=None, meters={}, job=JobState(), files=[], away=None, is_away_there=False, pending=None,
    installed=Installed("1.2", datetime(2026, 5, 1, tzinfo=UTC).isoformat(), InstallMethod.RELEASE),
)  # fmt: skip


class Operations:
    """Can be asked for a restart; the test does it."""

    checked = None

    def state(self) -> HouseState:
        return STATE

    def restart(self, *, safe: bool) -> None:
        """The test closes the server."""


@pytest.mark.thorough
def test_a_slow_start_is_waited_for(tmp_path: Path, browse: Callable[..., Page]) -> None:
    access, port = AccessStore(tmp_path), free_port()
    access.set_pin(PIN)
    with TableService.open(tmp_path / "journal.db", new_header("roche"), INSTALLED) as service:

        def served() -> Server:
            return Server(create_app(service, access=access, operations=Operations()), "127.0.0.1", port)

        with served():
            page = browse(f"http://127.0.0.1:{port}/dealer/house", locale="en")
            page.get_by_label("PIN").fill(PIN)
            page.get_by_role("button", name="Log in").click()
            page.wait_for_url("**/dealer")
            page.goto(f"http://127.0.0.1:{port}/dealer/house")
            page.get_by_role("button", name="Restart the table").click()
            expect(page.get_by_role("heading", name="The table is restarting")).to_be_visible()
        page.wait_for_timeout(SLOW_START_MS)
        expect(page.get_by_role("heading", name="The table is restarting")).to_be_visible()
        with served():
            expect(page.get_by_role("heading", name="The house", level=1)).to_be_visible(timeout=30_000)
