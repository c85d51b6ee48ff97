"""Every command in README, SECURITY and the docs exists, with the options that are shown."""

import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from companion.cli import cli

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "SECURITY.md", *sorted((ROOT / "docs").glob("*.md"))]
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]+")
SIGNED = "companion day close"
"""What a day close's signature begins with: no command."""


def shown_commands(page: Path) -> Iterator[str]:
    """Yield a page's inline code, which may go over lines, and the lines of its code blocks without comments."""
    text = re.sub(r"^```(?!\n).*?^```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    yield from (re.sub(r"\s+", " ", code) for code in re.findall(r"(?<!`)`([^`]+)`(?!`)", text))
    blocks = re.findall(r"^```\n(.*?)^```|^((?: {4,}\S.*\n)+)", text, re.MULTILINE | re.DOTALL)
    for line in "\n".join("".join(block) for block in blocks).splitlines():
        yield re.split(r" #|  +", line.strip())[0]


def options_of(words: list[str]) -> set[str]:
    """Return the options of a command of `companion`.

    Raises:
        KeyError: there is no such command.
    """
    command: click.Command = cli
    context = click.Context(command)
    for word in words:
        if not isinstance(command, click.Group) or word.startswith("-"):
            break
        if (inner := command.get_command(context, word)) is None:
            if command is cli:
                raise KeyError(word)
            break
        command = inner
    return {"--help", "--version", *(option for param in command.params for option in param.opts)}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_of_the_program(page: Path) -> None:
    for shown in shown_commands(page):
        found = re.match(r"(?:sudo )?(?:\.venv/bin/)?companion (?P<rest>[a-z].*)", shown)
        if found is not None and shown != SIGNED:
            words = [word.partition("|")[0].rstrip("\\") for word in found["rest"].split()]
            assert set(OPTION.findall(found["rest"])) <= options_of(words), shown


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_benchmarks_and_tests(page: Path) -> None:
    for shown in shown_commands(page):
        for name in re.findall(r"(?<![\w/])tests/[\w/]+\.py", shown):
            if page.name != "adding-a-game.md":
                assert (ROOT / name).is_file(), shown
        if script := re.search(r"python (tests/bench/\w+\.py)(.*)", shown):
            source = (ROOT / script[1]).read_text(encoding="utf-8")
            assert all(f'"{option}"' in source for option in OPTION.findall(script[2])), shown


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_targets_of_make(page: Path) -> None:
    targets = set(re.findall(r"^([a-z-]+)(?: [a-z -]+)?:(?!=)", (ROOT / "Makefile").read_text(), re.MULTILINE))
    for shown in shown_commands(page):
        if found := re.match(r"(?:sudo )?make (?P<target>[a-z-]+)", shown):
            assert found["target"] in targets, shown
