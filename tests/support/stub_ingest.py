"""An ingest that answers what a test tells it to."""

import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class StubIngest:
    """Gives ``answer`` (status, headers, body) and remembers what it was asked."""

    def __init__(self) -> None:
        self.answer: tuple[int, dict[str, str], bytes] = (200, {}, b"{}")
        self.asked: list[tuple[str, str, dict[str, str], bytes]] = []
        self.drops = 0
        double = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                double.asked.append((self.command, self.path, dict(self.headers), body))
                if double.drops:
                    double.drops -= 1
                    self.close_connection = True
                    return
                status, headers, answer = double.answer
                self.send_response(status)
                for name, value in {"Content-Length": str(len(answer)), **headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(answer)

            do_POST = do_GET

            def log_message(self, *_: object) -> None: ...

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def says(self, answer: object, status: int = 200, **headers: str) -> None:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        self.answer = (status, named, json.dumps(answer).encode())
