"""The table's certificates: created once, renewed in time and for new addresses, and limited to home networks."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

from web_ui.https.authority import LASTS, RENEWED_BEFORE, Authority, CertificateUnusable
from web_ui.https.certificates import Certificates

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
NAMES = ("table", "table.local", "localhost")


class Clock:
    def __init__(self, now: datetime = NOON) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now


def opened(folder: Path, clock: Clock, names: tuple[str, ...] = NAMES) -> Certificates:
    return Certificates(folder, names, ("127.0.0.1", "192.168.1.5"), clock)


def certificate(folder: Path) -> x509.Certificate:
    return x509.load_pem_x509_certificate((folder / "https" / "table.pem").read_bytes())


def hosts(folder: Path) -> set[str]:
    named = certificate(folder).extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    return {*named.get_values_for_type(x509.DNSName), *map(str, named.get_values_for_type(x509.IPAddress))}


def test_a_second_start_keeps_both_certificates(tmp_path: Path) -> None:
    first = opened(tmp_path, Clock()).authority.fingerprint
    serial = certificate(tmp_path).serial_number
    assert opened(tmp_path, Clock(NOON + timedelta(days=5))).authority.fingerprint == first
    assert certificate(tmp_path).serial_number == serial
    assert hosts(tmp_path) == {*NAMES, "127.0.0.1", "192.168.1.5"}


def test_it_is_renewed_before_it_ends_while_the_table_runs(tmp_path: Path) -> None:
    clock = Clock()
    running = opened(tmp_path, clock)
    serial, authority = certificate(tmp_path).serial_number, running.authority.der
    clock.now += LASTS - RENEWED_BEFORE - timedelta(seconds=1)
    running.context("192.168.1.5")
    assert certificate(tmp_path).serial_number == serial
    clock.now += timedelta(seconds=1)
    running.context("192.168.1.5")
    assert certificate(tmp_path).serial_number != serial
    assert certificate(tmp_path).not_valid_after_utc == clock.now + LASTS
    assert running.authority.der == authority


def test_a_clock_that_was_set_back_gets_one_that_is_valid(tmp_path: Path) -> None:
    clock = Clock()
    running = opened(tmp_path, clock)
    clock.now = datetime(1970, 1, 1, 0, 5, tzinfo=UTC)
    running._not_again_before = clock.now
    running.context("127.0.0.1")
    assert certificate(tmp_path).not_valid_before_utc < clock.now < certificate(tmp_path).not_valid_after_utc


def test_a_new_address_is_added_when_somebody_connects_to_it(tmp_path: Path) -> None:
    running = opened(tmp_path, Clock())
    running.context("::ffff:10.0.0.7")
    assert hosts(tmp_path) == {*NAMES, "127.0.0.1", "192.168.1.5", "10.0.0.7"}
    serial = certificate(tmp_path).serial_number
    running.context("10.0.0.7")
    running.context("198.51.100.7")  # in the internet: the authority may not vouch for it
    assert certificate(tmp_path).serial_number == serial


def test_the_authority_vouches_for_home_networks_and_configured_names_only(tmp_path: Path) -> None:
    authority = Authority(tmp_path, ("table", "cards.example", "198.51.100.7"), NOON)
    assert all(
        map(
            authority.may_vouch_for, ("table", "table.local", "cards.example", "192.168.0.9", "fe80::1", "198.51.100.7")
        )
    )
    assert not any(map(authority.may_vouch_for, ("bank.example", "8.8.8.8", "xtable", "a..local", "2001:db8::1")))
    limits = x509.load_der_x509_certificate(authority.der).extensions.get_extension_for_class(x509.NameConstraints)
    assert limits.critical


def test_the_keys_are_their_owners_alone(tmp_path: Path) -> None:
    opened(tmp_path, Clock())
    modes = {path.name: path.stat().st_mode & 0o777 for path in (tmp_path / "https").iterdir()}
    assert modes["authority.key"] == modes["table.pem"] == 0o600
    assert (tmp_path / "https").stat().st_mode & 0o777 == 0o700


def test_one_that_another_authority_gave_is_replaced(tmp_path: Path) -> None:
    opened(tmp_path, Clock())
    for name in ("authority.pem", "authority.key"):
        (tmp_path / "https" / name).unlink()
    again = opened(tmp_path, Clock())
    certificate(tmp_path).verify_directly_issued_by(x509.load_der_x509_certificate(again.authority.der))


@pytest.mark.parametrize("name", ["authority.pem", "authority.key"])
def test_damaged_files_are_named_and_nothing_is_made_anew(tmp_path: Path, name: str) -> None:
    opened(tmp_path, Clock())
    (tmp_path / "https" / name).write_bytes(b"gone")
    with pytest.raises(CertificateUnusable, match="are damaged"):
        opened(tmp_path, Clock())
    assert (tmp_path / "https" / name).read_bytes() == b"gone"


def test_a_disk_that_takes_nothing_leaves_the_old_one_in_use(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock()
    running = opened(tmp_path, clock)
    serial = certificate(tmp_path).serial_number

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("web_ui.https.authority.write_private", full)
    clock.now += LASTS - RENEWED_BEFORE
    running.context("127.0.0.1")
    monkeypatch.undo()
    assert certificate(tmp_path).serial_number == serial
    running.context("127.0.0.1")
    assert certificate(tmp_path).serial_number == serial, "not tried at every connection"
    clock.now += timedelta(minutes=1)
    running.context("127.0.0.1")
    assert certificate(tmp_path).serial_number != serial


def test_a_client_that_was_vouched_for_by_a_clock_that_was_ahead_gets_in_once_it_is_set_right(tmp_path: Path) -> None:
    """A table that joins a floor with its clock a year ahead is not locked out for that year."""
    authority = Authority(tmp_path, (), NOON)
    key = ec.generate_private_key(ec.SECP256R1()).public_key()
    pem = key.public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    for now in (NOON + timedelta(days=365), NOON, NOON - timedelta(days=9000)):
        made = authority.vouch_for_client("Table 1", pem, now)
        assert made.not_valid_before_utc < min(now, NOON)
        assert made.not_valid_after_utc > NOON + timedelta(days=3000)
