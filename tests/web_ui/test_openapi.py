"""The description of the API is a valid one, and describes every route of the application."""

from __future__ import annotations

import re
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

openapi_spec_validator = pytest.importorskip("openapi_spec_validator", reason="comes with the dev extra")


@pytest.fixture
def document(room: FlaskClient) -> dict[str, Any]:
    found: dict[str, Any] = room.get("/api/v1/openapi.json").get_json()
    return found


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
