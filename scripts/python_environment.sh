# Makes the virtual environment from the lock file, with our packages in it. A stamp makes the next time instant.

VENV=${MEDIAFLOW_FLEET_VENV:-.venv}
STAMP=$VENV/.mediaflow

# ensure_environment fleet|dev
ensure_environment() {
    wanted=$(cat requirements.lock requirements-dev.lock libs/*/pyproject.toml services/*/pyproject.toml | cksum)
    if [ -x "$VENV/bin/python" ] && stamped "$1" "$wanted"; then
        return
    fi
    if [ -n "${VIRTUAL_ENV:-}" ] && [ "$VIRTUAL_ENV" != "$root/$VENV" ] && [ "$VIRTUAL_ENV" != "$VENV" ]; then
        say "the active environment $VIRTUAL_ENV is left alone; Mediaflow's is $VENV (MEDIAFLOW_FLEET_VENV names another)"
    fi
    check_present_environment
    [ -x "$VENV/bin/python" ] || make_environment
    install_into_environment "$1"
    printf '%s\n%s\n' "$1" "$wanted" >"$STAMP"
}

# stamped MODE SUM: whether the environment holds at least that. dev holds all that fleet needs.
stamped() {
    [ -f "$STAMP" ] || return 1
    { read -r had && read -r sum; } <"$STAMP" || return 1
    [ "$sum" = "$2" ] && { [ "$had" = "$1" ] || [ "$had" = dev ]; }
}

# One of ours that broke (its Python went away) is made anew; one of the user's is never removed.
check_present_environment() {
    if [ ! -e "$VENV" ] || is_recent "$VENV/bin/python"; then
        return
    fi
    [ -f "$STAMP" ] || fail "$VENV is not an environment with Python 3.11 or later: remove it, or set MEDIAFLOW_FLEET_VENV"
    say "the Python of $VENV is gone or too old: making it anew"
    rm -rf "$VENV"
}

is_recent() {
    "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1
}

find_python() {
    for candidate in ${MEDIAFLOW_FLEET_PYTHON:-python3.14 python3.13 python3.12 python3.11 python3 python}; do
        if have "$candidate" && is_recent "$candidate"; then
            command -v "$candidate"
            return
        fi
    done
    return 1
}

# install_python: Debian's own, where there was none at all.
install_python() {
    [ -z "${MEDIAFLOW_FLEET_PYTHON:-}" ] && ! have python3 && may_install || return 1
    install_packages python3 python3-venv >&2
    find_python
}

make_environment() {
    python=$(find_python) || python=$(install_python) || fail "Mediaflow needs Python 3.11 or later${MEDIAFLOW_FLEET_PYTHON:+, which $MEDIAFLOW_FLEET_PYTHON is not}: install it, or set MEDIAFLOW_FLEET_PYTHON"
    if "$python" -m venv "$VENV" >/dev/null 2>&1; then
        return
    fi
    # Debian keeps ensurepip in a package of its own. With a pip at hand it is not needed.
    rm -rf "$VENV"
    if "$python" -m venv --without-pip "$VENV" >/dev/null 2>&1 && pip_from_outside >/dev/null; then
        return
    fi
    rm -rf "$VENV"
    version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
    may_install || fail "$python can't make virtual environments: apt-get install python$version-venv"
    install_packages "python$version-venv"
    "$python" -m venv "$VENV" >/dev/null 2>&1 || fail "$python can't make a virtual environment in $VENV"
}

# pip_from_outside: a pip of this machine that can work on another environment.
pip_from_outside() {
    outside=$(find_python) && "$outside" -m pip --python "$VENV/bin/python" --version >/dev/null 2>&1 && echo "$outside"
}

# run_pip install|download ARGUMENT...
run_pip() {
    export PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore
    if "$VENV/bin/python" -m pip --version >/dev/null 2>&1; then
        "$VENV/bin/python" -m pip "$@"
    elif outside=$(pip_from_outside); then
        "$outside" -m pip --python "$VENV/bin/python" "$@"
    elif "$VENV/bin/python" -m ensurepip >/dev/null 2>&1; then
        "$VENV/bin/python" -m pip "$@"
    else
        echo "ERROR: no pip for $VENV"
        return 1
    fi
}

install_into_environment() {
    lock=requirements.lock
    [ "$1" = fleet ] || lock=requirements-dev.lock
    log=$VENV/install.log
    say "installing Python packages into $VENV (a few minutes the first time)"
    set --
    for package in libs/* services/*; do
        [ ! -f "$package/pyproject.toml" ] || set -- "$@" --editable "$package"
    done
    # The lock is complete, so nothing has to be resolved; what builds our own packages is in it.
    if ! { run_pip install --require-hashes --no-deps --requirement "$lock" &&
        run_pip install --no-deps --no-build-isolation "$@"; } >"$log" 2>&1; then
        reason=$(grep -E '^ *(ERROR|error):' "$log" | tail -n 1)
        fail "the Python packages could not be installed: ${reason:-no reason given} (all of it: $log)"
    fi
}
