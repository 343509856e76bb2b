"""A proxy before the management API that counts what passes."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit
from urllib.request import Request, urlopen


class CountingProxy:
    """Listens on a free port of this machine; `url` is used instead of the real address."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        target = f"{parts.scheme}://{parts.hostname}:{parts.port}"
        self.requests: list[str] = []
        proxy = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                proxy.requests.append(self.path)
                asked = Request(target + self.path, headers={"Authorization": self.headers["Authorization"]})
                with urlopen(asked, timeout=10) as answer:
                    body = answer.read()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        login = parts.netloc.rpartition("@")[0]
        self.url = f"http://{login}@127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
