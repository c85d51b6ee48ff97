"""Fuzzes a running table with schemathesis, from its own OpenAPI document; counts requests and 5xx responses.

    make fuzz ARGS="--minutes 5"
    python tests/bench/fuzz_api.py --only raw --minutes 1

The command starts a table on a free port, with a temporary data folder. Three passes take turns until the time is up:
without a log-in, as the dealer's browser, and raw bytes that are barely HTTP. Exit code 1 if any response was 5xx or
contradicts the document. `--schemathesis` is the path of the program; `make fuzz` installs it in a separate
environment, because it needs thirty packages that nothing else here does.
"""

import argparse
import json
import random
import re
import socket
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request
from collections import Counter
from http.cookiejar import CookieJar
from pathlib import Path
from urllib.parse import urlsplit

from served import served

PIN = "4711"
CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance"
UNSAFE = ("/api/v1/setup/restart", "/api/v1/setup/voice", "/setup", "/dealer/logout", "/dealer/browsers/end",
          "/dealer/house/restart", "/dealer/house/{what}", "/api/v1/stream")  # fmt: skip
"""Excluded operations: they would end the run, make a noise, log the fuzzer out, or never end."""
PIECES = (
    b"GET / HTTP/1.1\r\n",
    b"GET /../../etc/passwd HTTP/1.1\r\n",
    b"GET /%ff%00 HTTP/1.1\r\n",
    b"OPTIONS * HTTP/1.1\r\n",
    b"POST /api/v1/commands HTTP/1.1\r\n",
    b"POST /dealer/login HTTP/1.1\r\n",
    b"Host: localhost\r\n",
    b"Host: evil.example\r\n",
    b"Content-Length: 5\r\n",
    b"Content-Length: -1\r\n",
    b"Content-Length: 18446744073709551616\r\n",
    b"Transfer-Encoding: chunked\r\n",
    b"Transfer-Encoding: \x0bchunked\r\n",
    b"Expect: 100-continue\r\n",
    b"Content-Type: application/json\r\n",
    b"Authorization: Bearer \xff\r\n",
    b"Cookie: companion=" + b"a" * 300 + b"\r\n",
    b"X: " + b"y" * 9000 + b"\r\n",
    b"FFFFFFFFFFFFFFFF\r\n",
    b"5\r\nhello\r\n",
    b"0\r\n\r\n",
    b'{"do": "bet"}',
    b"\r\n",
    b"\r\n\r\n",
    b"\n",
    b"\x00",
    b"\xff\xfe",
    b" ",
)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=2.0)
    parser.add_argument("--schemathesis", default="schemathesis")
    parser.add_argument("--examples", type=int, default=40, help="examples per operation in each pass")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 30))
    parser.add_argument("--only", choices=("raw", "schemathesis"), help="run only this kind of pass")
    options = parser.parse_args()
    print(f"seed {options.seed}")
    seen: dict[str, Counter[str]] = {"raw": Counter(), "schemathesis": Counter()}
    failed = False
    with tempfile.TemporaryDirectory() as folder, served(("--camera", "97", "--data", folder), PIN) as (_, url):
        ends_at, seed = time.monotonic() + 60 * options.minutes, options.seed
        while time.monotonic() < ends_at:
            if options.only != "raw":
                for head in ((), ("-H", f"Cookie: {logged_in(url)}")):
                    failed |= not schemathesis(options, url, seed, head, Path(folder), seen["schemathesis"])
            if options.only != "schemathesis":
                raw(url, random.Random(seed), 2000, seen["raw"])
            seed += 1
            for name, answers in seen.items():
                print(f"{name}: {sum(answers.values())} requests so far: {dict(sorted(answers.items()))}")
            sys.stdout.flush()
    return 1 if failed or any(status.startswith("5") for answers in seen.values() for status in answers) else 0


def logged_in(url: str) -> str:
    """Log in as the dealer and return the cookies."""
    browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(jar := CookieJar()))
    page = browser.open(f"{url}/dealer").read().decode()
    token = re.search(r'name="csrf_token" value="([^"]+)"', page)
    assert token, "no log-in page"
    form = urllib.parse.urlencode({"pin": PIN, "csrf_token": token[1]}).encode()
    browser.open(f"{url}/dealer/login", form).read()
    return "; ".join(f"{cookie.name}={cookie.value}" for cookie in jar)


def schemathesis(options: argparse.Namespace, url: str, seed: int, head: tuple[str, ...], folder: Path,
                 seen: Counter[str]) -> bool:  # fmt: skip
    """Run all operations once; count the responses and print the faulty ones."""
    report = folder / "har"
    command = [options.schemathesis, "run", f"{url}/api/v1/openapi.json", "--checks", CHECKS]
    command += [
        "-n",
        str(options.examples),
        "--seed",
        str(seed),
        "--continue-on-failure",
        "--suppress-health-check",
        "all",
        *head,
    ]
    command += ["--report", "har", "--report-har-path", str(report), "--phases", "examples,coverage,fuzzing"]
    command += [
        "--max-redirects",
        "0",
        "--request-timeout",
        "60",
        "--wait-for-schema",
        "60",
        "--no-color",
        "--generation-with-security-parameters",
        "false",
    ]
    for path in UNSAFE:
        command += ["--exclude-path", path]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)
    try:
        entries = json.loads(report.read_text(encoding="utf-8"))["log"]["entries"]
    except (OSError, ValueError):
        entries = []  # it failed before the first request; its output gives the reason
    seen.update(str(entry["response"]["status"]) for entry in entries)
    if done.returncode:
        print(done.stdout[-20_000:], done.stderr[-2000:])
    return done.returncode == 0


def raw(url: str, rng: random.Random, count: int, seen: Counter[str]) -> None:
    """Send fragments of requests in random order, and count the responses."""
    where = urlsplit(url)
    for _ in range(count):
        try:
            with socket.create_connection((where.hostname or "", where.port or 0), timeout=5) as sock:
                sock.sendall(b"".join(rng.choices(PIECES, k=rng.randrange(1, 9))) + b"\r\n\r\n")
                sock.shutdown(socket.SHUT_WR)
                answer = sock.recv(65536)
        except OSError:
            answer = b""
        seen[answer[9:12].decode("latin-1") if answer.startswith(b"HTTP/1.1 ") else "none"] += 1


if __name__ == "__main__":
    sys.exit(main())
