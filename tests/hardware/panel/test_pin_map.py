"""The wiring plan: exact error messages, independence of the other parts, and the wiring diagram."""

import json
import re
import shutil
import subprocess
import xml.etree.ElementTree as ET
from pathlib import Path

import cv2
import pytest

from companion.cli import run_command_line as run
from companion.config.panel import ButtonPins, BuzzerPin, DisplayConfig, LampPins, PanelConfig, SuitPins
from hardware.panel.pin_map import HEADER_OF, bus_pins, faults, free_pins, usable_wires, wires
from hardware.panel.wiring_diagram import draw_wiring


def test_the_default_plan_has_no_fault() -> None:
    """22 lines on separate pins, with less total current than a Pi's pins may supply."""
    plan = wires(PanelConfig())
    assert faults(PanelConfig()) == ()
    assert len(plan) == 22
    assert len({wire.pin for wire in plan}) == 22
    assert sum(wire.ma for wire in plan) <= 50


@pytest.mark.parametrize(
    ("config", "text"),
    [
        (
            PanelConfig(buttons=ButtonPins(deal=40)),
            "The button DEAL is on GPIO40, which a Raspberry Pi does not have, and is left out. "
            "Choose a pin from 2 to 27 for panel.buttons.deal.",
        ),
        (
            PanelConfig(lamps=LampPins(play=1)),
            "The lamp PLAY is on GPIO1, which belongs to the HAT's memory, and is left out. "
            "Choose a pin from 2 to 27 for panel.lamps.play.",
        ),
        (
            PanelConfig(buttons=ButtonPins(play=13)),
            "GPIO13 is given to the button PLAY and to the button FOLD, which is left out. "
            "Choose another pin for panel.buttons.fold, or false for none.",
        ),
        (
            PanelConfig(suits=SuitPins(kin=2), display=DisplayConfig(kind="lcd")),
            "GPIO2 is given to the display's SDA and to the light Kin, which is left out. "
            "Choose another pin for panel.suits.kin, or false for none.",
        ),
    ],
)
def test_a_fault_is_told_exactly_and_only_that_part_is_left_out(config: PanelConfig, text: str) -> None:
    found = faults(config)
    assert [fault.text for fault in found] == [text]
    assert len(usable_wires(config)) == 21
    assert found[0].line not in {wire.line for wire in usable_wires(config)}


def test_a_part_that_is_not_there_is_no_fault() -> None:
    config = PanelConfig.model_validate({"buzzer": {"pin": False}})
    assert config.buzzer == BuzzerPin(pin=None)
    assert faults(config) == ()
    assert "buzzer" not in {wire.line for wire in usable_wires(config)}


def test_free_pins_are_those_that_nothing_uses() -> None:
    assert free_pins(usable_wires(PanelConfig()), PanelConfig()) == (2, 3, 14, 15)
    lcd = PanelConfig(display=DisplayConfig(kind="lcd"))
    assert bus_pins(lcd) == {2: "the display's SDA", 3: "the display's SCL"}
    assert free_pins(usable_wires(lcd), lcd) == (14, 15)


def test_the_header_has_each_place_once() -> None:
    assert len(set(HEADER_OF.values())) == len(HEADER_OF) == 28


def test_the_picture_shows_every_part_with_its_pin() -> None:
    """Valid SVG with every part's name, GPIO and header position."""
    text = draw_wiring(PanelConfig())
    words = " ".join(ET.fromstring(text).itertext())
    for wire in wires(PanelConfig()):
        assert f"GPIO{wire.pin} · pin {wire.header}" in words
    assert "Ground: pins 6, 9, 14, 20, 25, 30, 34, 39" in words


def test_the_picture_names_what_is_left_out() -> None:
    words = " ".join(ET.fromstring(draw_wiring(PanelConfig(buttons=ButtonPins(deal=40)))).itertext())
    assert "GPIO40" in words


@pytest.mark.thorough
@pytest.mark.browser
def test_the_picture_can_be_drawn_by_a_browser(tmp_path: Path) -> None:
    """Rendered to pixels, wires from both sides reach the header, and nothing is cropped."""
    browser = shutil.which("chromium")
    assert browser is not None, "install Debian's chromium"
    (tmp_path / "wiring.svg").write_text(draw_wiring(PanelConfig()), encoding="utf-8")
    shot = tmp_path / "wiring.png"
    subprocess.run(
        [browser, "--headless", "--no-sandbox", "--disable-gpu", f"--screenshot={shot}", "--window-size=1200,1000",
         (tmp_path / "wiring.svg").as_uri()],
        check=True, capture_output=True, timeout=60,
    )  # fmt: skip
    image = cv2.imread(str(shot))
    board = cv2.inRange(image, (60, 95, 25), (85, 120, 45))  # the header's green
    ys, xs = board.nonzero()
    assert xs.max() - xs.min() > 150
    assert ys.max() - ys.min() > 500
    paper = image[5, 5]
    drawing = image[:990, :1190]
    assert (drawing[:, :20] == paper).all(), "something is cut off at the left edge"


# ---- companion wiring


def test_the_command_prints_the_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["wiring", "--data", str(tmp_path)]) == 0
    text = capsys.readouterr().out
    assert re.search(r"button DEAL\W+5\W+29\W+1000 Ω", text)
    assert "Free: GPIO 2, 3, 14, 15." in text


def test_the_command_tells_a_fault_and_ends_with_1(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "companion.toml").write_text("[panel.buttons]\ndeal = 40\n")
    assert run(["wiring", "--data", str(tmp_path)]) == 1
    assert "WRONG  The button DEAL is on GPIO40" in capsys.readouterr().out


def test_the_format_goes_by_the_files_name(tmp_path: Path) -> None:
    for name in ("wires.svg", "wires.json"):
        assert run(["wiring", "--data", str(tmp_path), "--out", str(tmp_path / name)]) == 0
    assert ET.parse(tmp_path / "wires.svg").getroot().tag.endswith("svg")
    assert len(json.loads((tmp_path / "wires.json").read_text())["lines"]) == 22


def test_the_ground_rail_lies_below_the_board_even_with_few_parts() -> None:
    """The board is as high as eleven rows of parts; with fewer rows the rail must not cross it."""
    few = PanelConfig.model_validate(
        {"lamps": dict.fromkeys(("deal", "play", "fold", "undo", "next", "hold"), False), "buzzer": {"pin": False}}
    )
    rects = [e for e in ET.fromstring(draw_wiring(few)).iter() if e.tag.endswith("rect")]
    board = next(e for e in rects if e.get("width") == "184")
    pill = next(e for e in rects if e.get("width") == "300")
    assert float(pill.get("y", 0)) > float(board.get("y", 0)) + float(board.get("height", 0))
