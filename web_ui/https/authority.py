"""The table's own certificate authority (CA), and the certificate that it issues to the table.

Created at the first start, in ``DATA/https``: ``authority.pem`` is the CA certificate that phones are asked to trust,
``authority.key`` its key, ``table.pem`` the table's certificate and key. Name constraints limit the CA to names and
addresses of home networks, so that a stolen key is useless elsewhere.
"""

import hashlib
import ipaddress
import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from companion.journal.durable import write_private
from companion.kernel.errors import CompanionError

FOLDER: Final = "https"
AUTHORITY_LASTS: Final = timedelta(days=3650)
LASTS: Final = timedelta(days=90)
RENEWED_BEFORE: Final = timedelta(days=30)
_EARLIER: Final = timedelta(days=1)  # clocks differ
_AT_LEAST: Final = datetime(2026, 1, 1, tzinfo=UTC)  # a machine without a battery-backed clock may start in 1970
_NETWORKS: Final = (
    "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16", "100.64.0.0/10", "127.0.0.0/8",
    "fc00::/7", "fe80::/10", "::1/128",
)  # fmt: skip
_DOMAINS: Final = ("local", "lan", "home", "home.arpa", "internal", "localdomain", "fritz.box", "localhost")
_HOST: Final = re.compile(r"[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*")

Host = str
"""A host name or an address, as text."""


class CertificateUnusable(CompanionError):
    """The CA's files cannot be read or written; the message says what to do."""


@dataclass(frozen=True, slots=True)
class Issued:
    """The table's certificate: its file (with the key), its hosts and its validity."""

    path: Path
    hosts: frozenset[Host]
    begins: datetime
    ends: datetime

    def is_due(self, now: datetime) -> bool:
        """Whether renewal is due: it expires soon, or is not valid yet by the current clock."""
        return not self.begins <= now < self.ends - RENEWED_BEFORE


class Authority:
    """The certificate authority.

    Args:
        folder: the folder of its files; created if missing.
        names: configured names and the machine's addresses; if the CA is created now, these are permitted, too.

    Raises:
        CertificateUnusable: the files are damaged, or cannot be written.
    """

    def __init__(self, folder: Path, names: Iterable[Host], now: datetime) -> None:
        self.folder = folder
        self.path: Final = folder / "authority.pem"
        "The CA certificate."
        self._key_path = folder / "authority.key"
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            if not self.path.exists():
                self._make(sorted(names), now)
            self._certificate = x509.load_pem_x509_certificate(self.path.read_bytes())
            key = serialization.load_pem_private_key(self._key_path.read_bytes(), None)
        except OSError as error:
            raise CertificateUnusable(
                f"The certificates in {folder} cannot be used: {error.strerror}. Fix this, or set `https = false` in "
                "`[web]`."
            ) from error
        except ValueError as error:
            raise _damaged(folder) from error
        if not isinstance(key, ec.EllipticCurvePrivateKey) or key.public_key() != self._certificate.public_key():
            raise _damaged(folder)
        self._key = key

    @property
    def der(self) -> bytes:
        """The CA certificate in DER format."""
        return self._certificate.public_bytes(serialization.Encoding.DER)

    @property
    def fingerprint(self) -> str:
        """The CA certificate's SHA-256 fingerprint, for people to compare."""
        digest = hashlib.sha256(self.der).hexdigest().upper()
        return ":".join(digest[at : at + 2] for at in range(0, len(digest), 2))

    def issued(self) -> Issued | None:
        """Return the table's existing certificate; None if there is none issued by this CA."""
        path = self.folder / "table.pem"
        try:
            found = x509.load_pem_x509_certificate(path.read_bytes())
            found.verify_directly_issued_by(self._certificate)
            named = found.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
        except Exception:  # missing, damaged, or from another CA: a new one is issued
            return None
        addresses = map(str, named.get_values_for_type(x509.IPAddress))
        hosts = frozenset((*named.get_values_for_type(x509.DNSName), *addresses))
        return Issued(path, hosts, found.not_valid_before_utc, found.not_valid_after_utc)

    def issue(self, hosts: Iterable[Host], now: datetime) -> Issued:
        """Issue a certificate to the table for the permitted ones among these names and addresses.

        Raises:
            OSError: it cannot be written.
        """
        named = frozenset(host for host in map(plain_address, hosts) if self.may_vouch_for(host))
        begins, ends = now - _EARLIER, now + LASTS
        key = ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Table companion")])
        certificate = (
            _begun(subject, self._certificate.subject, key.public_key(), begins, ends)
            .add_extension(x509.SubjectAlternativeName([_general(host) for host in sorted(named)]), critical=False)
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
            .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(self._key.public_key()), critical=False)
            .sign(self._key, hashes.SHA256())
        )
        path = self.folder / "table.pem"
        write_private(path, _private(key) + certificate.public_bytes(serialization.Encoding.PEM))
        return Issued(path, named, certificate.not_valid_before_utc, certificate.not_valid_after_utc)

    def vouch_for_client(self, name: str, key: bytes, now: datetime) -> x509.Certificate:
        """Issue a client certificate. It expires with the CA's: servers keep a list of accepted clients.

        Its validity also starts with the CA's, so that it is not too late if the clock is ahead now and corrected
        later.

        Args:
            name: the client's name; with a space, so that no library mistakes it for a host name.
            key: the client's public key, PEM.

        Raises:
            ValueError: not a public key on the curve P-256.
        """
        public = serialization.load_pem_public_key(key)
        if not isinstance(public, ec.EllipticCurvePublicKey) or not isinstance(public.curve, ec.SECP256R1):
            raise ValueError("a client's key is one on the curve P-256")
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        begins, ends = self._certificate.not_valid_before_utc, self._certificate.not_valid_after_utc
        return (
            _begun(subject, self._certificate.subject, public, min(begins, now - _EARLIER), ends)
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.CLIENT_AUTH]), critical=False)
            .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(self._key.public_key()), critical=False)
            .sign(self._key, hashes.SHA256())
        )

    def may_vouch_for(self, host: Host) -> bool:
        """Whether the CA's name constraints permit a name or address."""
        limits = self._certificate.extensions.get_extension_for_class(x509.NameConstraints).value.permitted_subtrees
        try:
            address = ipaddress.ip_address(host)
        except ValueError:
            domains = [one.value for one in limits or () if isinstance(one, x509.DNSName)]
            is_name = _HOST.fullmatch(host) is not None
            return is_name and any(host == domain or host.endswith(f".{domain}") for domain in domains)
        values = [one.value for one in limits or () if isinstance(one, x509.IPAddress)]
        return any(address in one for one in values if isinstance(one, ipaddress.IPv4Network | ipaddress.IPv6Network))

    def _make(self, names: list[Host], now: datetime) -> None:
        key = ec.generate_private_key(ec.SECP256R1())
        shown = f"Table companion {hashlib.sha256(_public(key)).hexdigest()[:6]}"
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, shown)])
        domains = [x509.DNSName(one) for one in dict.fromkeys((*_DOMAINS, *names)) if _is_domain(one)]
        own = [one for one in map(_network, names) if one is not None]
        networks = [x509.IPAddress(one) for one in dict.fromkeys((*map(ipaddress.ip_network, _NETWORKS), *own))]
        begins = min(now, _AT_LEAST) - _EARLIER
        certificate = (
            _begun(subject, subject, key.public_key(), begins, max(now, _AT_LEAST) + AUTHORITY_LASTS)
            .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
            .add_extension(x509.NameConstraints([*domains, *networks], None), critical=True)
            .add_extension(
                x509.KeyUsage(
                    digital_signature=False, content_commitment=False, key_encipherment=False, data_encipherment=False,
                    key_agreement=False, key_cert_sign=True, crl_sign=True, encipher_only=False, decipher_only=False,
                ),
                critical=True,
            )
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
            .sign(key, hashes.SHA256())
        )  # fmt: skip
        write_private(self._key_path, _private(key))
        write_private(self.path, certificate.public_bytes(serialization.Encoding.PEM))


def plain_address(host: Host) -> Host:
    """Normalize a host: without scope ID, IPv4-mapped addresses as IPv4, in lower case.

    >>> [plain_address(host) for host in ("fe80::1%eth0", "::ffff:192.168.1.5", "Table.local")]
    ['fe80::1', '192.168.1.5', 'table.local']
    """
    return host.partition("%")[0].removeprefix("::ffff:").lower()


def _begun(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePublicKey, begins: datetime, ends: datetime
) -> x509.CertificateBuilder:
    builder = x509.CertificateBuilder().subject_name(subject).issuer_name(issuer).public_key(key)
    return builder.serial_number(x509.random_serial_number()).not_valid_before(begins).not_valid_after(ends)


def _general(host: Host) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(host))
    except ValueError:
        return x509.DNSName(host)


def _network(host: Host) -> ipaddress.IPv4Network | ipaddress.IPv6Network | None:
    """Return the network of a single address; None for a name."""
    try:
        return ipaddress.ip_network(host)
    except ValueError:
        return None


def _is_domain(name: Host) -> bool:
    return _HOST.fullmatch(name) is not None and not re.fullmatch(r"[0-9.]+", name)


def _private(key: ec.EllipticCurvePrivateKey) -> bytes:
    pem, pkcs8 = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8
    return key.private_bytes(pem, pkcs8, serialization.NoEncryption())


def _public(key: ec.EllipticCurvePrivateKey) -> bytes:
    point = serialization.PublicFormat.UncompressedPoint
    return key.public_key().public_bytes(serialization.Encoding.X962, point)


def _damaged(folder: Path) -> CertificateUnusable:
    return CertificateUnusable(
        f"The certificates in {folder} are damaged. Bring them back from a backup; or delete the folder, and every "
        "phone has to trust the new ones."
    )
