"""The description of the API is a valid one, and describes every route of the application."""

import json
import re
from typing import Any, Final

import pytest
from coin_toss import COIN_TOSS
from flask import Flask
from flask.testing import FlaskClient
from webclient import PIN, bearer, dealer_session

from companion.plugins.registry import Games
from web_ui import AccessStore
from web_ui.openapi.document import openapi, openapi_json

jsonschema = pytest.importorskip("jsonschema", reason="comes with the dev extra")
openapi_spec_validator = pytest.importorskip("openapi_spec_validator", reason="comes with the dev extra")


@pytest.fixture
def document(room: FlaskClient) -> dict[str, Any]:
    found: dict[str, Any] = room.get("/api/v1/openapi.json").get_json()
    return found


def test_the_description_is_written_once_for_everybody() -> None:
    """300 kB for each who asks: twenty of them kept the dealer waiting for 700 ms."""
    games = Games((COIN_TOSS,))
    assert openapi_json(games) is openapi_json(games)
    assert json.loads(openapi_json(games)) == json.loads(json.dumps(openapi(games)))


def shape(path: str) -> str:
    """``/seat/<int:seat>`` and ``/seat/{seat}`` are the same path."""
    return re.sub(r"<[^>]+>|\{[^}]+\}", "{}", path)


def test_the_description_is_valid_openapi_3_1(document: dict[str, Any]) -> None:
    assert document["openapi"].startswith("3.1")
    openapi_spec_validator.validate(document)


def test_every_route_and_verb_is_described_and_nothing_else(app: Flask, document: dict[str, Any]) -> None:
    served = {
        (shape(rule.rule), verb.lower())
        for rule in app.url_map.iter_rules()
        for verb in (rule.methods or set()) - {"HEAD", "OPTIONS"}
    }
    described = {(shape(path), verb) for path, verbs in document["paths"].items() for verb in verbs}
    assert served - described == set(), "routes that nobody described"
    assert described - served == set(), "descriptions of what there is not"


def test_every_operation_has_a_name_of_its_own_and_words(document: dict[str, Any]) -> None:
    operations = [one for verbs in document["paths"].values() for one in verbs.values()]
    names = [one["operationId"] for one in operations]
    assert len(set(names)) == len(names)
    assert all(one["summary"] for one in operations)


def test_every_refusal_of_the_api_is_a_problem(document: dict[str, Any]) -> None:
    for path, verbs in document["paths"].items():
        for operation in verbs.values():
            for status, answer in operation["responses"].items():
                if path.startswith("/api/") and status >= "400":
                    assert list(answer["content"]) == ["application/problem+json"], (path, status)


PART: Final = {"number": "3", "id": "1-1", "name": "abc", "what": "deck", "card": "AS"}
"""What stands in a path."""
PAGE_PART: Final = {"day": "2026-05-01", "what": "deck", "player": "Aubrey", "card": "6D3", "name": "css/base.css"}


def test_a_table_without_floor_setup_and_camera_answers_as_is_described(
    room: FlaskClient, document: dict[str, Any]
) -> None:
    """To the dealer, to somebody else, and to what is no object."""
    for path, verbs in document["paths"].items():
        if not path.startswith("/api/") or path.endswith(("stream", "spectators")):
            continue
        where = re.sub(r"{(\w+)}", lambda part: PART[part[1]], path)
        for verb, operation in verbs.items():
            for headers in (bearer(PIN), {}):
                for body in ({}, [], {"x": 1}, operation.get("requestBody", {}).get("content", {})):
                    told = {"json": body} if verb == "post" else {}
                    answer = room.open(where, method=verb, headers=headers, **told)
                    assert str(answer.status_code) in operation["responses"], (verb, path, body)


def test_a_page_answers_as_is_described(app: Flask, access: AccessStore, document: dict[str, Any]) -> None:
    """To the dealer and to somebody else, who send a form, JSON, or nothing."""
    app.config["WTF_CSRF_ENABLED"] = False
    undescribed = set()
    for path, verbs in document["paths"].items():
        if path.startswith(("/api/", "/static/")):
            continue
        where = re.sub(r"{(\w+)}", lambda part: PAGE_PART.get(part[1], "1"), path)
        for verb, operation in verbs.items():
            for is_dealer in (True, False):
                for told in ({}, {"data": {}}, {"json": {}}) if verb == "post" else ({},):
                    client = app.test_client()
                    with client.session_transaction() as cookie:
                        cookie.update(dealer=dealer_session(access)) if is_dealer else None
                    answer = client.open(where, method=verb, **told)
                    said = operation["responses"].get(str(answer.status_code))
                    is_done = answer.status_code == 200
                    if said is None or (is_done and answer.mimetype not in said.get("content", {})):
                        undescribed.add(f"{verb} {path} {answer.status_code} {answer.mimetype}")
    assert not undescribed, " | ".join(sorted(undescribed))


def valid(document: dict[str, Any], name: str, value: object) -> bool:
    whole = {"$ref": f"#/components/schemas/{name}", "components": document["components"]}
    jsonschema.Draft202012Validator(whole).validate(value)
    return True


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("state", "View"),
        ("events", "Events"),
        ("hands", "Hands"),
        ("hands/1-1", "HandInSteps"),
        ("glossary", "Glossary"),
    ],
)
def test_what_the_dealer_is_sent_is_as_described(
    room: FlaskClient, document: dict[str, Any], path: str, name: str
) -> None:
    play_a_round(room)
    sent = room.get(f"/api/v1/{path}", headers=bearer()).get_json()
    assert valid(document, name, sent)
    known = properties(document, name)
    assert set(sent) <= known, "keys that nobody described"
    with pytest.raises(jsonschema.ValidationError):
        valid(document, name, {key: value for key, value in sent.items() if key not in ("log", "next", "id", "terms")})


def properties(document: dict[str, Any], name: str) -> set[str]:
    schema = document["components"]["schemas"][name]
    parts = [schema, *schema.get("allOf", ())]
    parts += [choice for part in parts for choice in part.get("oneOf", ())]
    refs = [one["$ref"] for part in parts for one in (part, *part.get("allOf", ())) if "$ref" in one]
    found = {key for part in parts for key in part.get("properties", ())}
    return found.union(*(properties(document, ref.rpartition("/")[2]) for ref in refs))


def play_a_round(room: FlaskClient) -> None:
    for record in (
        {"do": "bet", "player": "Aubrey", "on": "cut/2", "amount": 5},
        {"do": "no-more-bets"},
        {"do": "deal", "card": "2D1"},
        {"do": "deal", "card": "2D2"},
    ):
        answer = room.post("/api/v1/commands", json=record, headers=bearer())
        assert answer.status_code == 200, answer.get_json()


@pytest.mark.thorough
def test_a_game_that_names_no_view_is_described_by_what_every_game_shows() -> None:
    document = json.loads(json.dumps(openapi(Games((COIN_TOSS,)))))
    _, of_game = document["components"]["schemas"]["View"]["allOf"]
    generic = {"properties": {"game": {"enum": ["coin-toss"]}}, "allOf": [{"$ref": "#/components/schemas/GameView"}]}
    assert of_game == {"oneOf": [generic]}
    openapi_spec_validator.validate(document)


def test_a_view_of_a_game_is_no_view_of_another(document: dict[str, Any], room: FlaskClient) -> None:
    view = room.get("/api/v1/state").get_json()
    with pytest.raises(jsonschema.ValidationError):
        valid(document, "View", view | {"game": "rochi"})


@pytest.mark.parametrize(
    ("verb", "path", "status", "code"),
    [
        ("get", "/api/v1/nothing", 404, "not-found"),
        ("post", "/api/v1/state", 405, "wrong-method"),
        ("get", "/api/v1/setup", 401, "not-logged-in"),
        ("post", "/api/v1/setup/settings", 401, "not-logged-in"),
        ("get", "/api/v1/events?after=x", 400, "bad-request"),
        ("get", "/api/v1/state?as=king", 400, "bad-request"),
        ("post", "/api/v1/commands", 415, "not-json"),
    ],
)
def test_what_is_refused_is_a_problem_with_a_code(
    room: FlaskClient, verb: str, path: str, status: int, code: str
) -> None:
    answer = getattr(room, verb)(path)
    assert (answer.status_code, answer.mimetype) == (status, "application/problem+json")
    assert answer.get_json()["code"] == code
