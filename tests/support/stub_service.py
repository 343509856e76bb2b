"""A stand-in for a service of the fleet: answers /readyz, ends on SIGTERM.

`python stub_service.py [--say TEXT] [--exit CODE] [--deaf]`: with --exit it says TEXT and ends with CODE at once;
with --deaf it ignores SIGTERM.
"""

import argparse
import os
import signal
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer


class Answer(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()

    def log_message(self, *arguments):
        pass


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--say", default="")
    parser.add_argument("--exit", type=int)
    parser.add_argument("--deaf", action="store_true")
    options = parser.parse_args()
    print(options.say, flush=True)
    if options.exit is not None:
        return options.exit
    signal.signal(signal.SIGTERM, signal.SIG_IGN if options.deaf else lambda *_: sys.exit(0))
    own = f"MEDIAFLOW_{os.environ['MEDIAFLOW_FLEET_NAME'].upper()}_PORT"
    port = os.environ.get("MEDIAFLOW_HEALTH_PORT") or os.environ[own]
    HTTPServer(("127.0.0.1", int(port)), Answer).serve_forever()
    return 0


if __name__ == "__main__":
    sys.exit(main())
