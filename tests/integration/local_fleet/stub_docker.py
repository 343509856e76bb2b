"""A stand-in for the docker command that can `version`, `run` a broker's management API, and `rm`."""

import json
import os
import re
import signal
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

#: Where the names of "containers" are.
STATE = Path(os.environ["STUB_DOCKER_STATE"])


class Management(BaseHTTPRequestHandler):
    def do_GET(self):
        healthy = self.path.endswith("/port-listener/5672")
        self.send_response(200 if healthy else 503)
        self.end_headers()
        self.wfile.write(json.dumps({"status": "ok" if healthy else "failed"}).encode())

    def log_message(self, *arguments):
        pass


def run(arguments: list[str]) -> None:
    container = STATE / arguments[arguments.index("--name") + 1]
    container.write_text(json.dumps({"arguments": arguments, "password": os.environ["RABBITMQ_DEFAULT_PASS"]}))
    port = re.search(r"127\.0\.0\.1:(\d+):15672", " ".join(arguments))[1]
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(container.unlink()))
    HTTPServer(("127.0.0.1", int(port)), Management).serve_forever()


def main(arguments: list[str]) -> int:
    match arguments:
        case ["version", *_]:
            print("28.0.0")
        case ["run", *rest]:
            run(rest)
        case ["rm", "--force", name]:
            if (STATE / name).exists():
                (STATE / name).unlink()
                print(name)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
