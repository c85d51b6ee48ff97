"""``companion doctor`` tests the broker and the webhooks like the table would, and reports remedies."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from mosquitto import Mosquitto, free_port

from companion.cli import run_command_line as run

sys.path.insert(0, str(Path(__file__).parents[1] / "app" / "webhooks"))

from receiver import SECRET, Receiver


def examined(folder: Path, settings: str, capsys: pytest.CaptureFixture[str]) -> dict[str, list[tuple[str, str]]]:
    """Return status and text of each finding by its name."""
    (folder / "companion.toml").write_text(settings)
    run(["doctor", "--data", str(folder), "--json"])
    told: dict[str, Any] = json.loads(capsys.readouterr().out)
    found: dict[str, list[tuple[str, str]]] = {}
    for check in told["checks"]:
        found.setdefault(check["name"], []).append((check["status"], f"{check['text']} {check['mend']}".strip()))
    return found


def test_all_is_well(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    secret = tmp_path / "secret"
    secret.write_text(f"whsec_{SECRET}")
    secret.chmod(0o600)
    with Mosquitto(tmp_path) as broker, Receiver() as receiver:
        found = examined(tmp_path, f"""
            [mqtt]
            host = "127.0.0.1"
            port = {broker.port}
            tls = false
            [[webhooks]]
            url = "{receiver.url}"
            secret_file = "{secret}"
        """, capsys)  # fmt: skip
    assert found["MQTT"] == [("ok", f"127.0.0.1:{broker.port}, without TLS, accepts the table's messages")]
    assert found["webhook"] == [("ok", f"127.0.0.1:{receiver.port} accepts events")]
    assert "secrets" not in found


def test_all_is_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    secret = tmp_path / "secret"
    secret.write_text(f"whsec_{SECRET}")
    secret.chmod(0o644)
    port = free_port()
    found = examined(tmp_path, f"""
        [mqtt]
        host = "127.0.0.1"
        port = {port}
        [[webhooks]]
        url = "http://127.0.0.1:{port}/s3cret"
        secret_file = "{secret}"
    """, capsys)  # fmt: skip
    assert found["MQTT"] == [
        ("wrong", f"127.0.0.1 cannot be reached on port {port}: Connection refused. Check that the broker runs and "
                  "listens there."),
    ]  # fmt: skip
    assert found["webhook"][0][0] == "wrong"
    assert "s3cret" not in str(found)
    assert found["secrets"] == [("warning", f"Other users can read {secret}. Run: chmod 600 {secret}")]


def test_a_password_in_plain_text_is_warned_of(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    password = tmp_path / "password"
    password.write_text("s3cret")
    password.chmod(0o600)
    found = examined(tmp_path, f"""
        [mqtt]
        host = "broker.invalid"
        tls = false
        username = "table-1"
        password_file = "{password}"
    """, capsys)  # fmt: skip
    assert [status for status, _ in found["MQTT"]] == ["wrong", "warning"]
    assert found["MQTT"][1][1].startswith("The password is sent over the network in plain text.")


def test_without_the_extra_it_says_how_to_install_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("companion.app.integrations.wiring.has_mqtt", lambda: False)
    found = examined(tmp_path, '[mqtt]\nhost = "broker.lan"', capsys)
    assert found["MQTT"] == [
        ("wrong", f"The program for MQTT is not installed. Run: {sys.executable} -m pip install paho-mqtt"),
    ]  # fmt: skip


def test_a_table_that_tells_nobody_is_not_asked_about_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert not {"MQTT", "webhook", "secrets"} & set(examined(tmp_path, "", capsys))
