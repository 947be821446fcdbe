"""`analyze serve` lets in only those who may be, and survives slow and hostile clients."""
import concurrent.futures
import gzip
import json
import pathlib
import select
import signal
import socket
import time

import pytest
from server import Server
from sounds import encode, picture
from waiting import eventually

TOKEN = "0123456789abcdef0123"


@pytest.fixture(scope="module")
def library(place):
    """Two short files and a cover."""
    for frequency in (220, 440):
        encode(f"sine={frequency}:duration=2", place.music / f"{frequency}.flac")
    picture(place.music / "cover.png", "color=teal:size=64x64")
    place.analyze_music()
    return place


@pytest.fixture(scope="module")
def server(library):
    with Server(library) as server:
        yield server


def raw(server, *parts, pause=0, timeout=20, heeds_answer=False):
    """Sends bytes, or, as a client that heeds it, up to an early answer; then reads to the end.
    -> (what came, seconds until the end)"""
    start = time.monotonic()
    with socket.create_connection(("127.0.0.1", server.port), timeout=timeout) as connection:
        received = b""
        try:
            for part in parts:
                connection.sendall(part)
                if heeds_answer and select.select([connection], [], [], pause)[0]:
                    break
                time.sleep(pause)
            while part := connection.recv(65536):
                received += part
        except (ConnectionError, BrokenPipeError):
            pass
        except TimeoutError:
            return received, None
    return received, time.monotonic() - start


def test_names_and_pages(server):
    for name in ["localhost", "127.0.0.1", f"localhost:{server.port}", "[::1]", "LOCALHOST."]:
        assert server.ask(Host=name)[0] == 200, f"Host {name} is served"
    for name in ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "192.0.2.1", "", "a b", "localhost:x"]:
        status = server.ask(Host=name)[0]
        assert status in (400, 421), f"Host “{name}” is refused"
    own = f"http://127.0.0.1:{server.port}"
    assert server.ask(Origin=own, Sec_Fetch_Site="same-origin")[0] == 200, "a page of our own may ask"
    foreign = [
        {"Origin": "http://evil.example"}, {"Origin": "null"}, {"Origin": "http://127.0.0.1:1"},
        {"Sec_Fetch_Site": "cross-site"}, {"Sec_Fetch_Site": "same-site"},
        {"Sec_Fetch_Site": "cross-site", "Sec_Fetch_Mode": "navigate", "Sec_Fetch_Dest": "document"},
        {"Sec_Fetch_Site": "cross-site", "Sec_Fetch_Mode": "navigate", "Sec_Fetch_Dest": "iframe"},
    ]
    for headers in foreign:
        status, answer, _ = server.ask(**headers)
        assert status == 403, f"a page with {headers} is refused"
        assert answer.get("Access-Control-Allow-Origin") is None, "no page elsewhere may read answers"
    status, answer, _ = server.ask("/", Sec_Fetch_Site="cross-site", Sec_Fetch_Mode="navigate", Sec_Fetch_Dest="document")
    assert status == 200, "a link from elsewhere leads to the app"
    assert "frame-ancestors 'none'" in (answer.get("Content-Security-Policy") or ""), "no page may frame the app"
    assert answer.get("X-Content-Type-Options") == "nosniff", "types are not guessed"


def test_upgrades(server):
    """As Java's client does: it offers HTTP/2 with its first request, and sends the next one on the same connection if it can."""
    for method, body in (("GET", b""), ("POST", b"grant_type=client_credentials")):
        with socket.create_connection(("127.0.0.1", server.port), timeout=5) as connection:
            path = "/healthz" if method == "GET" else "/api/token"
            connection.sendall(
                f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n"
                f"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body)
            answer = b"".join(iter(lambda: connection.recv(65536), b""))
        head = answer.split(b"\r\n\r\n")[0].lower()
        assert head.startswith(b"http/1.1 200") and b"connection: close" in head, (f"{method} with an upgrade is answered", answer)


def test_not_http(server):
    end = b"\r\n\r\n"
    get = b"GET /healthz HTTP/1.1\r\nHost: localhost"
    broken = {
        "no request": (b"\x16\x03\x01\x02\x00\x01\x00" * 20, b"400"),
        "no Host": (b"GET /healthz HTTP/1.1" + end, b"400"),
        "two Hosts": (get + b"\r\nHost: evil.example" + end, b"400"),
        "an absolute address": (b"GET http://evil.example/ HTTP/1.1\r\nHost: localhost" + end, b"400"),
        "two lengths": (get + b"\r\nContent-Length: 5\r\nContent-Length: 6" + end, b"400"),
        "length and chunks": (get + b"\r\nContent-Length: 5\r\nTransfer-Encoding: chunked" + end, b"400"),
        "a negative length": (get + b"\r\nContent-Length: -5" + end, b"400"),
        "a large header": (get + b"\r\nX: " + b"a" * 100_000 + end, b"431"),
        "many headers": (get + b"".join(b"\r\nX-%d: a" % i for i in range(1000)) + end, b"431"),
        "a long address": (b"GET /" + b"a" * 20_000 + b" HTTP/1.1\r\nHost: localhost\r\nConnection: close" + end, b"414"),
        "a body that is too large": (
            b"POST /app/api/login HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2000000000" + end, b"413"),
        "chunks without end": (
            b"POST /app/api/login HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked" + end
            + b"10000\r\n" + b"a" * 65536 + b"\r\n", b"413"),
        "a chunk of a wrong length": (
            b"POST /app/api/playlists HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked" + end + b"xyz\r\nabc" + end,
            b"400"),
    }
    for what, (request, status) in broken.items():
        answer, seconds = raw(server, request)
        assert answer.startswith(b"HTTP/1.1 " + status), f"{what} gets {status.decode()}"
        assert seconds is not None, f"{what}: the connection ends"
    answer, _ = raw(server, (get + end) * 20 + get + b"\r\nConnection: close" + end)
    assert answer.count(b"HTTP/1.1 200") == 21, "21 pipelined requests get 21 answers"


def test_slow_clients(server):
    """Each of them must be gone after the time limits, and nobody else may notice."""
    head = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n"
    slow = {
        "a silent client": [], "half a header": [head],
        "a header byte by byte": [head] + [b"X: a\r\n"] * 30,
    }
    with concurrent.futures.ThreadPoolExecutor(64) as threads:
        futures = {what: threads.submit(raw, server, *parts, pause=0.5, timeout=25) for what, parts in slow.items()}
        many = [threads.submit(raw, server, head, timeout=25) for _ in range(50)]
        latest = 0
        for _ in range(20):
            start = time.monotonic()
            assert server.ask()[0] == 200, "others are served meanwhile"
            latest = max(latest, time.monotonic() - start)
            time.sleep(0.1)
        assert latest < 5, "others are served at once"
        for what, future in futures.items():
            seconds = future.result()[1]
            assert seconds is not None and seconds < 20, f"{what} is sent away"
        assert all(f.result()[1] is not None for f in many), "all slow clients are sent away"
    reset = socket.create_connection(("127.0.0.1", server.port))
    reset.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
    reset.sendall(head + b"\r\n")
    reset.close()
    half = socket.create_connection(("127.0.0.1", server.port), timeout=10)
    half.sendall(head + b"Connection: close\r\n\r\n")
    half.shutdown(socket.SHUT_WR)
    assert half.recv(100).startswith(b"HTTP/1.1 200"), "a client that only listens any more gets its answer"
    half.close()
    flood = [socket.create_connection(("127.0.0.1", server.port), timeout=10) for _ in range(300)]
    assert server.ask()[0] == 200, "300 open connections do not keep others out"
    for connection in flood:
        connection.close()
    status, _, text = server.ask("/metrics")
    assert status == 200 and b'{reason="too_slow"}' in text, "metrics count slow clients"


def test_dropped_streams(server):
    """Pages that are closed leave room for others at once."""
    stream = b"GET /app/api/events HTTP/1.1\r\nHost: localhost\r\n\r\n"
    for round in range(2):
        for _ in range(80):
            with socket.create_connection(("127.0.0.1", server.port), timeout=10) as connection:
                connection.sendall(stream)
                answer = connection.recv(4096)
        assert answer.startswith(b"HTTP/1.1 200"), "a client is heard, however many streams it has dropped"
    open_streams = [socket.create_connection(("127.0.0.1", server.port), timeout=10) for _ in range(40)]
    for connection in open_streams:
        connection.sendall(stream)
        assert connection.recv(4096).startswith(b"HTTP/1.1 200"), "a client that has many streams gets another"
    for connection in open_streams:
        connection.close()


def test_large_bodies(server):
    """Many large bodies at once, without their lengths: what is held stays within bounds."""
    head = (b"POST /v1/catalog HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/octet-stream\r\n"
            b"Transfer-Encoding: chunked\r\n\r\n")
    chunk = b"100000\r\n" + bytes(1 << 20) + b"\r\n"

    def resident():
        status = pathlib.Path(f"/proc/{server.process.pid}/status").read_text()
        return int(status.split("VmRSS:")[1].split()[0]) >> 10

    with concurrent.futures.ThreadPoolExecutor(16) as threads:
        uploads = [threads.submit(raw, server, head, *[chunk] * 40, pause=0.02, timeout=30, heeds_answer=True) for _ in range(16)]
        peak = 0
        while not all(upload.done() for upload in uploads):
            peak = max(peak, resident())
            time.sleep(0.05)
    answers = [upload.result()[0][:12] for upload in uploads]
    assert b"HTTP/1.1 503" in answers, "too many bodies at once are refused"
    assert peak < 900, "bodies stay within bounds"
    assert server.ask()[0] == 200, "others are served afterwards"


def test_tokens(library):
    file = library.folder / "tokens"
    file.write_text(f"# phones\nphone {TOKEN}\n")
    file.chmod(0o644)
    refused = library.analyze("serve", "--port", "0", "--token-file", file, status=None, timeout=20)
    assert refused.returncode != 0 and "chmod 600" in refused.stderr, "a file that others can read is refused"
    refused = library.analyze("serve", "--port", "0", "--host", "0.0.0.0", status=None, timeout=20)
    assert refused.returncode == 64 and "--token-file" in refused.stderr, "other machines need tokens"
    file.chmod(0o600)
    with Server(library, "--token-file", file, "--access-log", library.folder / "access.log") as server:
        bearer = {"Authorization": f"Bearer {TOKEN}"}
        path = "/media/covers/0000000000000000000000"
        assert server.ask(path)[0] == 401, "without token"
        assert server.ask(path, **bearer)[0] == 404, "with token"
        assert server.ask(path, Authorization="Bearer wrong")[0] == 401, "with a wrong token"
        assert server.ask()[0] == 200, "health needs none"
        assert server.ask("/")[0] == 200, "pages need none"
        assert server.ask("/app//../media//covers/0000000000000000000000")[0] == 401, "a path in disguise needs one"
        status, _, body = server.ask("/v1/search?q=220&type=track", **bearer)
        image = json.loads(body)["tracks"]["items"][0]["album"]["images"][0]["url"].split(str(server.port))[1]
        assert server.ask(image)[0] == 200, "the address of a cover lets in"
        assert server.ask(path + "?" + image.split("?")[1])[0] == 401, "but not to another cover"
        form = {"Content_Type": "application/x-www-form-urlencoded", "Content_Encoding": "gzip"}
        packed = gzip.compress(f"client={TOKEN}&fingerprint=AQAA&duration=10".encode())
        assert server.ask("/v2/lookup", "POST", packed, **form)[0] == 400, "AcoustID's clients pack the token"
        assert server.ask(f"/rest/ping.view?apiKey={TOKEN}&p={TOKEN}")[0] in (200, 401, 404), "a token in the address is not logged"
        status, answer, _ = server.ask("/app/api/login", "POST", json.dumps({"token": TOKEN}))
        cookie = answer.get("Set-Cookie") or ""
        assert status == 204 and "HttpOnly" in cookie and "SameSite=Strict" in cookie, "logging in"
        assert server.ask(path, Cookie=cookie.split(";")[0])[0] == 404, "the cookie lets in"
        assert server.ask(path, Cookie=cookie.split(";")[0][:-2] + "AA")[0] == 401, "a changed cookie does not"
        assert server.ask("/metrics")[0] == 200, "metrics are for this machine"
        assert server.ask("/metrics", X_Forwarded_For="127.0.0.1")[0] == 401, "what comes by a proxy is not of this machine"
        for _ in range(20):
            server.ask(path, Authorization="Bearer wrong")
        status, answer, _ = server.ask(path, Authorization="Bearer wrong")
        assert status == 429 and answer.get("Retry-After"), "guessing is slowed down"
        assert server.ask(path, **bearer)[0] == 404, "a right token passes all the same"
        file.write_text("other 9876543210abcdef0123\n")
        eventually(lambda: server.ask(path, Cookie=cookie.split(";")[0])[0] in (401, 429), "a token that was taken out lets nobody in", 2, .1)
        log = server.stop()[2]
        lines = [json.loads(line) for line in (library.folder / "access.log").read_text().splitlines()]
        assert len(lines) > 30 and {"time", "client", "route", "status", "ms"} <= lines[0].keys(), "every request is in the access log"
        assert TOKEN not in log + json.dumps(lines), "no token is in a log"


def test_endings(library):
    with Server(library) as server:
        idle = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(10)]
        for connection in idle[:5]:
            connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
            connection.recv(4096)
        stream = server.ask("/v1/sessions", "POST", b"{}")
        if stream[0] in (200, 201):
            events = socket.create_connection(("127.0.0.1", server.port), timeout=10)
            path = f"/v1/sessions/{json.loads(stream[2])['id']}/events"
            events.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
            events.recv(4096)
        status, seconds, log = server.stop()
        assert status == 143 and seconds < 4, "SIGTERM ends it at once"
        assert log.count("\n") == 1, "nothing is wrong about that"
    with Server(library) as server:
        taken = library.analyze("serve", "--port", server.port, status=None, timeout=20)
        assert taken.returncode == 1 and "Choose another port" in taken.stderr, "a port that is taken"
        assert server.stop(signal.SIGINT)[0] == 130, "SIGINT ends it"
