"""Servers that stand in for those of others, and keep what they are told."""
import contextlib
import http.server
import json
import threading


class Handler(http.server.BaseHTTPRequestHandler):
    def body(self):
        return self.rfile.read(int(self.headers["Content-Length"]))

    def answer(self, status, value, headers={}):
        body = json.dumps(value, separators=(",", ":")).encode()
        self.send_response(status)
        for name, text in {**headers, "Content-Length": str(len(body))}.items():
            self.send_header(name, text)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, *arguments):
        pass


@contextlib.contextmanager
def standing_in(handler):
    """A server at a free port; `address` has no slash at its end."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.address = f"http://127.0.0.1:{server.server_port}"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
