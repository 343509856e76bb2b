"""Headers of every answer: what a page may load and do, and who may show it."""

from flask import Flask, Response, request

#: hls.js plays from blob: addresses and gives its text tracks an empty data: address.
POLICY = "; ".join(
    (
        "default-src 'self'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data: blob:",
        "media-src 'self' blob: data:",
        "connect-src 'self'",
        "object-src 'none'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    )
)

_ALWAYS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}


def add_security_headers(app: Flask) -> None:
    """Give every answer the headers that it has not set itself."""

    @app.after_request
    def secure(answer: Response) -> Response:
        for name, value in _ALWAYS.items():
            answer.headers.setdefault(name, value)
        if request.endpoint != "static":
            answer.headers.setdefault("Cache-Control", "no-store")
        return answer
