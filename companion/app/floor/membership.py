"""A table's floor membership: the files in ``DATA/floor``, created by ``companion join``."""

import hashlib
import json
import os
import re
import ssl
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final, Self
from urllib.parse import urlsplit

from companion.app.floor.client import FloorClient
from companion.journal.durable import DAMAGED, write_private
from companion.journal.trust.proof import floor_witness
from companion.kernel.errors import CompanionError

FOLDER: Final = "floor"
_FILE: Final = "floor.json"
_KEY: Final = "table.pem"
AUTHORITY: Final = "authority.pem"
_FINGERPRINT: Final = re.compile(r"[0-9a-f]{64}")


class JoinFailed(CompanionError):
    """The table cannot join; the message says why."""


@dataclass(frozen=True, slots=True)
class Membership:
    """A table's floor and identity.

    Attributes:
        url: the floor's address.
        floor_key: public key of the floor's countersignatures.
    """

    folder: Path
    url: str
    table: int
    name: str
    floor_key: str

    @classmethod
    def of(cls, data_dir: Path) -> Self | None:
        """Return a table's membership; None if it has joined no floor.

        Raises:
            JoinFailed: the file is damaged or unreadable.
        """
        folder = data_dir / FOLDER
        try:
            told = json.loads((folder / _FILE).read_text(encoding="utf-8"))
            return cls(folder, str(told["url"]), int(told["table"]), str(told["name"]), str(told["floor_key"]))
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise JoinFailed(f"{folder / _FILE} cannot be read: {error.strerror}. Fix this, then try again.") from error
        except DAMAGED as error:
            raise JoinFailed(f"{folder / _FILE} is damaged. Join the floor again with a code from the pit.") from error

    def context(self) -> ssl.SSLContext:
        """Return the TLS context, which trusts only this floor and presents the table's certificate.

        Raises:
            JoinFailed: a file is missing or damaged.
        """
        try:
            context = ssl.create_default_context(cafile=self.folder / AUTHORITY)
            context.load_cert_chain(self.folder / _KEY)
        except (OSError, ssl.SSLError) as error:
            raise JoinFailed(
                f"The table's certificate in {self.folder} cannot be used ({error}). Join again."
            ) from error
        return context

    def client(self) -> FloorClient:
        """Return a connection to the floor."""
        return FloorClient(self.url, self.context())


@dataclass(frozen=True, slots=True)
class Address:
    """A join address: the floor's URL, its authority's fingerprint, and optionally the one-time code."""

    url: str
    fingerprint: str | None
    code: str | None

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse a join address.

        Raises:
            JoinFailed: invalid.

        >>> Address.parse("https://floor.local:8443#ABCDE." + "0" * 64).code
        'ABCDE'
        """
        where = urlsplit(text.strip())
        try:
            port = where.port or 443
        except ValueError:
            port = 0
        if where.scheme != "https" or not where.hostname or not port:
            raise JoinFailed(
                f"{text[:80]!r} is no floor's address. It begins with https://, as the pit's page shows it."
            )
        code, _, fingerprint = where.fragment.rpartition(".")
        if fingerprint and not _FINGERPRINT.fullmatch(fingerprint):
            raise JoinFailed("The address is cut off: its end, behind #, has the floor's fingerprint. Copy all of it.")
        return cls(f"https://{where.netloc}", fingerprint or None, code or None)

    def __str__(self) -> str:
        return f"{self.url}#{self.code or ''}.{self.fingerprint}"


def join(data_dir: Path, address: Address, code: str) -> Membership:
    """Exchange a one-time code for a certificate. The private key never leaves this machine.

    Raises:
        JoinFailed: the floor's fingerprint does not match the address.
        FloorUnreachable, FloorRefused: no response, or the code was rejected.
    """
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

    authority = _authority(address)
    context = ssl.create_default_context(cadata=authority)
    client = FloorClient(address.url, context)
    key = ec.generate_private_key(ec.SECP256R1())
    public = key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()
    told = client.post("/floor/v1/join", {"code": code, "key": public})
    client.close()
    folder = data_dir / FOLDER
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    write_private(folder / AUTHORITY, authority.encode())
    write_private(folder / _KEY, private + str(told["certificate"]).encode())
    member = Membership(folder, address.url, int(told["table"]), str(told["name"]), str(told["floor_key"]))
    _put_aside(floor_witness(data_dir))
    kept = {name: value for name, value in asdict(member).items() if name != "folder"}
    write_private(folder / _FILE, json.dumps(kept).encode())
    return member


def _authority(address: Address) -> str:
    """Return the certificate (PEM) of the floor's authority after verifying its fingerprint."""
    blind = ssl.create_default_context()
    blind.check_hostname = False
    blind.verify_mode = ssl.CERT_NONE  # safe: the fingerprint authenticates what is fetched
    client = FloorClient(address.url, blind)
    try:
        pem = str(client.get("/floor/v1/authority.json")["pem"])
        found = hashlib.sha256(ssl.PEM_cert_to_DER_cert(pem)).hexdigest()
    except ValueError as error:
        raise JoinFailed(f"{address.url} has no certificate of a floor.") from error
    finally:
        client.close()
    if address.fingerprint is None:
        raise JoinFailed(
            f"Whose floor is this? Its fingerprint is {found}. Compare that with what the floor shows, and "
            f"give it with the address: {address.url}#{found}"
        )
    if found != address.fingerprint:
        raise JoinFailed(
            f"{address.url} is not the floor of this address: its fingerprint is {found[:16]}…, not "
            f"{address.fingerprint[:16]}…. Somebody may stand in between. Nothing was sent."
        )
    return pem


def _put_aside(witness: Path) -> None:
    """Rename the file of heads countersigned by the previous floor."""
    if witness.exists():
        number = 1 + sum(1 for _ in witness.parent.glob(f"{witness.name}.*"))
        os.replace(witness, witness.with_name(f"{witness.name}.{number}"))
