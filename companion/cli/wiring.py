"""``companion wiring``: the configured panel's pin table and wiring diagram."""

import io
import json
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from companion.cli import JobFailed
from companion.cli.options import data_option, usual_config, with_games
from companion.config.file import load_config
from companion.config.panel import PanelConfig
from companion.plugins.registry import Games


@click.command(name="wiring")
@click.option(
    "--config", "config_file", type=click.Path(path_type=Path, dir_okay=False), help="Configuration file (TOML)."
)
@click.option(
    "--format",
    "kind",
    type=click.Choice(["text", "svg", "json"]),
    help="[default: from the extension of --out, else text]",
)
@click.option(
    "--out", type=click.Path(path_type=Path, dir_okay=False), help="File to write. [default: standard output]"
)
@data_option
@with_games
def command(games: Games, config_file: Path | None, kind: str | None, out: Path | None, data_dir: Path) -> int:
    """Print or draw the wiring of the panel's pins. Exit code 1 if the pin plan has a fault."""
    config, _ = load_config(config_file or usual_config(data_dir), games)
    kind = kind or _kind_of(out)
    if out is None:
        if kind == "text":
            _print_table(config.panel)
        else:
            click.echo(rendered(config.panel, kind), nl=False)
    else:
        _write(out, rendered(config.panel, kind))
        click.echo(f"Wrote {out}")
    return 1 if _faults(config.panel) else 0


def _kind_of(out: Path | None) -> str:
    suffix = "" if out is None else out.suffix.lower()
    return suffix[1:] if suffix in (".svg", ".json") else "text"


def _write(out: Path, text: str) -> None:
    try:
        out.write_text(text, encoding="utf-8")
    except OSError as error:
        raise JobFailed(f"{out} cannot be written: {error.strerror}. Choose another --out.") from error


def _faults(panel: PanelConfig) -> list[str]:
    from hardware.panel.pin_map import faults

    return [fault.text for fault in faults(panel)]


def rendered(panel: PanelConfig, kind: str) -> str:
    """Return the wiring as ``text``, ``svg`` or ``json``."""
    if kind == "svg":
        from hardware.panel.wiring_diagram import draw_wiring

        return draw_wiring(panel)
    if kind == "json":
        return json.dumps(as_json(panel), indent=2, ensure_ascii=False) + "\n"
    text = io.StringIO()
    _print_table(panel, Console(width=100, file=text, highlight=False))
    return text.getvalue()


def as_json(panel: PanelConfig) -> dict[str, object]:
    """Return the wiring as one JSON object."""
    from hardware.panel.pin_map import bus_pins, free_pins, usable_wires

    lines = usable_wires(panel)
    return {
        "lines": [
            {"line": w.line, "part": w.part, "gpio": w.pin, "header": w.header, "ohm": w.ohm, "ma": w.ma, "key": w.key}
            for w in lines
        ],
        "display": {what: pin for pin, what in bus_pins(panel).items()},
        "free": list(free_pins(lines, panel)),
        "faults": _faults(panel),
    }


def _print_table(panel: PanelConfig, console: Console | None = None) -> None:
    from hardware.panel.pin_map import HEADER_OF, bus_pins, free_pins, usable_wires

    lines = usable_wires(panel)
    table = Table(
        "part", "GPIO", "header pin", "resistor", "current", "set in", title="The panel's wires", title_justify="left"
    )
    for wire in lines:
        current = f"{wire.ma:.1f} mA" if wire.ma else ""
        table.add_row(wire.part, str(wire.pin), str(wire.header), f"{wire.ohm} Ω", current, wire.key)
    for pin, what in bus_pins(panel).items():
        table.add_row(what.removeprefix("the "), str(pin), str(HEADER_OF[pin]), "", "", "panel.display")
    console = console or Console(highlight=False)
    console.print(table)
    free = ", ".join(str(pin) for pin in free_pins(lines, panel))
    console.print(
        "The other end of every part is connected to ground: pins 6, 9, 14, 20, 25, 30, 34, 39.", soft_wrap=True
    )
    console.print(f"Free: GPIO {free or 'none'}.")
    total = sum(wire.ma for wire in lines)
    console.print(f"All lights together: {total:.0f} mA of the 50 mA that a Pi's pins may supply.")
    for fault in _faults(panel):
        console.print(f"WRONG  {fault}", soft_wrap=True)
