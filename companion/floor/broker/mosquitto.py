"""The floor's private mosquitto, in its data directory: TLS with the floor's certificate, one password per client.

No persistence: clients republish their state when they reconnect, so nothing stale is retained.
"""

import os
import pwd
import shutil
import signal
import socket
import subprocess
import time
from contextlib import suppress
from pathlib import Path
from typing import Final

from companion.floor.broker.access import ACCESS_LIST
from companion.journal.durable import write_private
from companion.kernel.errors import CompanionError

PORT: Final = 8883
_PLACES: Final = "/usr/sbin:/usr/local/sbin:/usr/bin"
_ROOTS_USER: Final = "mosquitto"
_START_S: Final = 10.0
_STOP_S: Final = 5.0
_SETTINGS: Final = """\
# Made by the floor: changes here are lost.
listener {port}{host}
certfile {folder}/certificate.pem
keyfile {folder}/certificate.pem
tls_version tlsv1.2
allow_anonymous false
password_file {folder}/passwords
acl_file {folder}/access
persistence false
max_queued_messages 1000
max_packet_size 65536
log_dest stderr
log_type error
log_type warning
"""


class BrokerUnusable(CompanionError):
    """mosquitto is not installed or does not start; the message says what to do."""


def find_mosquitto() -> str:
    """Return the path of the program.

    Raises:
        BrokerUnusable: mosquitto is not installed.
    """
    found = shutil.which("mosquitto", path=f"{os.environ.get('PATH', '')}:{_PLACES}")
    if found is None:
        raise BrokerUnusable("mosquitto is not installed. Install it: sudo apt install mosquitto.")
    return found


class Mosquitto:
    """The broker's process and files. Not thread-safe.

    Args:
        folder: contains all of its files.
        certificate: the floor's certificate and key, which the broker uses, too.
        host: address to listen on.
        port: 0 chooses a free one at the first start.
    """

    def __init__(self, folder: Path, certificate: Path, host: str, port: int) -> None:
        self.folder = folder
        self._certificate, self._host = certificate, host
        self.port = port or _free_port(host)
        self._process: subprocess.Popen[bytes] | None = None

    def start(self, passwords: str) -> None:
        """Start the broker and return once it accepts connections.

        Raises:
            BrokerUnusable: it does not start; the message names its log.
        """
        program = find_mosquitto()
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._end_left_over()
        where = "" if self._host in ("", "0.0.0.0", "::") else f" {self._host}"
        settings = _SETTINGS.format(port=self.port, host=where, folder=self.folder.resolve())
        self._write("mosquitto.conf", settings.encode())
        self._write("access", ACCESS_LIST.encode())
        self._write("passwords", passwords.encode())
        self._write("certificate.pem", self._certificate.read_bytes())
        if os.geteuid() == 0:
            os.chown(self.folder, _user().pw_uid, _user().pw_gid)
        command = [program, "-c", str(self.folder / "mosquitto.conf")]
        with (self.folder / "broker.log").open("ab") as log:
            self._process = subprocess.Popen(
                [*_as_user(), *command], stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self.folder
            )
        self._wait_for_answer()

    def update(self, passwords: str) -> bool:
        """Reload the broker if passwords or certificate have changed; return whether they had."""
        is_news = self._differs("passwords", passwords.encode())
        is_news |= self._differs("certificate.pem", self._certificate.read_bytes())
        if is_news:
            self._write("passwords", passwords.encode())
            self._write("certificate.pem", self._certificate.read_bytes())
            if self._process is not None:
                self._process.send_signal(signal.SIGHUP)
        return is_news

    @property
    def is_running(self) -> bool:
        """Whether its process is alive."""
        return self._process is not None and self._process.poll() is None

    def stop(self) -> None:
        """Stop the broker. Idempotent."""
        if self._process is None:
            return
        self._process.terminate()
        try:
            self._process.wait(_STOP_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process = None

    def _wait_for_answer(self) -> None:
        ends = time.monotonic() + _START_S
        while self.is_running and time.monotonic() < ends:
            if answers(_reached_at(self._host), self.port):
                return
            time.sleep(0.05)
        self.stop()
        raise BrokerUnusable(
            f"mosquitto does not start on port {self.port}: {self._last_words()} See {self.folder / 'broker.log'}."
        )

    def _last_words(self) -> str:
        with suppress(OSError):
            lines = (self.folder / "broker.log").read_text(encoding="utf-8", errors="replace").split("\n")
            return next((line.partition(": ")[2] or line for line in reversed(lines) if line), "")
        return ""

    def _end_left_over(self) -> None:
        """Stop a broker left by a floor that was killed: it would hold the port, with outdated passwords."""
        for place in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):  # exited meanwhile, or another user's
                if (place / "cwd").readlink() == self.folder.resolve():
                    os.kill(int(place.name), signal.SIGKILL)
        ends = time.monotonic() + _STOP_S
        while answers(_reached_at(self._host), self.port):
            if time.monotonic() > ends:
                raise BrokerUnusable(
                    f"Another program uses port {self.port}. Stop that, or name another port: --broker-port."
                )
            time.sleep(0.05)

    def _differs(self, name: str, data: bytes) -> bool:
        try:
            return (self.folder / name).read_bytes() != data
        except OSError:
            return True

    def _write(self, name: str, data: bytes) -> None:
        write_private(self.folder / name, data)
        if os.geteuid() == 0:
            os.chown(self.folder / name, _user().pw_uid, _user().pw_gid)


def answers(host: str, port: int) -> bool:
    """Return whether a server accepts connections there."""
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as line:
        line.settimeout(2.0)
        return line.connect_ex((host, port)) == 0


def _reached_at(host: str) -> str:
    return "127.0.0.1" if host in ("", "0.0.0.0", "::") else host


def _as_user() -> list[str]:
    """Return the command prefix that ties a program's lifetime to ours and never runs it as root."""
    words = ["setpriv", "--pdeathsig", "KILL"]
    if os.geteuid() == 0:
        words += [f"--reuid={_user().pw_uid}", f"--regid={_user().pw_gid}", "--clear-groups"]
    return words


def _user() -> pwd.struct_passwd:
    try:
        return pwd.getpwnam(_ROOTS_USER)
    except KeyError:
        raise BrokerUnusable(
            "The broker does not run as root, and there is no user mosquitto. Install Debian's mosquitto."
        ) from None


def _free_port(host: str) -> int:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as probe:
        probe.bind((_reached_at(host), 0))
        return int(probe.getsockname()[1])
