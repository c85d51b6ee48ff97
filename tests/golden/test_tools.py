"""Unchanged outputs: command line, API description, edges on the setup page, glossary."""

import itertools
import json

import product
import pytest
from goldens import Goldens, check
from recorder import SCRIPTS

GAMES = (
    "blackjack",
    "captains",
    "chinchirorin",
    "holdem",
    "holdem-tournament",
    "king-of-roulette",
    "roche",
    "rochi",
    "roulette",
    "rugen-capital",
    "rugen-house",
    "rugen-street",
)
ODDS = {
    "roche": [
        *(["--layout", layout, "--option", f"deck={deck}", *seen]
          for layout in ("basic", "grand") for deck in ("full", "red") for seen in ([], ["--seen", "6D3,5N1,3D1,7N7"])),
        ["--seen", "3D1,3N1,3D2"],
        ["--option", 'paytable={"cut": {"6": "9:1"}}'],
        ["--option", "min=2", "--option", "max=50", "--option", "cap=500"],
    ],
    "chinchirorin": [
        [], ["--option", "score=0"], ["--option", "score=6", "--option", "out=1/50"], ["--option", "stakes=seed"],
    ],
    "roulette": [
        *(["--option", f"wheel={wheel}", "--option", f"zero_rule={rule}"]
          for wheel in ("european", "american") for rule in ("en-prison", "surrender", "none")),
        [],
    ],
    "rugen-house": [
        *(["--option", f"chain_day_night={own}", "--option", f"better_half={half}", *seen]
          for own in ("all", "own") for half in ("day", "night") for seen in ([], ["--seen", "3d,2n,4d"])),
        ["--option", "late_chain=true"],
    ],
    "rugen-street": [[], ["--option", "taken=1,3"], ["--option", "taken=1,3", "--seen", "3d"], ["--option", "taken=2"]],
    "rugen-capital": [
        [], ["--option", "schedule=high"], ["--option", "schedule=low", "--option", "taken=1,3"],
        ["--option", 'schedule={"house": [10, 6, 5, 4], "player": [8, 5, 4, 3]}'], ["--seen", "4d,4n"],
    ],
    "king-of-roulette": [
        [], *(["--option", f"players={n}", "--option", f"king={share}"] for n in (4, 7, 12) for share in ("0", "1/3")),
    ],
    "mistakes": [
        ["rochi"], ["poker"], ["roche", "--layout", "huge"], ["roche", "--option", "deck=blue"],
        ["roche", "--option", "deck"], ["roche", "--seen", "6D3,6D3"], ["roche", "--seen", "9D1"],
        ["roche", "--option", "min=x"], ["rugen-house", "--layout", "basic"], ["rugen-house", "--option", "deck=red"],
        ["rugen-house", "--seen", "5d"], ["rugen-street", "--option", "taken=7"], ["rugen-house", "--seen", "1d,1n"],
        ["chinchirorin", "--seen", "6"], ["chinchirorin", "--option", "score=7"], ["chinchirorin", "--option", "out=1"],
        ["chinchirorin", "--option", "stakes=high"], ["chinchirorin", "--option", "banker=x"],
        ["king-of-roulette", "--option", "players=3"], ["king-of-roulette", "--seen", "3"],
    ],
}  # fmt: skip
"""Game -> arguments of `companion odds`; those of ``mistakes`` include the game."""


def test_replay_comes_to_the_same_results(goldens):
    """One real process for all scripts; scripts that continue after a refusal are truncated there."""
    paths = [str(path) for path in SCRIPTS.values()]
    code, out, err = product.command_line_process("replay", *paths, "--json")
    assert code == 2, err
    assert len(err.splitlines()) == sum(json.loads(line)["error"] is not None for line in out.splitlines())
    found = []
    for (name, path), line in zip(SCRIPTS.items(), out.splitlines(), strict=True):
        found += goldens.differences(f"replay/{name}.jsonl", [json.loads(line), *_for_people(str(path), name)])
    check(found)


def _for_people(path: str, name: str) -> list[dict[str, object]]:
    code, out, err = product.command_line("replay", path)
    return [{"exit": code, "text": out.replace(path, name).splitlines(), "errors": err.replace(path, name)}]


@pytest.mark.parametrize("game", ODDS)
def test_odds_are_the_same(game, goldens):
    lines = []
    for arguments in ODDS[game]:
        asked = ["odds", *([] if game == "mistakes" else [game]), *arguments, "--json"]
        code, out, err = product.command_line(*asked)
        bets = {bet.pop("on"): bet for bet in json.loads(out)["bets"]} if code == 0 else None
        lines.append({"name": " ".join(asked), "exit": code, "bets": bets, "errors": err})
    check(goldens.differences(f"odds/{game}.jsonl", lines))


@pytest.mark.parametrize("game", GAMES)
def test_the_set_up_page_shows_the_same_edges(game, house, goldens):
    with house.table({"game": "roche", "players": [{"name": "Ann", "coins": 10}]}) as table:
        options = {key: [c["value"] for c in choices] for key, choices in
                   table.post("setup/edges", {"game": game, "options": {}})["choices"].items()}  # fmt: skip
        chosen = [dict(zip(options, values, strict=True)) for values in itertools.product(*options.values())]
        lines = [
            {"name": json.dumps(one), **table.post("setup/edges", {"game": game, "options": one})} for one in chosen
        ]
        lines.append({"name": "a mistake", **table.post("setup/edges", {"game": game, "options": {"deck": "blue"}})})
    check(goldens.differences(f"edges/{game}.jsonl", lines))


def test_the_api_is_described_as_before(house, goldens):
    with house.table({"game": "roche", "players": []}) as table:
        document = table.get("openapi.json")
    kept = [{"name": f"{part} {key}", "is": value} for part in ("paths", "components")
            for key, value in sorted(document[part].items())]  # fmt: skip
    rest = {key: value for key, value in document.items() if key not in ("paths", "components")}
    check(goldens.differences("openapi.jsonl", [{"name": "about", "is": rest}, *kept]))


def test_the_games_words_are_explained_as_before(house, goldens):
    with house.table({"game": "roche", "players": []}) as table:
        found = [
            goldens.differences(f"glossary/{game}.jsonl", table.get(f"glossary?game={game}")["terms"]) for game in GAMES
        ]
    check(*found)


MISUSES = [
    ("room", {"do": "bet", "player": "Ann", "on": "cut/6", "amount": 1}),
    ("seat/1", {"do": "bet", "player": "Bo", "on": "cut/6", "amount": 1}),
    ("seat/1", {"do": "deal", "card": "6D3"}),
    ("seat/1", {"do": "bet", "on": "cut/6", "amount": 1, "why": "no"}),
    ("dealer", {"do": "bet", "player": "Ann", "on": "cut/6", "amont": 1}),
    ("dealer", {"do": "fly"}),
    ("dealer", {"do": 7}),
    ("dealer", {}),
    ("dealer", {"do": "bet", "player": "Ann"}),
    ("dealer", {"do": "bet", "player": 3, "on": "cut/6", "amount": 1}),
    ("dealer", {"do": "undo", "only": 5}),
    ("dealer", {"do": "bet", "player": "Ann", "on": "cut/6", "amount": 1, "key": ""}),
    ("dealer", {"do": "hold", "key": "a"}),
    ("dealer", {"do": "hold", "key": "a"}),
    ("dealer", {"do": "release", "key": "a"}),
]


def test_misuse_of_the_api_is_refused_as_before(house, goldens: Goldens):
    with house.table({"game": "roche", "players": [{"name": "Ann", "coins": 9}, {"name": "Bo", "coins": 9}]}) as table:
        lines = [
            {"name": f"{viewer} {json.dumps(record)}", "answer": table.do(record, viewer)} for viewer, record in MISUSES
        ]
    check(goldens.differences("misuse.jsonl", lines))
