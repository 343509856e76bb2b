# What the scripts say: one line each, so that it is read.

say() { printf 'mediaflow: %s\n' "$*" >&2; }

fail() {
    say "$*"
    exit 1
}

have() { command -v "$1" >/dev/null 2>&1; }
