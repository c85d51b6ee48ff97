"""The panel in ``companion run``: the table starts with the parts that work, and reports the others."""

import logging
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from companion.app.panel import start_panel
from companion.config.panel import PanelConfig
from companion.service.table_service import TableService
from companion.testing import INSTALLED, new_header
from hardware.panel.remote import SOCKET_NAME, MockPanelClient, NoSocket


@pytest.fixture
def service(tmp_path: Path) -> Iterator[TableService]:
    with TableService.open(tmp_path / "journal.db", new_header("roche", (("Ann", 100),)), INSTALLED) as found:
        yield found


def notices(service: TableService) -> list[str]:
    version = service.version
    service.submit({"do": "burn", "count": 1}, source="dealer")  # whatever was said before is written down by now
    service.wait(version, 2.0)
    return [notice["text"] for notice in service.glance()["notices"]]


def test_bad_pins_and_a_missing_display_leave_the_rest_running(
    service: TableService, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Unknown pin, pin used twice, display that is not there: each is told to the dealer, and buttons still count."""
    config = PanelConfig.model_validate(
        {"buttons": {"deal": 40, "play": 13}, "display": {"kind": "lcd", "bus": 29}, "lamp_test_s": 0}
    )
    with ExitStack() as stack, caplog.at_level(logging.INFO):
        assert start_panel(stack, "mock", config, service, tmp_path) is not None
        told = notices(service)
        assert any(text.startswith("The button DEAL is on GPIO40, which a Raspberry Pi does not have") for text in told)
        assert any(text.startswith("GPIO13 is given to the button PLAY and to the button FOLD") for text in told)
        assert any(text.startswith("The panel runs without its display. ") and "/dev/i2c-29" in text for text in told)
        assert "Panel: pins by mock; 4 buttons, 16 lines" in caplog.text
        client = MockPanelClient(tmp_path / SOCKET_NAME)
        version = service.version
        client.ask({"edges": [["next", True, 0.0], ["next", False, 0.08]]})
        service.wait(version, 3.0)
        assert client.ask({"lines": True})["lines"]["status/blue"]
        assert service.glance()["phase"] == "dealing"
        client.close()
    with pytest.raises(NoSocket, match="Start it with --panel mock"):
        MockPanelClient(tmp_path / SOCKET_NAME)


def test_without_pins_the_table_runs_on(service: TableService, tmp_path: Path) -> None:
    """With ``--panel gpio`` the dealer gets a notice; with ``auto`` it is only logged."""
    with ExitStack() as stack:
        if start_panel(stack, "auto", PanelConfig(), service, tmp_path) is not None:
            pytest.skip("this machine has pins")
        assert notices(service) == []
        assert start_panel(stack, "gpio", PanelConfig(), service, tmp_path) is None
        assert notices(service)[0].startswith("The table runs without its panel. lgpio ")


def test_none_is_none(service: TableService, tmp_path: Path) -> None:
    with ExitStack() as stack:
        assert start_panel(stack, "none", PanelConfig(), service, tmp_path) is None
