"""Panel wiring for ``companion run``: chooses the pin factory and starts the panel with the parts that work."""

from __future__ import annotations

import logging
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Final

from companion.config.panel import PanelConfig
from companion.kernel.messages import message
from companion.service.table_service import TableService

if TYPE_CHECKING:
    from hardware.panel.self_test import SelfTest

log = logging.getLogger("companion.run")

PANELS: Final = ("auto", "gpio", "mock", "none")


def start_panel(
    stack: ExitStack, wanted: str, config: PanelConfig, service: TableService, data_dir: Path
) -> SelfTest | None:
    """Start the panel; the stack closes it. Without GPIO pins, logs that and returns None.

    Args:
        wanted: ``auto`` uses GPIO pins if available; ``gpio`` also reports their absence as an error and a notice;
            ``mock`` uses simulated pins behind a socket in the data directory; ``none`` disables the panel.

    Returns:
        The self-test for the set-up page; None without a panel.
    """
    if wanted == "none":
        return None
    from hardware.panel.board import Pins
    from hardware.panel.displays import AsyncDisplay, NoDisplay, open_display
    from hardware.panel.factories import NoPins, describe, open_factory
    from hardware.panel.mock import MockPins
    from hardware.panel.panel import SOURCE, Panel
    from hardware.panel.remote import SOCKET_NAME, MockPanel, MockPanelServer
    from hardware.panel.self_test import SelfTest

    try:
        factory, name = (MockPins(), "mock") if wanted == "mock" else open_factory(config.factory, config.chip)
    except NoPins as error:
        log.log(logging.ERROR if wanted == "gpio" else logging.INFO, "No panel: %s", error)
        if wanted == "gpio":
            service.notice(message("The table runs without its panel. {error}", error=error.message), source=SOURCE)
        return None
    board = Pins(config, factory)
    log.info("Panel: pins by %s; %d buttons, %d lines", describe(factory, name), len(board.buttons), len(board.lines))

    def report_trouble(text: str) -> None:
        log.error("%s", text)
        service.notice(text, source=SOURCE)

    display = None
    try:
        display = open_display(config.display)
    except NoDisplay as error:
        report_trouble(message("The panel runs without its display. {error}", error=error.message))
    self_test = SelfTest(board)
    panel = Panel(
        service,
        self_test,
        config,
        display=None if display is None else AsyncDisplay(display, on_trouble=report_trouble),
    )
    stack.enter_context(panel).start()
    if isinstance(factory, MockPins):
        socket = data_dir / SOCKET_NAME
        stack.enter_context(MockPanelServer(MockPanel(factory, config), socket))
        log.info("The mock panel listens on %s", socket)
    return self_test
