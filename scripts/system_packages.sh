# Installs Debian packages where that is allowed, without starting the services they bring.

POLICY=${BOOTSTRAP_POLICY_FILE:-/usr/sbin/policy-rc.d}

# The command in front of apt-get: empty for root, sudo for who needs no password; fails for anybody else.
privilege() {
    if [ "$(id -u)" = 0 ]; then
        echo ""
    elif have sudo && sudo -n true 2>/dev/null; then
        echo "sudo -n"
    else
        return 1
    fi
}

# may_install: whether packages can be installed without asking anybody.
may_install() {
    [ "${MEDIAFLOW_FLEET_INSTALL:-auto}" != never ] && have apt-get && privilege >/dev/null
}

# install_packages NAME...: fails with one line when it doesn't work.
install_packages() {
    as_root=$(privilege)
    log=$(mktemp)
    say "installing $* (apt-get)"
    forbid_services
    # The lists of a fresh machine are empty or old: a failed first try is repeated with new ones.
    if ! apt_install "$@" >"$log" 2>&1; then
        $as_root apt-get -q update >>"$log" 2>&1 || true
        apt_install "$@" >>"$log" 2>&1 || broken=yes
    fi
    allow_services
    if [ -n "${broken:-}" ]; then
        reason=$(grep -E '^(E|dpkg): ' "$log" | tail -n 1)
        fail "apt-get could not install $*: ${reason:-no reason given} (all of it: $log)"
    fi
    rm -f "$log"
}

apt_install() {
    $as_root env DEBIAN_FRONTEND=noninteractive \
        apt-get -q -y -o DPkg::Lock::Timeout=120 install --no-install-recommends "$@"
}

# Debian starts a service as soon as its package is there, unless this file says no (101).
forbid_services() {
    trap 'allow_services; exit 130' INT TERM HUP
    set_aside=no
    if [ -e "$POLICY" ]; then
        $as_root mv "$POLICY" "$POLICY.mediaflow"
        set_aside=yes
    fi
    printf '#!/bin/sh\nexit 101\n' | $as_root tee "$POLICY" >/dev/null
    $as_root chmod 755 "$POLICY"
}

allow_services() {
    $as_root rm -f "$POLICY"
    [ "$set_aside" = no ] || $as_root mv "$POLICY.mediaflow" "$POLICY"
    trap - INT TERM HUP
}

# disable_services NAME...: keeps services from starting at the next boot.
disable_services() {
    have systemctl || return 0
    $as_root systemctl disable "$@" >/dev/null 2>&1 || true
}
