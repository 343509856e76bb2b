"""Headers of the pages: what their scripts and styles may do, and nothing more."""

#: Scripts, styles and pictures come from this host. Media Source playback reads from blob: addresses, and hls.js gives
#: its text tracks an empty data: address.
_COMMON = ("default-src 'none'", "base-uri 'none'", "form-action 'self'", "frame-ancestors 'none'")


def page_headers(*, media_origin: str | None = None, docs: bool = False) -> dict[str, str]:
    """Give a page's headers. ``media_origin`` is where signed addresses lead to, when they do.

    The API description's viewer builds its own styles at run time, so its page allows inline styles; no page allows
    inline scripts.
    """
    elsewhere = f" {media_origin}" if media_origin else ""
    inline_styles = " 'unsafe-inline'" if docs else ""
    policy = (
        *_COMMON,
        "script-src 'self'",
        f"style-src 'self'{inline_styles}",
        f"img-src 'self' data:{elsewhere}",
        f"media-src 'self' blob: data:{elsewhere}",
        f"connect-src 'self'{elsewhere}",
        "font-src 'self'",
    )
    return {
        "Content-Security-Policy": "; ".join(policy),
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "same-origin",
        "Cache-Control": "no-store",
        "Vary": "Accept",
    }


#: What a channel made, and what users sent, is shown or saved, never run.
OUTPUT_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "default-src 'none'; sandbox",
    "Cross-Origin-Resource-Policy": "same-origin",
}
