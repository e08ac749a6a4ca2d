"""Relay Streamable HTTP: every request to the server as it came, every answer as it comes.

Listens on 127.0.0.1 alone, and answers no web page: whoever can reach it could use the
server. Headers are passed on and never told to the tape.
Source: Model Context Protocol, "Streamable HTTP"; RFC 9110, section 7.6.1.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import socket
import threading
import time
from collections.abc import Iterator
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

from hindsight_cli.capture.proxy.envelope import Envelope, envelopes_of
from hindsight_cli.capture.proxy.lines import Line
from hindsight_cli.capture.proxy.pending import SERVER_GONE
from hindsight_cli.capture.proxy.streamed import AnswerLines
from hindsight_cli.capture.proxy.tape import FROM_CLIENT, FROM_SERVER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hindsight_cli.capture.proxy.tape import Tape, Untaped

SESSION_HEADER = "Mcp-Session-Id"
_LOCAL = frozenset({"127.0.0.1", "localhost", "[::1]", "::1"})
# Of this connection only. Accept-Encoding, because what is packed could not be recorded.
_HOP = frozenset(
    (
        *("connection", "keep-alive", "proxy-authenticate", "proxy-authorization"),
        *("proxy-connection", "te", "trailer", "transfer-encoding", "upgrade"),
        *("host", "content-length", "accept-encoding", "expect"),
    )
)
_READ_BYTES = 64 * 1024
_CONNECT_S = 30.0
_POLL_S = 0.5
_NO_SUCCESS = 300
_MAX_CONNECTIONS = 65_535  # that a tape can tell apart


class HttpRelay:
    """One server, any number of clients.

    Raises:
        ValueError: `url` is no address of a server.
        OSError: the port cannot be used.
    """

    def __init__(self, url: str, port: int, name: str, tape: Tape | Untaped) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError("it has no http:// or no host")
        self.name = name
        self.host, self.port = parts.hostname, parts.port
        self.is_secure = parts.scheme == "https"
        self.netloc = parts.netloc.rpartition("@")[2]
        self.path = parts.path or "/"
        self.query = parts.query
        self._tape = tape
        self._lock = threading.Lock()
        self._connections: dict[str, int] = {}
        self.watcher = _Watcher()
        self._server = _Server(("127.0.0.1", port), _Handler)
        self._server.relay = self

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}{self.path}"

    def serve(self, parent: int) -> None:
        """Until `stop`, or until whoever started us, process `parent`, is gone."""
        self._server.parent = parent
        with self._server:
            self._server.serve_forever(poll_interval=_POLL_S)

    def stop(self) -> None:
        threading.Thread(target=self._server.shutdown, daemon=True).start()

    def connect(self) -> HTTPConnection:
        make = HTTPSConnection if self.is_secure else HTTPConnection
        return make(self.host, self.port, timeout=_CONNECT_S)

    def target(self, path: str) -> str:
        """Where on the server a request for `path` of ours goes."""
        own, _, query = path.partition("?")
        joined = "&".join(q for q in (query, self.query if own == self.path else "") if q)
        return f"{own}?{joined}" if joined else own

    def connection_of(self, key: str) -> int:
        """The tape's number for a session of the protocol, or for a client that has none."""
        with self._lock:
            number = self._connections.setdefault(key, len(self._connections) + 1)
        return min(number, _MAX_CONNECTIONS)

    def tell(self, kind: bytes, line: Line, connection: int) -> None:
        with self._lock:
            self._tape.message(kind, line, time.time_ns(), connection)

    def closed(self, key: str) -> None:
        """The client ended its session."""
        with self._lock:
            if key in self._connections:
                self._tape.closed(self._connections.pop(key))
                self._connections[f"{key} "] = 0  # so that numbers are not given twice

    def flush(self) -> None:
        with self._lock:
            self._tape.flush()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    relay: HttpRelay
    parent = 0

    def service_actions(self) -> None:
        """Called several times a second."""
        self.relay.flush()
        if self.parent and os.getppid() != self.parent:
            self.relay.stop()

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that went away is no fault of anybody."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = 0

    def setup(self) -> None:
        super().setup()
        server = self.server
        assert isinstance(server, _Server)
        self._relay = server.relay
        self._upstream: HTTPConnection | None = None

    def finish(self) -> None:
        self._drop_upstream()
        super().finish()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 -- its name
        """Nothing: paths and headers may hold secrets."""

    def __getattr__(self, name: str) -> object:
        if name.startswith("do_"):
            return self._handle
        raise AttributeError(name)

    def _handle(self) -> None:
        body = self._body()
        if not _is_local(self.headers.get("Host")) or not _is_local_page(self.headers["Origin"]):
            self.close_connection = True
            self._answer(403, {"error": "This address is for programs on this machine."})
            return
        line = Line(body, len(body), b"") if body.strip() else None
        envelopes = envelopes_of(body) if line is not None else []
        key = self.headers.get(SESSION_HEADER) or self.headers.get("User-Agent") or "client"
        is_new = SESSION_HEADER not in self.headers and _is_hello(envelopes)
        connection = None if is_new else self._relay.connection_of(key)
        try:
            upstream = self._send(body)
            if line is not None and connection is not None:
                self._relay.tell(FROM_CLIENT, line, connection)
            answer = self._response(upstream, body)
        except (OSError, HTTPException) as error:
            self._drop_upstream()
            self._unreachable(envelopes, error)
            return
        if connection is None:
            key = answer.getheader(SESSION_HEADER) or key
            connection = self._relay.connection_of(key)
            if line is not None:
                self._relay.tell(FROM_CLIENT, line, connection)
        self._pass_on(answer, connection)
        if self.command == "DELETE" and answer.status < _NO_SUCCESS:
            self._relay.closed(key)

    def _body(self) -> bytes:
        if "chunked" in (self.headers.get("Transfer-Encoding") or "").lower():
            return self._chunked_body()
        size = self.headers.get("Content-Length") or "0"
        return self.rfile.read(int(size)) if size.isdigit() else b""

    def _chunked_body(self) -> bytes:
        parts: list[bytes] = []
        while (size := int(self.rfile.readline().split(b";")[0].strip() or b"0", 16)) > 0:
            parts.append(self.rfile.read(size))
            self.rfile.readline()
        while self.rfile.readline().strip():
            pass  # trailers
        return b"".join(parts)

    def _send(self, body: bytes) -> HTTPConnection:
        """The request, on the connection that is open or a new one."""
        if self._upstream is not None and _is_closed(self._upstream):
            self._drop_upstream()
        if self._upstream is None:
            self._upstream = self._relay.connect()
            self._upstream.connect()
            if self._upstream.sock is not None:
                self._upstream.sock.settimeout(None)  # a call may take as long as it takes
        upstream = self._upstream
        upstream.putrequest(
            self.command,
            self._relay.target(self.path),
            skip_host=True,
            skip_accept_encoding=True,
        )
        upstream.putheader("Host", self._relay.netloc)
        upstream.putheader("Accept-Encoding", "identity")
        for name, value in self.headers.items():
            if name.lower() not in _HOP:
                upstream.putheader(name, value)
        if body or self.command in ("POST", "PUT", "PATCH"):
            upstream.putheader("Content-Length", str(len(body)))
        upstream.endheaders(body or None)
        return upstream

    def _response(self, upstream: HTTPConnection, body: bytes) -> HTTPResponse:
        with self._relay.watcher.watching(self.connection, upstream.sock):
            return upstream.getresponse()

    def _pass_on(self, answer: HTTPResponse, connection: int) -> None:
        size = answer.getheader("Content-Length")
        self.send_response_only(answer.status, answer.reason)
        for name, value in answer.getheaders():
            if name.lower() not in _HOP:
                self.send_header(name, value)
        has_body = self.command != "HEAD" and answer.status not in (204, 304)
        is_chunked = has_body and size is None
        if size is not None:
            self.send_header("Content-Length", size)
        elif is_chunked:
            self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        lines = AnswerLines(answer.getheader("Content-Type") or "")
        upstream = self._upstream
        with self._relay.watcher.watching(self.connection, upstream.sock if upstream else None):
            while has_body and (data := answer.read1(_READ_BYTES)):
                self.wfile.write(b"%x\r\n%b\r\n" % (len(data), data) if is_chunked else data)
                for line in lines.add(data):
                    self._relay.tell(FROM_SERVER, line, connection)
        answer.read()  # nothing more: without it the connection cannot be used again
        if is_chunked:
            self.wfile.write(b"0\r\n\r\n")
        for line in lines.rest():
            self._relay.tell(FROM_SERVER, line, connection)
        if answer.will_close:
            self._drop_upstream()

    def _unreachable(self, envelopes: list[Envelope], error: Exception) -> None:
        why = f"MCP server {self._relay.name!r} cannot be reached: {error or type(error).__name__}"
        asked = next((envelope for envelope in envelopes if envelope.is_request), None)
        told = {"code": SERVER_GONE, "message": why}
        self._answer(
            502, {"jsonrpc": "2.0", "id": asked.id if asked is not None else None, "error": told}
        )

    def _answer(self, status: int, document: object) -> None:
        data = json.dumps(document).encode()
        self.send_response_only(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _drop_upstream(self) -> None:
        if self._upstream is not None:
            self._upstream.close()
            self._upstream = None


class _Watcher:
    """Ends what is asked of the server once the client that asked has gone away."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._upstreams: dict[int, socket.socket] = {}
        self._epoll = select.epoll() if hasattr(select, "epoll") else None
        if self._epoll is not None:
            threading.Thread(target=self._run, daemon=True).start()

    @contextlib.contextmanager
    def watching(self, client: socket.socket, upstream: socket.socket | None) -> Iterator[None]:
        if self._epoll is None or upstream is None:
            yield
            return
        number = client.fileno()
        with self._lock:
            self._upstreams[number] = upstream
        self._epoll.register(number, select.EPOLLRDHUP | select.EPOLLONESHOT)
        try:
            yield
        finally:
            with self._lock:
                del self._upstreams[number]
            with contextlib.suppress(OSError):
                self._epoll.unregister(number)

    def _run(self) -> None:
        assert self._epoll is not None
        while True:
            for number, _ in self._epoll.poll():
                with self._lock, contextlib.suppress(OSError):
                    if number in self._upstreams:
                        self._upstreams[number].shutdown(socket.SHUT_RDWR)


def _is_closed(upstream: HTTPConnection) -> bool:
    """Whether the server has closed a connection between two requests."""
    if upstream.sock is None:
        return True
    return bool(select.select([upstream.sock], [], [], 0)[0])


def _is_hello(envelopes: list[Envelope]) -> bool:
    return any(envelope.method == "initialize" for envelope in envelopes)


def _is_local(host: str | None) -> bool:
    """Whether a Host header means this machine, and no name that was made to lead to it."""
    name = (host or "").rpartition(":")[0] if (host or "").count(":") == 1 else (host or "")
    if name.startswith("["):
        name = name.partition("]")[0] + "]"
    return name.lower() in _LOCAL


def _is_local_page(origin: str | None) -> bool:
    return origin is None or (urlsplit(origin).hostname or "") in _LOCAL
